"""Which columns a project's runs have: the fields, then every key of config and summary, with the types of its values.

Finding the keys reads all configs and summaries, so what was found is remembered, and only runs that changed since are
read again. A key that no run has any more goes when a run is deleted, or with the day.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from common.database.replica.routing import reading_connection
from runs.column_index.changes import changes_since, is_committed, mark_of
from runs.config.flatten import OWN, sdk_part
from runs.config.metric_definitions import MARK, definitions_in
from runs.models import Project, Run
from runs.query.column_names import NamedColumn, spelled
from runs.table.query import visible_runs

CACHED_FOR = timedelta(days=1)
REST = timedelta(seconds=3)
"""For how long nothing is asked at all."""
_MOST_CHANGED, _AT_ONCE = 50_000, 10_000
"""After more changes all runs are read again; so many are read by one query."""

NUMBER, TEXT, BOOLEAN = 1, 2, 4
_TYPES = {NUMBER: "number", TEXT: "text", BOOLEAN: "boolean"}

_DEFINING_RUNS = 20
"""How many of the runs that have changed are asked for the goals of metrics."""

Keys = dict[str, int]
"""Key to the types of its values, as bits."""


@dataclass(slots=True)
class _Known:
    """The keys of a project, and the goals of those of its summaries that have one."""

    config: Keys = field(default_factory=dict)
    summary: Keys = field(default_factory=dict)
    goals: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Remembered:
    """What the cache has: when it was found, the mark of the changes that it knows, and the keys."""

    at: datetime
    mark: int
    keys: _Known


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A column that a table can have.

    ``part`` is field, config or summary; ``type`` number, text, boolean, time, tags or mixed; ``unit`` "s" or "".
    """

    name: str
    label: str
    part: str
    type: str
    unit: str = ""
    goal: str = ""
    """Of a metric: minimize or maximize, as the newest runs defined it, else ""."""


_FIELDS: tuple[tuple[str, str | Promise, str, str], ...] = (
    ("name", _("Name"), "text", ""),
    ("state", _("State"), "text", ""),
    ("notes", _("Notes"), "text", ""),
    ("user", _("User"), "text", ""),
    ("tags", _("Tags"), "tags", ""),
    ("created", _("Created"), "time", ""),
    ("runtime", _("Runtime"), "number", "s"),
    ("duration", _("Duration"), "number", "s"),
    ("group", _("Group"), "text", ""),
    ("job_type", _("Job type"), "text", ""),
    ("sweep", _("Sweep"), "text", ""),
    ("host", _("Host"), "text", ""),
    ("gpu", _("GPU"), "text", ""),
    ("gpu_count", _("GPU count"), "number", ""),
    ("id", _("ID"), "text", ""),
    ("number", _("Number"), "number", ""),
    ("started", _("Started"), "time", ""),
    ("finished", _("Finished"), "time", ""),
    ("synced", _("Synced"), "time", ""),
    ("heartbeat", _("Last signal"), "time", ""),
    ("updated", _("Updated"), "time", ""),
    ("exit_code", _("Exit code"), "number", ""),
    ("commit", _("Git commit"), "text", ""),
    ("logged_by", _("Logged by"), "text", ""),
)


def catalogue_of(project: Project) -> list[ColumnInfo]:
    """Return the columns: fields, config, summary. The caller has the project from a visible query."""
    fields = [ColumnInfo(name, str(label), "field", kind, unit) for name, label, kind, unit in _FIELDS]
    keys = _keys_of(project.pk)
    summary = (
        replace(column, goal=keys.goals.get(column.label, "")) for column in _columns("summary", keys.summary)
    )
    return [*fields, *_columns("config", keys.config), *summary]


def visible_catalogue(actor: Actor, project: Project) -> list[ColumnInfo]:
    """Return the columns for somebody who may see the project, and perhaps not its runs: then only the fields."""
    columns = catalogue_of(project)
    if visible_runs(actor, project).exists():
        return columns
    return [column for column in columns if column.part == "field"]


def label_of(column: NamedColumn) -> str:
    """Return what people call a column: a field's label, or a key without its part."""
    labels = {name: label for name, label, _type, _unit in _FIELDS}
    return str(labels.get(column.name) or (column.column.keys or (column.name,))[0])


def invalidate_catalogue(project_id: int) -> None:
    """Find a project's keys anew when they are next asked for: runs have left it."""
    cache.delete(cache_key(project_id))


def without_media(keys: Collection[str]) -> list[str]:
    """Leave out what logged pictures, tables and the like consist of."""
    media = tuple(key.removesuffix("_type") for key in keys if key.endswith("._type"))
    return [key for key in keys if not key.startswith(media)]


def _columns(part: str, keys: Keys) -> Iterable[ColumnInfo]:
    shown = [key for key in without_media(keys) if not key.startswith(OWN)]
    for key in sorted(shown, key=lambda key: (key.startswith("_"), key.casefold(), key)):
        yield ColumnInfo(spelled(f"{part}.{key}"), key, part, _TYPES.get(keys[key], "mixed"))


def cache_key(project_id: int) -> str:
    """Return under which key of the cache a project's keys are."""
    return f"runs.catalogue:{project_id}"


def _keys_of(project_id: int) -> _Known:
    now = timezone.now()
    remembered: _Remembered | None = cache.get(cache_key(project_id))
    if remembered is not None and now - remembered.at < REST:
        return remembered.keys
    mark = mark_of(project_id)
    changed: list[QuerySet[Run]] | None = None
    if remembered is not None and remembered.mark <= mark:  # else the database is an older one than the cache
        changed = _changed(project_id, remembered.mark)
    if remembered is None or changed is None:
        keys, changed = _Known(), [Run.objects.listed().filter(project_id=project_id)]
    else:
        keys = remembered.keys
    for runs in changed:
        _learn(keys, runs)
    if is_committed():
        cache.set(cache_key(project_id), _Remembered(now, mark, keys), CACHED_FOR.total_seconds())
    return keys


def _learn(keys: _Known, runs: QuerySet[Run]) -> None:
    for found, column in ((keys.config, "config_flat"), (keys.summary, "pulse__summary_flat")):
        for key, bits in _found(runs, column):
            found[key] = found.get(key, 0) | bits
    keys.goals |= _goals_in(runs, keys.summary)


def _goals_in(changed: QuerySet[Run], keys: Iterable[str]) -> dict[str, str]:
    """Return the goals of metrics that the newest of some runs defined."""
    texts = changed.filter(config_text__contains=MARK).order_by("-pk").values_list("config_text", flat=True)
    definitions = [definitions_in(sdk_part(text)) for text in reversed(texts[:_DEFINING_RUNS])]
    return {key: goal for one in definitions for key in keys if (goal := one.goal_of(key))}


def _changed(project_id: int, mark: int) -> list[QuerySet[Run]] | None:
    """Return the runs that changed since, some at a time; None where a run left the list, or very many changed."""
    changes = changes_since(project_id, mark, _MOST_CHANGED)
    if changes is None:
        return None
    listed, ids = Run.objects.listed().filter(project_id=project_id), changes.run_ids
    parts: list[QuerySet[Run]] = [
        listed.filter(pk__in=ids[at : at + _AT_ONCE]) for at in range(0, len(ids), _AT_ONCE)
    ]
    return parts if sum(part.count() for part in parts) == len(ids) else None


_FOUND = {
    "sqlite": (
        "SELECT each.key, each.type FROM runs, json_each(runs.flat) AS each GROUP BY 1, 2",
        {"integer": NUMBER, "real": NUMBER, "array": NUMBER, "text": TEXT, "true": BOOLEAN, "false": BOOLEAN},
    ),
    "postgresql": (
        "SELECT each.key, jsonb_typeof(each.value) FROM runs, jsonb_each(runs.flat) AS each GROUP BY 1, 2",
        {"number": NUMBER, "array": NUMBER, "string": TEXT, "boolean": BOOLEAN},
    ),
}


def _found(runs: QuerySet[Run], column: str) -> Iterable[tuple[str, int]]:
    """Yield keys and types of a flat column: the database takes the texts apart, whose keys are mostly the same."""
    statement, bits = _FOUND[connection.vendor]
    try:
        inner, params = runs.order_by().values_list(column).query.sql_with_params()
    except EmptyResultSet:
        return
    with reading_connection().cursor() as cursor:
        cursor.execute(f"WITH runs(flat) AS ({inner}) {statement}", params)
        rows: list[tuple[str, Any]] = cursor.fetchall()
    for key, kind in rows:
        yield key, bits.get(kind, 0)
