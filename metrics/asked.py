"""What requests for charts name: a kind of stream, whole numbers."""

from django.http import QueryDict

from common.errors import Invalid
from metrics.models import Kind

_KINDS = {"history": Kind.HISTORY, "system": Kind.SYSTEM}


def kind_of(query: QueryDict) -> Kind:
    """Return the kind asked for, history when none is.

    Raises:
        Invalid: another name.
    """
    name = query.get("kind", "history")
    if name not in _KINDS:
        raise Invalid(f"kind is history or system, not {name!r}.")
    return _KINDS[name]


def whole_number(query: QueryDict, name: str, default: int, most: int) -> int:
    """Return a number from 0 to ``most``.

    Raises:
        Invalid: none, or a larger one.
    """
    text = query.get(name, str(default))
    if not text.isdigit() or int(text) > most:
        raise Invalid(f"{name} is a whole number from 0 to {most}, not {text[:40]!r}.")
    return int(text)
