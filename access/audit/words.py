"""Plain words for what the audit log holds: its actions, and the kinds of things they were done to.

Apps register theirs in ``AppConfig.ready``. An action without words is shown by its name, and fails the test suite.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.utils.functional import Promise

from access.actor import Actor
from access.engine import visible
from access.models import AuditEntry
from common.formats.numbers import parse_int

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Group:
    """Actions that belong together, in a list to choose from."""

    label: Text
    actions: dict[str, Text] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kind:
    """How rows that entries speak of are linked."""

    view: str
    """The action without which the row is not linked."""
    url: Callable[[Any], str]
    related: tuple[str, ...] = ()
    """What ``url`` reads from other tables."""


_groups: dict[str, Group] = {}
_words: dict[str, Text] = {}
_kinds: dict[str, Kind] = {}
_labels: dict[str, Text] = {}


def register_words(key: str, label: Text, actions: Mapping[Any, Text]) -> None:
    """Say in words what actions were; each is a sentence without its subject: "Stopped a run".

    Args:
        key: Names the group in addresses.
        label: What pages call the group.
        actions: The name that is recorded, to its words.
    """
    group = _groups.setdefault(key, Group(label))
    for action, words in actions.items():
        group.actions[str(action)] = _words[str(action)] = words


def register_kind(model: str, label: Text, kind: Kind | None = None) -> None:
    """Name a kind of thing by its model's label; with a `Kind` its rows are linked."""
    _labels[model] = label
    if kind is not None:
        _kinds[model] = kind


def groups() -> dict[str, Group]:
    """Return every group of actions."""
    return _groups


def words_of(action: str) -> Text:
    """Return the words for an action, its name where nobody registered any."""
    return _words.get(action, action)


def words_to_choose() -> dict[str, Text]:
    """Return the words of all actions, and of groups by ``key.*``."""
    return {f"{key}.*": group.label for key, group in _groups.items()} | _words


def kinds() -> dict[str, Text]:
    """Return the name of every kind of thing, by its model's label."""
    return _labels


def kind_of(model: str) -> Text:
    """Return the name of a kind of thing, its model's where nobody registered any."""
    return _labels.get(model, model.rpartition(".")[2])


def links_of(actor: Actor, entries: Iterable[AuditEntry]) -> dict[tuple[str, str], str]:
    """Return the addresses of the things that still exist and that the actor may see; one query for each kind."""
    keys: dict[str, set[int]] = {}
    for entry in entries:
        if entry.object_type in _kinds and (pk := parse_int(entry.object_id)) is not None:
            keys.setdefault(entry.object_type, set()).add(pk)
    found = {}
    for label, pks in keys.items():
        kind, model = _kinds[label], apps.get_model(label)
        rows = model._default_manager.filter(pk__in=pks).select_related(*kind.related)
        for row in visible(actor, kind.view, rows):
            found[label, str(row.pk)] = kind.url(row)
    return found
