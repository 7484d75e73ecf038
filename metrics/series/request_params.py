"""What requests for charts name: a kind of stream."""

from collections.abc import Mapping

from common.errors import Invalid
from metrics.models import Kind

_KINDS = {"history": Kind.HISTORY, "system": Kind.SYSTEM}


def kind_of(query: Mapping[str, str]) -> Kind:
    """Return the kind asked for, history when none is.

    Raises:
        Invalid: another name.
    """
    name = query.get("kind", "history")
    if name not in _KINDS:
        raise Invalid(f"kind must be history or system, not {name[:40]!r}.")
    return _KINDS[name]
