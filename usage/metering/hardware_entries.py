"""Enters what runs' samples came to in the ledger of hardware, each row of samples once.

Runs share a transaction: one for each, with all it asks, took 2.3 ms of processor a run, every five minutes. One that
claims GPUs by UUID has its own, since claims take 3 ms, and for a hundred runs nobody else could write for as long.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from django.db import transaction
from django.db.models import OuterRef, Subquery

from metrics.models import Stream, StreamKind
from runs.models import Run
from usage.metering.gpu_claims import ClaimWriter, key_of
from usage.metering.gpu_use import GpuUse
from usage.models import HardwareUse

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Piece:
    """What the samples from one row up to another of a run came to."""

    run_id: int
    row_from: int
    row_to: int
    used: GpuUse


def enter(pieces: Sequence[Piece]) -> None:
    """Write pieces down, in order; what fails is measured again later."""
    for claims, some in groupby(pieces, lambda piece: bool(piece.used.seen)):
        if claims:
            for piece in some:
                _enter_or_log([piece])
        else:
            _enter_or_log(list(some))


def _enter_or_log(pieces: Sequence[Piece]) -> None:
    """Write pieces down together or, where that fails, each by itself."""
    try:
        changed = _enter(pieces)
    except Exception:
        if len(pieces) > 1:
            for piece in pieces:
                _enter_or_log([piece])
        else:
            logger.exception("the GPUs of run %s could not be measured", pieces[0].run_id)
        return
    for run_id in sorted(changed):
        logger.info("the rows of run %s changed while they were measured; the next round looks again", run_id)


@transaction.atomic
def _enter(pieces: Sequence[Piece]) -> set[int]:
    """Write pieces; return the runs whose rows were measured by somebody else, or are no longer theirs."""
    entries = _Entries({piece.run_id for piece in pieces})
    changed = {piece.run_id for piece in pieces if not entries.enter(piece)}
    entries.write()
    return changed


class _Entries:
    """The rows of one transaction, which locks the runs."""

    def __init__(self, run_ids: Collection[int]) -> None:
        runs = Run.objects.locked().filter(pk__in=run_ids, purged_at__isnull=True)
        self._runs = {run.pk: run for run in runs.select_related("project__team")}
        streams = Stream.objects.filter(run_id__in=run_ids, kind=StreamKind.SYSTEM)
        self._next_rows = dict(streams.values_list("run_id", "next_row"))
        self._last = {row.run_id: row for row in _last_rows(run_ids)}
        self._new: list[HardwareUse] = []
        self._longer: dict[int, HardwareUse] = {}

    def enter(self, piece: Piece) -> bool:
        """Add the rows of a piece, unless it does not begin where the last one of its run ended."""
        run, last = self._runs.get(piece.run_id), self._last.get(piece.run_id)
        is_next = piece.row_from == (last.row_to if last else 0)
        if run is None or not is_next or self._next_rows.get(piece.run_id, 0) < piece.row_to:
            return False
        rows = self._rows(run, piece)
        if rows or last is None or last.gpu_s or last.energy_j:
            rows = rows or [self._row(run, piece, is_counted=True)]
            self._new += rows
            self._last[run.pk] = rows[-1]
        else:  # a run without GPUs has one row in all
            last.row_to = piece.row_to
            if last.pk is not None:
                self._longer[last.pk] = last
        return True

    def _rows(self, run: Run, piece: Piece) -> list[HardwareUse]:
        used = piece.used
        if used.seen:
            seen = {key_of(run.project.team, uuid): one for uuid, one in used.seen.items()}
            ClaimWriter(run, used.gpu_s, used.energy_j).claim(seen)
        return [
            self._row(run, piece, day=day, gpu_s=round(used.gpu_s[day]), energy_j=round(used.energy_j[day]))
            for day in used.days()
        ]

    @staticmethod
    def _row(run: Run, piece: Piece, **more: object) -> HardwareUse:
        of = {
            "team_id": run.project.team_id, "project_id": run.project_id, "user_id": run.user_id, "run_id": run.pk,
            "is_host": run.is_host, "day": datetime.now(UTC).date(),
        }  # fmt: skip
        return HardwareUse(**of | more, row_from=piece.row_from, row_to=piece.row_to)

    def write(self) -> None:
        """Write what was added."""
        HardwareUse.objects.bulk_create(self._new)
        HardwareUse.objects.bulk_update(self._longer.values(), ["row_to"])


def _last_rows(run_ids: Collection[int]) -> list[HardwareUse]:
    """Return each run's last row. Asked after the lock: a row that another entered meanwhile is seen."""
    rows = HardwareUse.objects.filter(run_id=OuterRef("pk")).order_by("-row_from", "-day")
    last = Run.objects.filter(pk__in=run_ids).order_by().values(last=Subquery(rows.values("pk")[:1]))
    return list(HardwareUse.objects.filter(pk__in=last))
