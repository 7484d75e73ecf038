"""The search of every page (UI-1): each app registers what it finds; nothing is found that the actor may not see."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise

MAX_TEXT = 200
LIMIT = 6
"""Hits of each kind."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One line of the answer."""

    title: str
    url: str
    detail: str = ""
    icon: str = ""
    """"" takes that of its kind."""
    state: str = ""
    """Of a run."""


Find = Callable[[Any, str, int], Iterable[Hit]]
"""(actor, text, limit) to hits, best first, with a fixed number of queries; an empty text asks for what is recent."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What one registration finds."""

    label: str | Promise
    icon: str
    rank: int
    find: Find


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of one kind."""

    kind: Kind
    hits: list[Hit]


_kinds: dict[str, Kind] = {}


def register_search(label: str | Promise, *, icon: str, rank: int, find: Find) -> None:
    """Add a kind of hit, shown in order of ``rank``; called in ``AppConfig.ready``."""
    _kinds[f"{find.__module__}.{find.__qualname__}"] = Kind(label, icon, rank, find)


def search(actor: Any, text: str) -> list[Found]:
    """Return what the actor may see of what matches, kinds without a hit left out."""
    query = text.strip()[:MAX_TEXT]
    kinds = sorted(_kinds.values(), key=lambda kind: kind.rank)
    found = [Found(kind, list(kind.find(actor, query, LIMIT))) for kind in kinds]
    return [part for part in found if part.hits]
