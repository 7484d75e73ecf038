"""The names by which clients call a run's columns, in both spellings of the SDK (protocol 3.1)."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from django.db.models import Expression, F, TextField, Value
from django.db.models.functions import Coalesce, NullIf

from common.errors import Invalid
from runs.config.flatten import GPU, GPU_COUNT
from runs.query import durations
from runs.query.flat import FlatPresence


class ColumnKind(Enum):
    """How a column is compared."""

    TEXT = auto()
    TIME = auto()
    NUMBER = auto()
    SPAN = auto()
    """Seconds that are computed when asked for."""
    TAGS = auto()
    FLAT = auto()
    """A key of config or summary; the value's own type decides."""
    PRESENCE = auto()
    """Whether such a key, or one inside of it, has a value; nobody names it, conditions make it of a flat column."""
    ABSENT = auto()
    """Known to clients, never set here."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column."""

    kind: ColumnKind
    field: str = ""
    keys: tuple[str, ...] = ()
    """Of a flat column: the keys to try, in order."""
    masked: str = ""
    """Of a column that may hold secrets: the field with its text where those are masked."""

    @property
    def expression(self) -> F | Expression:
        """The value of any column but a flat one, as everybody may know it."""
        if self.masked:
            return Coalesce(NullIf(self.masked, Value("", output_field=TextField())), self.field)
        return self.exact

    @property
    def exact(self) -> F | Expression:
        """The same as it was written."""
        if self.kind is ColumnKind.PRESENCE:
            return FlatPresence(self.field, self.keys)
        return _SPANS[self.field]() if self.kind is ColumnKind.SPAN else F(self.field)


_SPANS = {"runtime": durations.runtime, "duration": durations.duration}

_OWN_RUNTIME = "_wandb.runtime"
"""The SDK's own key of a summary, which is not kept flat: for how long the run has been running."""
_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")

_FIELDS = {
    "name": Column(ColumnKind.TEXT, "uid"),
    "id": Column(ColumnKind.TEXT, "uid"),
    "display_name": Column(ColumnKind.TEXT, "display_name"),
    "state": Column(ColumnKind.TEXT, "state"),
    "group": Column(ColumnKind.TEXT, "group"),
    "job_type": Column(ColumnKind.TEXT, "job_type"),
    "host": Column(ColumnKind.TEXT, "host"),
    "username": Column(ColumnKind.TEXT, "user__username"),
    "user": Column(ColumnKind.TEXT, "user__username"),
    "logged_by": Column(ColumnKind.TEXT, "logged_by__username"),
    "entity": Column(ColumnKind.TEXT, "project__team__name"),
    "project": Column(ColumnKind.TEXT, "project__name"),
    "notes": Column(ColumnKind.TEXT, "notes", masked="masked_notes"),
    "description": Column(ColumnKind.TEXT, "description", masked="masked_description"),
    "commit": Column(ColumnKind.TEXT, "git_commit"),
    "created_at": Column(ColumnKind.TIME, "created_at"),
    "updated_at": Column(ColumnKind.TIME, "updated_at"),
    "started_at": Column(ColumnKind.TIME, "started_at"),
    "synced_at": Column(ColumnKind.TIME, "synced_at"),
    "finished_at": Column(ColumnKind.TIME, "finished_at"),
    "heartbeat_at": Column(ColumnKind.TIME, "pulse__heartbeat_at"),
    "exit_code": Column(ColumnKind.NUMBER, "exit_code"),
    "project_id": Column(ColumnKind.NUMBER, "project_id"),
    "number": Column(ColumnKind.NUMBER, "number"),
    "runtime": Column(ColumnKind.SPAN, "runtime"),
    "duration": Column(ColumnKind.SPAN, "duration"),
    "tags": Column(ColumnKind.TAGS, "tags"),
    "gpu": Column(ColumnKind.FLAT, "config_flat", (GPU,)),
    "gpu_count": Column(ColumnKind.FLAT, "config_flat", (GPU_COUNT,)),
    "sweep": Column(ColumnKind.TEXT, "sweep"),
}

_FLAT = {"config": "config_flat", "summary_metrics": "pulse__summary_flat", "summary": "pulse__summary_flat"}


def _config_keys(key: str) -> tuple[str, ...]:
    """Return the flat keys a name may mean: SDKs write ``config.a.value.b`` for the wrapped form of ``a.b``."""
    plain = re.sub(r"\.value(?=\.|$)", "", key, count=1)
    return (key,) if plain in {key, ""} else (key, plain)


_PROJECT_FIELDS = {
    "name": Column(ColumnKind.TEXT, "name"),
    "entity": Column(ColumnKind.TEXT, "team__name"),
    "description": Column(ColumnKind.TEXT, "description"),
    "username": Column(ColumnKind.TEXT, "created_by__username"),
    "created_at": Column(ColumnKind.TIME, "created_at"),
    "updated_at": Column(ColumnKind.TIME, "updated_at"),
    "last_active_at": Column(ColumnKind.TIME, "last_active_at"),
}


def project_column_named(name: str) -> Column:
    """Return the column of projects that a client means.

    Raises:
        Invalid: there is none of this name.
    """
    column = _PROJECT_FIELDS.get(_CAMEL.sub(r"_\1", name).lower())
    if column is None:
        raise Invalid(f"Projects have no column “{name}”. Available: {', '.join(sorted(_PROJECT_FIELDS))}.")
    return column


def column_named(name: str) -> Column:
    """Return the column of runs that a client means.

    Raises:
        Invalid: there is none of this name.
    """
    root, dot, key = name.partition(".")
    root = _CAMEL.sub(r"_\1", root).lower()
    if root in _FLAT and key == _OWN_RUNTIME and root != "config":
        return _FIELDS["duration"]
    if root in _FLAT and dot and key:
        return Column(ColumnKind.FLAT, _FLAT[root], _config_keys(key) if root == "config" else (key,))
    if root == "keys_info" and key.startswith("keys.") and len(key) > len("keys."):
        return Column(ColumnKind.FLAT, "pulse__summary_flat", (key.removeprefix("keys."),))
    column = _FIELDS.get(root) if not dot else None
    if column is None:
        known = ", ".join(sorted(_FIELDS))
        raise Invalid(f"Unknown column “{name}”. Available: {known}, config.<key> and summary_metrics.<key>.")
    return column
