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
from runs.config.flatten import OWN, sdk_part
from runs.config.metric_definitions import MARK, definitions_in
from runs.models import Project, Run
from runs.query.column_names import NamedColumn, spelled
from runs.table.query import visible_runs

CACHED_FOR = timedelta(days=1)
REST = timedelta(seconds=3)
"""For how long nothing is asked at all."""
_LATE = timedelta(seconds=60)
"""How long after its time a change may be committed."""

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
    return f"runs.columns:{project_id}"


def _keys_of(project_id: int) -> _Known:
    now = timezone.now()
    known: tuple[datetime, _Known] | None = cache.get(cache_key(project_id))
    if known is not None and now - known[0] < REST:
        return known[1]
    since = known[0] - _LATE if known is not None else None
    if since is None or _lost_runs(project_id, since):
        keys = _Known()
        changed: QuerySet[Run] = Run.objects.listed().filter(project_id=project_id)
    else:
        keys = known[1] if known is not None else _Known()
        changed = _changed(project_id, since)
    for found, column in ((keys.config, "config_flat"), (keys.summary, "pulse__summary_flat")):
        for key, bits in _found(changed, column):
            found[key] = found.get(key, 0) | bits
    keys.goals |= _goals_in(changed, keys.summary)
    cache.set(cache_key(project_id), (now, keys), CACHED_FOR.total_seconds())
    return keys


def _goals_in(changed: QuerySet[Run], keys: Iterable[str]) -> dict[str, str]:
    """Return the goals of metrics that the newest of some runs defined."""
    texts = changed.filter(config_text__contains=MARK).order_by("-pk").values_list("config_text", flat=True)
    definitions = [definitions_in(sdk_part(text)) for text in reversed(texts[:_DEFINING_RUNS])]
    return {key: goal for one in definitions for key in keys if (goal := one.goal_of(key))}


def _changed(project_id: int, since: datetime) -> QuerySet[Run]:
    """Return the runs that changed or gave a sign of life since; found one by one, as one condition uses no index."""
    runs = Run.objects.listed().filter(project_id=project_id)
    ids = {*runs.filter(updated_at__gte=since).values_list("pk", flat=True)}
    ids |= {*runs.filter(pulse__heartbeat_at__gte=since).values_list("pk", flat=True)}
    return runs.filter(pk__in=ids)


def _lost_runs(project_id: int, since: datetime) -> bool:
    return Run.objects.filter(project_id=project_id, deleted_at__gte=since, purged_at__isnull=True).exists()


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
    with connection.cursor() as cursor:
        cursor.execute(f"WITH runs(flat) AS ({inner}) {statement}", params)
        rows: list[tuple[str, Any]] = cursor.fetchall()
    for key, kind in rows:
        yield key, bits.get(kind, 0)
