"""The query parameter that chooses a stream: history or system metrics."""

from collections.abc import Mapping

from common.errors import Invalid
from metrics.models import StreamKind

_KINDS = {"history": StreamKind.HISTORY, "system": StreamKind.SYSTEM}


def kind_of(query: Mapping[str, str]) -> StreamKind:
    """Return the kind in the query, history without one.

    Raises:
        Invalid: another name.
    """
    name = query.get("kind", "history")
    if name not in _KINDS:
        raise Invalid(f"kind must be history or system, not {name[:40]!r}.")
    return _KINDS[name]
