"""GPU time and energy, from the samples that runs sent.

A sample holds until the next one of the same GPU, for SAMPLE_S at most: a GPU was in use for that long, and drew that
power. The last sample holds for nothing until another comes. So what a row adds depends only on the rows before it, and
a run's rows may be measured in any pieces; rows of `HardwareUse` say which, and the next piece begins where the last
ended. A GPU whose UUID is known counts once among all runs, by `usage.metering.gpu_claims`. Any other is told by its
number and the label of its node; what several processes sample of it without labels counts as one GPU. Only GPUs that
the table of hardware knows count; parts of one (MIG) count as the GPU.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from itertools import chain

import numpy as np
from django.core.cache import cache
from django.db.models import BigIntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from common.errors import Unavailable
from metrics.hardware import system_metrics
from metrics.models import Stream, StreamKind
from metrics.store import row_blocks
from metrics.store.codec import Floats, Rows
from metrics.store.columns import Column
from metrics.store.reads import X_OF
from metrics.store.row_blocks import Block
from runs.models import Run
from usage.metering.gpu_use import GpuUse, Samples
from usage.metering.hardware_entries import Piece, enter
from usage.metering.run_gpus import Cards, Gpu, cards_of
from usage.models import GpuClaim, HardwareShift, HardwareUse
from usage.units import DAY_S

logger = logging.getLogger(__name__)

MAX_WATTS = 100_000.0
"""What is above is no power of a GPU but a broken sensor's word."""
_OF_PROCESS = "GPU of the process"
"""The group of hardware.json's metrics of GPUs that a watched process uses."""
POWER = "gpu.{gpu}.powerWatts"
_ROWS_AT_ONCE = 65_536
_RUNS_AT_ONCE = 100
_LOOK_BACK_ROWS, _FURTHER_BACK_ROWS = 64, 8192
"""Where the sample before the first new one is found nearly always, and otherwise."""
_AT = X_OF[StreamKind.SYSTEM]
_LOOKED_AT, _LOOKED_AT_ALL = "billing.hardware.looked_at", "billing.hardware.looked_at_all"
"""In the cache: since when only runs with later heartbeats are looked at. Who loses it looks at all of them."""
_MARGIN = timedelta(minutes=10)


# -- reading ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16_384)
def _gpu_of(key: str) -> tuple[Gpu, bool] | None:
    """Return which GPU a system metric is of, and whether it is its power; None for anything else."""
    found = system_metrics.match_tag(key)
    places = dict(found.places)
    if not found.is_known or found.metric.group != "GPU" or places.keys() != {"gpu"}:
        return None
    return (found.label, places["gpu"]), found.metric.tag == POWER


@lru_cache(maxsize=16_384)
def _gpu_of_process(key: str) -> Gpu | None:
    """Return which GPU a process of the run is on, where a system metric says so."""
    found = system_metrics.match_tag(key)
    places = dict(found.places)
    return (found.label, places["gpu"]) if found.metric.group == _OF_PROCESS and "gpu" in places else None


def _is_read(key: str) -> bool:
    return key == _AT or _gpu_of(key) is not None or _gpu_of_process(key) is not None


def _column(pieces: Sequence[tuple[Rows, Floats]]) -> Column:
    rows = np.concatenate([rows for rows, _ in pieces])
    order = np.argsort(rows, kind="stable")  # groups of one batch take turns
    return Column(rows[order], np.concatenate([values for _, values in pieces])[order])


def _read(parts: Sequence[Block]) -> tuple[dict[Gpu, Samples], dict[Gpu, Samples]]:
    """Return when GPUs were sampled, and the samples of their power."""
    at: list[tuple[Rows, Floats]] = []
    seen: dict[Gpu, list[Rows]] = defaultdict(list)
    of_process: dict[Gpu, list[Rows]] = defaultdict(list)
    watts: dict[Gpu, list[tuple[Rows, Floats]]] = defaultdict(list)
    for key, rows, values in chain.from_iterable(part.numbers(_is_read) for part in parts):
        if key == _AT:
            at.append((rows, values))
            continue
        if (process_gpu := _gpu_of_process(key)) is not None:
            of_process[process_gpu].append(rows)
            continue
        one = _gpu_of(key)
        assert one is not None  # noqa: S101 - nothing else is read
        gpu, is_power = one
        if not seen[gpu] or seen[gpu][-1] is not rows:  # keys of one group have the same rows
            seen[gpu].append(rows)
        if is_power:
            watts[gpu].append((rows, values))
    if not at:
        return {}, {}
    times = _column(at)
    sampled = {gpu: np.unique(np.concatenate(pieces)) for gpu, pieces in seen.items()}
    powers = {gpu: _column(pieces) for gpu, pieces in watts.items()}
    nobody = np.array([], dtype=np.int64)

    def samples(gpu: Gpu, rows: Rows, values: Floats) -> Samples:
        has_process = np.isin(rows, np.concatenate([nobody, *of_process[gpu]]))
        return _valid(Samples(rows, times.at(rows), values, has_process))

    return (
        {gpu: samples(gpu, rows, np.ones(rows.size)) for gpu, rows in sampled.items()},
        {gpu: samples(gpu, one.rows, one.values) for gpu, one in powers.items()},
    )


def _valid(samples: Samples) -> Samples:
    """Leave out samples without a time or of no possible power."""
    latest = (timezone.now() + timedelta(days=1)).timestamp()
    with np.errstate(invalid="ignore"):
        timed = (samples.at > 0) & (samples.at < latest)
        return samples.where(timed & (samples.watts >= 0) & (samples.watts <= MAX_WATTS))


class _Reader:
    """Goes through a run's samples in order and remembers each GPU's last."""

    def __init__(self, run_id: int, parts: Sequence[Block], row_from: int, cards: Cards) -> None:
        self.run_id, self.parts, self.row_from, self.cards = run_id, parts, row_from, cards
        self.begin = parts[0].row0 if parts else row_from
        self._last: tuple[dict[Gpu, Samples], dict[Gpu, Samples]] = ({}, {})

    def pieces(self) -> Iterator[Piece]:
        """Yield pieces that fit in memory, in order."""
        row, some = self.row_from, []
        for number, part in enumerate(self.parts):
            some.append(part)
            if part.row_to - row >= _ROWS_AT_ONCE or number == len(self.parts) - 1:
                if part.row_to > row:
                    yield Piece(self.run_id, row, part.row_to, self._used(some, row))
                row, some = part.row_to, []

    def _used(self, parts: Sequence[Block], row_from: int) -> GpuUse:
        used = GpuUse()
        read = _read(parts)
        uuids = self.cards.uuids(read[0])
        for which, found in enumerate(read):
            last = self._last[which]
            for gpu, samples in found.items():
                if (samples.rows < row_from).any():
                    last[gpu] = _last_of(samples, row_from)
                new = samples.where(samples.rows >= row_from)
                if not new.rows.size and not (which and gpu in uuids and gpu in last):
                    continue  # but power that was sampled before holds on
                before = last.get(gpu) or self._before(gpu, which)
                if before is not None:
                    new = _joined(before, new)
                if gpu in uuids:
                    used.see(uuids[gpu], new, is_power=bool(which))
                else:
                    used.add(new, is_power=bool(which))
                last[gpu] = _last_of(new, None)
        return used

    def _before(self, gpu: Gpu, which: int) -> Samples | None:
        """Look through earlier rows, from the last on, for a GPU that is not among the latest; at last through all."""
        if not self.begin:
            return None
        for row_from in dict.fromkeys((max(0, self.begin - _FURTHER_BACK_ROWS), 0)):
            parts = row_blocks.blocks(self.run_id, StreamKind.SYSTEM, row_from=row_from)
            for part in reversed([part for part in parts if part.row0 < self.begin]):
                samples = _read([part])[which].get(gpu)
                if samples is not None and (samples.rows < self.begin).any():
                    return _last_of(samples, self.begin)
        return None


def _last_of(samples: Samples, before: int | None) -> Samples:
    stop = len(samples.rows) if before is None else int(np.searchsorted(samples.rows, before))
    return samples.where(slice(stop - 1, stop))


def _joined(first: Samples, second: Samples) -> Samples:
    return Samples(
        np.concatenate([first.rows, second.rows]),
        np.concatenate([first.at, second.at]),
        np.concatenate([first.watts, second.watts]),
        np.concatenate([first.has_process, second.has_process]),
    )


def move_to_archive(run: Run, archive: Run) -> None:
    """Move what was measured of rewound rows to the archive run; the run's own rows start anew."""
    for ledger in (HardwareUse, HardwareShift, GpuClaim):
        ledger._default_manager.filter(run_id=run.pk).update(run_id=archive.pk)


# -- rounds ----------------------------------------------------------------------------------------------------------


def _waiting(streams: QuerySet[Stream]) -> list[tuple[int, int]]:
    """Return (run, row measured to) of the streams of system metrics that have further rows."""
    last = HardwareUse.objects.filter(run_id=OuterRef("run_id")).order_by("-row_from").values("row_to")[:1]
    measured_to = Coalesce(Subquery(last), 0, output_field=BigIntegerField())
    rows = streams.filter(kind=StreamKind.SYSTEM, next_row__gt=0, run__purged_at__isnull=True)
    waiting = rows.filter(
        next_row__gt=measured_to
    )  # who only watches machines last: others' claims are better
    return list(waiting.order_by("run__is_host", "run_id").values_list("run_id", measured_to))


def _pieces(measured_to: Mapping[int, int], *, is_last_look: bool) -> Iterator[Piece]:
    """Yield what the rows of runs come to, from rows on; a run that cannot be read is left for later.

    Raises:
        Unavailable: at a last look, the bucket of a run's samples does not answer.
    """
    since = {run_id: max(0, row - _LOOK_BACK_ROWS) for run_id, row in measured_to.items()}
    cards = cards_of(list(measured_to))
    for run_id, parts in row_blocks.blocks_of(list(measured_to), StreamKind.SYSTEM, since=since):
        try:
            yield from _Reader(run_id, parts, measured_to[run_id], cards[run_id]).pieces()
        except Unavailable as error:
            if is_last_look:
                raise
            logger.warning("the GPUs of run %s are measured later: %s", run_id, error)
        except Exception:
            logger.exception("the GPUs of run %s could not be measured", run_id)


def _measure_some(measured_to: Mapping[int, int], *, is_last_look: bool = False) -> None:
    """Measure runs from rows on, and enter as much at once as fits in memory."""
    some: list[Piece] = []
    for piece in _pieces(measured_to, is_last_look=is_last_look):
        some.append(piece)
        if sum(one.row_to - one.row_from for one in some) >= _ROWS_AT_ONCE:
            enter(some)
            some = []
    if some:
        enter(some)


def measure_run(run_id: int) -> None:
    """Measure what is left of one run; also the last look before its samples are purged.

    Raises:
        Unavailable: the bucket of its samples does not answer; they must not be purged yet.
    """
    _measure_some(dict(_waiting(Stream.objects.filter(run_id=run_id))), is_last_look=True)


def measure(budget_s: float) -> int:
    """Measure the rows that have come since the last round, for about so long; returns how many runs had some.

    Once a day it looks at all runs, otherwise at those that gave a sign of life since.
    """
    until, began = time.monotonic() + budget_s, timezone.now()
    since = cache.get(_LOOKED_AT) if cache.get(_LOOKED_AT_ALL) else None
    streams = Stream.objects.all()
    if since is not None:
        streams = streams.filter(run__pulse__heartbeat_at__gte=since - _MARGIN)
    waiting = _waiting(streams)
    for start in range(0, len(waiting), _RUNS_AT_ONCE):
        if time.monotonic() > until:
            return start
        _measure_some(dict(waiting[start : start + _RUNS_AT_ONCE]))
    cache.set(_LOOKED_AT, began, timeout=None)
    if since is None:
        cache.set(_LOOKED_AT_ALL, began, timeout=DAY_S)
    return len(waiting)
