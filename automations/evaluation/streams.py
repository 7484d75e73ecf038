"""Which rows of which runs automations have yet to look at, and the rows themselves where they are not in memory."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np
from django.db.models import F, Max, OuterRef, Q, Subquery
from django.utils import timezone

from automations.conditions.metrics import Values
from automations.evaluation.rules import Rules, metric_automations
from automations.evaluation.windows import Windows
from automations.models import Automation, MetricCursor
from metrics.models import Stream, StreamKind
from metrics.store import row_blocks
from metrics.store.batches import cut
from metrics.store.codec import Batch
from runs.models import Project, Pulse, Run
from runs.states import ACTIVE, RunState

NO_STREAM = 0
"""Stands for the stream in cursors of runs that have none yet."""
RECENTLY = timedelta(hours=1)
"""So long before the last sign of any run a run may have written without a cursor."""
LOOK_BACK = 1024
"""Rows of what is stored in which the values of a window are looked for, and eight for each value it has."""


@dataclass(slots=True)
class WatchedStream:
    """A stream of a run that is watched, and how far."""

    stream: int
    run_id: int
    kind: int
    project_id: int
    rules: Rules
    row: int
    """The first row that was not looked at."""
    windows: Windows | None = None
    """None: to be filled from what is stored."""
    quiet_until: Values = field(default_factory=lambda: np.zeros(0))
    """Of each rule, while its automation has acted for the run, or does not ask for it; unix seconds."""

    def __post_init__(self) -> None:
        """Ask everything."""
        self.quiet_until = np.zeros(len(self.rules.rules))

    def follow(self, rules: Rules) -> None:
        """Take over other automations."""
        if rules is not self.rules:
            self.rules, self.windows, self.quiet_until = rules, None, np.zeros(len(rules.rules))

    @property
    def is_unfilled(self) -> bool:
        """Whether windows want values that came before."""
        return self.windows is None and self.rules.need > 1 and self.row > 0

    @property
    def filled(self) -> Windows:
        """The values that are looked back at; nothing when nothing was kept."""
        if self.windows is None:
            self.windows = Windows(self.rules)
        return self.windows


@dataclass(frozen=True, slots=True)
class Rows:
    """Consecutive rows of a stream that was written to; without a batch, they are to be read from the store."""

    stream: int
    run_id: int
    kind: int
    row0: int
    batch: Batch | None


def projects_of(run_ids: Collection[int]) -> dict[int, int]:
    """Return the project of each run that is there."""
    return dict(Run.objects.live().filter(pk__in=run_ids).values_list("pk", "project_id"))


def first_rows(fresh: Mapping[int, Rows], rules_of: Mapping[int, Rules]) -> dict[int, int]:
    """Return, of streams that are seen for the first time, where to begin; two statements.

    Where another process stopped; else at the first row of a run that is younger than its project's automations, which
    has always been watched; else at what has just come. The history that a fork begins with is its parent's.

    Args:
        fresh: The first rows of each, by stream.
        rules_of: What is watched, by run.
    """
    run_ids = {rows.run_id for rows in fresh.values()}
    cursors = {
        (cursor.run_id, cursor.kind): cursor for cursor in MetricCursor.objects.filter(run__in=run_ids)
    }
    runs = Run.objects.only("pk", "created_at", "synced_at", "forked_from_id").in_bulk(run_ids)
    found = {}
    for stream, rows in fresh.items():
        since, run = rules_of[rows.run_id].since, runs[rows.run_id]
        cursor = cursors.get((rows.run_id, rows.kind))
        if cursor is not None and cursor.at >= since and cursor.stream in {stream, NO_STREAM}:
            found[stream] = cursor.row
        elif run.forked_from_id is None and run.arrived_at >= since:
            found[stream] = 0
        else:
            found[stream] = rows.row0
    return found


def read(
    watched: Sequence[WatchedStream], behind: Collection[int]
) -> Iterator[tuple[WatchedStream, int, Batch]]:
    """Yield (stream, first row, batch) of what is stored of streams, in the order of their rows.

    From a little before the row that each is at, where its windows are empty; of those ``behind`` (their ids) up to
    the last row, of others up to that row. A batch lies before the row or after it, never across.
    """
    for kind in StreamKind.HISTORY, StreamKind.SYSTEM:
        of_kind = [one for one in watched if one.kind == kind]
        rows = Stream.objects.filter(run__in={one.run_id for one in of_kind}, kind=kind)
        own = dict(rows.values_list("run_id", "pk"))
        some = {one.run_id: one for one in of_kind if own.get(one.run_id) == one.stream}  # not rewound since
        since = {run_id: max(0, one.row - _look_back(one)) for run_id, one in some.items()}
        for run_id, blocks in row_blocks.blocks_of(some, kind, since=since):
            one = some[run_id]
            names = one.rules.shown_names() | {"_step"}
            until = None if one.stream in behind else one.row
            for block in blocks:
                yield from _cut(one, block.row0, block.batch(names), until)


def _look_back(one: WatchedStream) -> int:
    if one.windows is not None or one.rules.need <= 1:
        return 0
    return max(LOOK_BACK, 8 * one.rules.need)


def _cut(
    one: WatchedStream, row0: int, batch: Batch, until: int | None
) -> Iterator[tuple[WatchedStream, int, Batch]]:
    end = row0 + batch.row_count if until is None else min(until, row0 + batch.row_count)
    at = min(max(one.row, row0), end)
    for start, stop in (row0, at), (at, end):
        if start < stop:
            yield one, start, cut(batch, start - row0, stop - row0)


def unread_streams() -> Iterator[list[Rows]]:
    """Yield streams that may have rows which no process has looked at, some at a time; for the start of a process.

    Those whose cursor is behind, and those that had no cursor yet when what wrote them ended.
    """
    latest = Pulse.objects.aggregate(at=Max("heartbeat_at"))["at"]
    if latest is None:
        return
    cursors = MetricCursor.objects.filter(run=OuterRef("run"), kind=OuterRef("kind"))
    own = Q(seen_of=F("pk")) | Q(seen_of=NO_STREAM)
    unseen = Q(seen__isnull=True, run__pulse__heartbeat_at__gte=latest - RECENTLY)
    rows = Stream.objects.annotate(
        seen=Subquery(cursors.values("row")[:1]), seen_of=Subquery(cursors.values("stream")[:1])
    ).filter(unseen | (own & Q(next_row__gt=F("seen"))))
    after = 0
    while some := list(rows.filter(pk__gt=after).order_by("pk")[:50]):
        yield [Rows(one.pk, one.run_id, one.kind, one.next_row, None) for one in some]
        after = some[-1].pk


def store_cursors(watched: Iterable[WatchedStream]) -> None:
    """Write how far streams were looked at."""
    now = timezone.now()
    rows = [
        MetricCursor(run_id=one.run_id, kind=one.kind, stream=one.stream, row=one.row, at=now)
        for one in sorted(watched, key=lambda one: (one.run_id, one.kind))
    ]
    _write_cursors(rows)


def _write_cursors(rows: Sequence[MetricCursor]) -> None:
    there = set(Run.objects.filter(pk__in={row.run_id for row in rows}).values_list("pk", flat=True))
    MetricCursor.objects.bulk_create(
        [row for row in rows if row.run_id in there],
        update_conflicts=True,
        unique_fields=["run", "kind"],
        update_fields=["stream", "row", "at"],
        batch_size=200,
    )


def start_watching(automation: Automation) -> None:
    """Note where the runs under way are, so that what they log from now on is looked at whatever happens.

    Not where other automations watch already: their processes know how far they are. Part of the transaction that
    makes an automation, or turns it on.
    """
    scope = Q(pk=automation.project_id) if automation.project_id else Q(team=automation.team_id)
    projects = list(Project.objects.live().filter(scope).only("pk", "team_id"))
    watched = metric_automations(projects)
    fresh = [pk for pk, others in watched.items() if all(other.pk == automation.pk for other in others)]
    runs = Run.objects.live().filter(project__in=fresh, state__in=sorted(ACTIVE | {RunState.PENDING}))
    streams = Stream.objects.filter(run__in=runs)
    cursors = {(run_id, kind): (pk, row) for pk, run_id, kind, row in
             streams.values_list("pk", "run_id", "kind", "next_row")}  # fmt: skip
    now, rows = timezone.now(), []
    for run_id in runs.values_list("pk", flat=True):
        for kind in StreamKind.HISTORY, StreamKind.SYSTEM:
            stream, row = cursors.get((run_id, kind), (NO_STREAM, 0))
            rows.append(MetricCursor(run_id=run_id, kind=kind, stream=stream, row=row, at=now))
    _write_cursors(rows)
