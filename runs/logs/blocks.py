"""Console logs as they are stored: consecutive lines in compressed blocks."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import zstandard
from django.db.models import Q

from common.database.sql import execute_in, execute_many
from runs.models import LogBlock

LINES_PER_BLOCK = 1000


@dataclass(slots=True)
class LogLines:
    """Lines to be written from ``first_line`` on, over what is there."""

    first_line: int
    lines: list[str]


def log_ends(run_ids: Iterable[int]) -> dict[int, int]:
    """Return how many lines of console log each run has; call with the runs locked."""
    return dict(execute_in("SELECT run_id, log_lines FROM runs_pulse WHERE run_id IN", list(run_ids)))


def compress_lines(lines: Sequence[str]) -> bytes:
    """Return the stored form of console lines."""
    return zstandard.compress(json.dumps(lines).encode(), 3)


def decompress_lines(payload: bytes) -> list[str]:
    """Return the console lines of a block, exactly as they came."""
    lines: list[str] = json.loads(zstandard.decompress(payload))
    return lines


def _blocks_of(run_id: int, written: LogLines) -> Iterable[LogBlock]:
    for start in range(0, len(written.lines), LINES_PER_BLOCK):
        part = written.lines[start : start + LINES_PER_BLOCK]
        yield LogBlock(
            run_id=run_id, first_line=written.first_line + start, line_count=len(part), payload=compress_lines(part)
        )  # fmt: skip


def write_logs(written: Iterable[tuple[int, LogLines]]) -> None:
    """Write lines of runs in the order they came, and where each run's log ends now; the runs are locked."""
    blocks = [block for run_id, lines in written for block in _blocks_of(run_id, lines)]
    if not blocks:
        return
    LogBlock.objects.bulk_create(blocks)
    ends: dict[int, int] = {}
    for block in blocks:
        ends[block.run_id] = max(ends.get(block.run_id, 0), block.first_line + block.line_count)
    rows = [(end, run_id, end) for run_id, end in sorted(ends.items())]
    execute_many("UPDATE runs_pulse SET log_lines = %s WHERE run_id = %s AND log_lines < %s", rows)


def log_lines_between(run_id: int, start: int, stop: int) -> list[str | None]:
    """Return console lines ``start`` up to ``stop`` as they came; None where nothing was received."""
    lines: list[str | None] = [None] * max(0, stop - start)
    blocks = LogBlock.objects.filter(
        run_id=run_id, first_line__lt=stop, first_line__gt=start - LINES_PER_BLOCK
    )
    for block in blocks.order_by("pk").iterator(chunk_size=256):
        for number, line in enumerate(decompress_lines(bytes(block.payload)), block.first_line):
            if start <= number < stop:
                lines[number - start] = line
    return lines


def last_lines(ends: Mapping[int, int], count: int) -> dict[int, list[str]]:
    """Return the last console lines of some runs as they came, in one query; gaps are left out.

    Args:
        ends: How many lines each run has, by its id.
        count: At most so many of each.
    """
    is_last = Q()
    for run_id, end in ends.items():
        start = max(0, end - count)
        is_last |= Q(run_id=run_id, first_line__lt=end, first_line__gt=start - LINES_PER_BLOCK)
    numbered: dict[int, dict[int, str]] = {run_id: {} for run_id in ends}
    for block in LogBlock.objects.filter(is_last).order_by("pk") if ends else ():
        for number, line in enumerate(decompress_lines(bytes(block.payload)), block.first_line):
            if ends[block.run_id] - count <= number < ends[block.run_id]:
                numbered[block.run_id][number] = line
    return {run_id: [lines[number] for number in sorted(lines)] for run_id, lines in numbered.items()}
