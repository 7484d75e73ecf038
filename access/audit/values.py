"""Plain words for what entries of the audit log keep: what pages call a field, and what they say for its values.

Apps register theirs in ``AppConfig.ready``, beside their `access.audit.words`: for an action, for a kind of thing, or
for every entry. What is kept stays as it is: exports, REST and log collectors read that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.translation import gettext

from access.actions import all_actions
from access.models import AuditEntry
from common.templatetags.runyard import exact_time, filesize_binary

Text = str | Promise
Choices = Mapping[Any, Text] | Callable[[], Mapping[Any, Text]]
Show = Callable[[Any, Mapping[str, Any]], str]

EMPTY = "–"
_MOST_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Field:
    """How pages show one thing that entries tell."""

    label: Text
    choices: Choices = field(default_factory=dict)
    """The words for codes; a function where they are in the database, which is called once for a page."""
    show: Show | None = None
    """Says a value, also an empty one; it is given all that was told with it."""


_fields: dict[tuple[str, str], Field] = {}


def register_fields(fields: Mapping[str, Field | Text], scope: str = "") -> None:
    """Name what entries tell.

    Args:
        fields: The name that is kept, to how it is shown; a label alone shows values by their type.
        scope: An action or the label of a model whose entries alone these are, "" for all entries. The first wins.
    """
    for name, given in fields.items():
        _fields[scope, name] = given if isinstance(given, Field) else Field(given)


def field_of(entry: AuditEntry, name: str) -> Field | None:
    """Return how something that an entry tells is shown; None where nobody registered it."""
    scopes = (entry.action, entry.object_type, "")
    return next((_fields[scope, name] for scope in scopes if (scope, name) in _fields), None)


def _how_of(entry: AuditEntry, name: str) -> Field:
    return field_of(entry, name) or Field(name.replace("_", " "))


# Ways to show values


def show_time(value: Any, _values: Mapping[str, Any] | None = None) -> str:
    """Show a time that is kept as ISO 8601 in the reader's language and zone."""
    return exact_time(datetime.fromisoformat(value)) if value else EMPTY


def show_day(value: Any, _values: Mapping[str, Any] | None = None) -> str:
    """Show a day that is kept as ISO 8601, maybe with a time, in the reader's language."""
    return date_format(date.fromisoformat(value[:10]), "DATE_FORMAT") if value else EMPTY


def show_size(value: Any, _values: Mapping[str, Any] | None = None) -> str:
    """Show a number of bytes."""
    return EMPTY if value is None else filesize_binary(value)


def action_labels() -> dict[str, Text]:
    """Return what pages call the actions that roles and API keys consist of."""
    return {action: spec.label or action for action, spec in all_actions()}


# Reading


@dataclass(frozen=True, slots=True)
class Change:
    """One value that an act found and left; None where it told only the other."""

    name: str
    before: str | None
    after: str | None
    is_changed: bool
    """Whether the act changed it; else it says about whom or what the act was."""


class Values:
    """Shows what entries tell; words that are in the database are read once, however many entries there are."""

    def __init__(self) -> None:
        self._read: dict[Choices, Mapping[Any, Text]] = {}

    def changes_of(self, entry: AuditEntry) -> list[Change]:
        """Return what an act found and left, in the order in which it was told."""
        names = dict.fromkeys([*entry.before, *entry.after])
        changes = [self._change(entry, name) for name in names]
        return [change for change in changes if {change.before, change.after} - {None, EMPTY}]

    def _change(self, entry: AuditEntry, name: str) -> Change:
        how = _how_of(entry, name)
        sides = (entry.before, entry.after)
        before, after = (
            self._shown(entry, how, values[name], values) if name in values else None for values in sides
        )
        return Change(str(how.label), before, after, entry.before.get(name) != entry.after.get(name))

    def _shown(self, entry: AuditEntry, how: Field, value: Any, values: Mapping[str, Any]) -> str:
        if how.show is not None:
            return how.show(value, values)
        text = self._plain(entry, how, value)
        return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"

    def _plain(self, entry: AuditEntry, how: Field, value: Any) -> str:
        if isinstance(value, list):
            return ", ".join(self._plain(entry, how, one) for one in value) or EMPTY
        if isinstance(value, dict):
            return ", ".join(self._part(entry, name, one, value) for name, one in value.items()) or EMPTY
        if isinstance(value, bool):
            return gettext("Yes") if value else gettext("No")
        words = self._choices(how.choices).get(value)
        if words is not None:
            return str(words)
        if isinstance(value, int | float):
            return number_format(value, force_grouping=True)
        return EMPTY if value is None or value == "" else str(value)

    def _part(self, entry: AuditEntry, name: str, value: Any, values: Mapping[str, Any]) -> str:
        how = _how_of(entry, name)
        return f"{how.label}: {self._shown(entry, how, value, values)}"

    def _choices(self, choices: Choices) -> Mapping[Any, Text]:
        if not callable(choices):
            return choices
        if choices not in self._read:
            self._read[choices] = choices()
        return self._read[choices]
