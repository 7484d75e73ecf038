"""Folding console logs: every post brings a small block of lines, and many of them become few.

Blocks are read and folded outside any transaction. A short one then takes the run's row, as the ingest does, sees that
the lines are still those that were read, and puts the folded blocks in the place of the others; otherwise it leaves
all as it is for the next round. Folded blocks come last, so they hold over any block that stays because it reaches
beyond the lines folded, and what is written over them later holds over them.
"""

import logging
import time

from django.db import transaction
from django.db.models import Count, F, Max, Min, Q, QuerySet

from runs.lifecycle.storage_ledger import LOG, settle_run
from runs.logs.blocks import LINES_PER_BLOCK, compress_lines, decompress_lines
from runs.models import LogBlock, Run
from runs.states import ACTIVE

logger = logging.getLogger(__name__)

FOLD_AT_BLOCKS = 50
"""An active run's log is folded when it has so many blocks of posts: at 20 lines each they are one full block."""
_BLOCKS_AT_ONCE = 20
_RUNS_A_ROUND = 1000


def _loose() -> QuerySet[LogBlock]:
    return LogBlock.objects.filter(is_folded=False)


def due() -> list[int]:
    """Return the runs whose logs are worth folding, those of most blocks first; ended ones have no minimum."""
    counted = (
        _loose().filter(run__deleted_at__isnull=True).values("run_id", "run__state").annotate(n=Count("pk"))
    )
    waiting = counted.filter(Q(n__gte=FOLD_AT_BLOCKS) | ~Q(run__state__in=sorted(ACTIVE)))
    return list(waiting.order_by("-n").values_list("run_id", flat=True)[:_RUNS_A_ROUND])


def _lines_of(blocks: QuerySet[LogBlock], stop: int) -> tuple[dict[int, str], int, int]:
    """Return (line by number before ``stop``, how many blocks there are, the last one's key)."""
    lines: dict[int, str] = {}
    count = last = 0
    for block in blocks.order_by("pk").iterator(chunk_size=256):
        count, last = count + 1, block.pk
        found = decompress_lines(bytes(block.payload))[: stop - block.first_line]
        lines.update(enumerate(found, block.first_line))
    return lines, count, last


def _folded(run_id: int, lines: dict[int, str]) -> list[LogBlock]:
    """Return blocks of consecutive lines, none of which reaches over a multiple of LINES_PER_BLOCK."""
    parts: dict[tuple[int, int], list[int]] = {}
    for position, number in enumerate(sorted(lines)):
        parts.setdefault((number // LINES_PER_BLOCK, number - position), []).append(number)
    return [
        LogBlock(
            run_id=run_id, first_line=numbers[0], line_count=len(numbers), is_folded=True,
            payload=compress_lines([lines[number] for number in numbers]),
        )
        for numbers in parts.values()
    ]  # fmt: skip


def _fold_some(run_id: int) -> bool:
    """Fold the first lines that are not; says whether some may be left, no when another came in between."""
    first = _loose().filter(run_id=run_id).aggregate(first=Min("first_line"))["first"]
    if first is None:
        return False
    start = first - first % LINES_PER_BLOCK
    stop = start + _BLOCKS_AT_ONCE * LINES_PER_BLOCK
    blocks = LogBlock.objects.filter(run_id=run_id, first_line__gte=start, first_line__lt=stop)
    lines, count, last = _lines_of(blocks, stop)
    made = _folded(run_id, lines)
    with transaction.atomic():
        Run.objects.locked().filter(pk=run_id).first()
        if blocks.aggregate(count=Count("pk"), last=Max("pk")) != {"count": count, "last": last}:
            return False
        whole = blocks.filter(first_line__lte=stop - F("line_count"))
        whole._raw_delete(whole.db)
        LogBlock.objects.bulk_create(made)
        settle_run(run_id, LOG)
    return True


def fold_log(run_id: int, until: float = float("inf")) -> None:
    """Fold one run's log until nothing is left to do, or the monotonic clock says ``until``."""
    while _fold_some(run_id) and time.monotonic() < until:
        pass


def fold_logs(budget_s: float) -> int:
    """Fold what is due, for about so long; returns how many runs' logs were."""
    until = time.monotonic() + budget_s
    done = 0
    for run_id in due():
        if time.monotonic() > until:
            break
        try:
            fold_log(run_id, until)
            done += 1
        except Exception:
            logger.exception("the log of run %s could not be folded; it stays as it is", run_id)
    return done
