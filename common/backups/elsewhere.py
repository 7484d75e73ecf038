"""What a backup does not hold because it lies elsewhere: the app that keeps it there says where, and how much it is."""

from collections.abc import Callable
from typing import Any

_sources: list[Callable[[], list[dict[str, Any]]]] = []


def register_elsewhere(source: Callable[[], list[dict[str, Any]]]) -> None:
    """Add what counts an app's data in other places; called once in its ``AppConfig.ready``."""
    _sources.append(source)


def data_elsewhere() -> list[dict[str, Any]]:
    """Return ``{"where", "files", "bytes"}`` of each place."""
    return [place for source in _sources for place in source()]
