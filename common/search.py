"""The search of every page (UI-1): each app registers what it finds; nothing is found that the actor may not see."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

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
    """Of a run, with its word."""
    state_label: str = ""
    act: str = ""
    """What a script does instead of following the address, which leads to where it can be done without one."""


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


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a person can begin from anywhere."""

    label: str | Promise
    icon: str
    address: Callable[[Any], str]
    """Of an actor."""
    words: str | Promise = ""
    """Others by which it is found."""
    act: str = ""
    """As of a hit."""


_kinds: dict[str, Kind] = {}
_actions: list[Action] = []
_ACTIONS = Kind(_("Actions"), "zap", 35, lambda actor, text, limit: _matching_actions(actor, text)[:limit])


def register_search(label: str | Promise, *, icon: str, rank: int, find: Find) -> None:
    """Add a kind of hit, shown in order of ``rank``; called in ``AppConfig.ready``."""
    _kinds[f"{find.__module__}.{find.__qualname__}"] = Kind(label, icon, rank, find)


def register_actions(*actions: Action) -> None:
    """Offer what signed-in people can begin; called in ``AppConfig.ready``."""
    _actions.extend(actions)


def _matching_actions(actor: Any, text: str) -> list[Hit]:
    """Return the actions that have every word; all of them for no text."""
    words = text.lower().split()
    return [
        Hit(str(action.label), action.address(actor), icon=action.icon, act=action.act)
        for action in _actions
        if actor.user_id is not None
        and all(word in f"{action.label} {action.words}".lower() for word in words)
    ]


def search(actor: Any, text: str) -> list[Found]:
    """Return what the actor may see of what matches, kinds without a hit left out."""
    query = text.strip()[:MAX_TEXT]
    kinds = sorted([*_kinds.values(), _ACTIONS], key=lambda kind: kind.rank)
    found = [Found(kind, list(kind.find(actor, query, LIMIT))) for kind in kinds]
    return [part for part in found if part.hits]
