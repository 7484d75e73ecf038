"""A look at all that an installation has stored, from within: ``look(server.manage, [writer.expected])`` in a test."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from tests.sdk.wire import row


def row_of(step: int) -> dict[str, Any]:
    """Return a row of history."""
    return row(step, loss=step / 7, text=f"t{step}")


def system_row_of(number: int) -> dict[str, Any]:
    """Return a row of system metrics."""
    at = 1_790_000_000 + number * 0.5
    return {"_timestamp": at, "_runtime": number * 0.5, "system.cpu": number / 3}


def line_of(number: int) -> str:
    """Return a console line."""
    return f"2026-11-21T07:20:26.038634 line {number}"


@dataclass(frozen=True)
class Expected:
    """What one run must hold; the content of each row and line follows from its number."""

    uid: str
    rows: int
    system_rows: int
    lines: int


@dataclass(frozen=True)
class Found:
    """What there is."""

    wrong: list[str]
    """The first difference of each kind in each run."""
    unreadable: list[str]
    """Segments whose content is not what their row says."""
    orphans: int
    """Contents without a row, after a sweep of all ages."""
    swept: int
    segments: int


def longest_tail(manage: Callable[..., Any]) -> int:
    """Return how many rows of a stream are not packed."""
    code = (
        "from metrics.models import Stream; "
        "print(max(stream.next_row - stream.packed_to for stream in Stream.objects.all()))"
    )
    return int(manage("shell", "--no-imports", "-c", code))


def look(manage: Callable[..., Any], expected: Sequence[Expected]) -> Found:
    """Sweep, read every segment, and compare every row and line with what is expected.

    Nothing may be packing: the sweep is of all ages, so it takes also what is about to be named.
    """
    told = json.dumps([asdict(run) for run in expected])
    code = f"from tests.stored import print_found; print_found({told!r})"
    return Found(**manage("shell", "--no-imports", "-c", code))


def print_found(told: str) -> None:
    """Look, in a process of the installation."""
    from django.utils import timezone

    from metrics.models import Segment
    from metrics.store import segment_storage, sweeping

    sweeping.ORPHAN_AFTER = timedelta(hours=-1)
    swept = sweeping.sweep()
    named = set(Segment.objects.values_list("name", flat=True))
    left = set(segment_storage.configured_storage().names(timezone.now() + timedelta(hours=1))) - named
    found = Found(
        wrong=[error for run in json.loads(told) for error in _wrong_in(Expected(**run))],
        unreadable=[str(segment) for segment in Segment.objects.all() if not is_readable(segment)],
        orphans=len(left),
        swept=swept,
        segments=len(named),
    )
    print(json.dumps(asdict(found)))  # noqa: T201 - for `Installation.manage`


def is_readable(segment: Any) -> bool:
    from metrics.store import segment_storage, segments
    from metrics.store.segment_cache import SegmentReader

    content = SegmentReader(segment, is_cached=False)
    try:
        size = segment_storage.storage_of(segment).size(segment.name)
        index = segments.SegmentIndex(segments.index_in(content.read, size))
        return bool(index.read(content).row_count == segment.row_count)
    except (OSError, ValueError):
        return False


def _wrong_in(expected: Expected) -> list[str]:
    from metrics.models import StreamKind
    from metrics.store import reads
    from runs.logs.blocks import log_lines_between
    from runs.models import Run

    pk = Run.objects.get(uid=expected.uid).pk
    differences = {
        "row": _first(
            [row for _, row in reads.scan(pk, StreamKind.HISTORY)],
            [row_of(step) for step in range(expected.rows)],
        ),
        "system row": _first(
            [row for _, row in reads.scan(pk, StreamKind.SYSTEM)],
            [system_row_of(number) for number in range(expected.system_rows)],
        ),
        "console line": _first(
            log_lines_between(pk, 0, expected.lines + 1),
            [*(line_of(number) for number in range(expected.lines)), None],
        ),
    }
    return [f"{what} of {expected.uid}: {error}" for what, error in differences.items() if error]


def _first(found: Sequence[Any], right: Sequence[Any]) -> str:
    """Return the first difference, in words; empty when there is none."""
    for number, (is_, should) in enumerate(zip(found, right, strict=False)):
        if is_ != should:
            return f"{number} is {is_}, not {should}"
    return "" if len(found) == len(right) else f"{len(found)} of them, not {len(right)}"
