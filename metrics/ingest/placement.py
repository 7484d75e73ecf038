"""Where the lines of a post belong: which are new, which are stored already, what begins a new lifetime.

An offset alone decides nothing (decisions/ingest.md). SDK 0.31, when the server has 50 lines, sends a killed run's
whole history from offset 50 on `wandb sync`; 0.16 sends it from 0; a second process with the same id begins at 0 with
other lines; a retry repeats offsets. So when a post overlaps what is stored, or steps back in time, its lines are
compared with the stored ones: equal lines are a replay and trimmed, others begin a new lifetime on a new base.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runs.logs.console_lines import read_line

LOG_WINDOW = 200
"""Console lines this near the end may be written over: progress bars."""


@dataclass(slots=True)
class SequenceRange:
    """Offsets from ``first_offset`` on of one writer and lifetime, at rows from ``base_row`` on."""

    lifetime: int
    first_offset: int
    base_row: int
    row_count: int
    gap_before: int = 0
    replaced: int = 0
    written_at: float | None = None
    """Unix seconds."""
    pk: int | None = None
    is_changed: bool = False

    @property
    def end(self) -> int:
        """The offset after the last line."""
        return self.first_offset + self.row_count + self.replaced

    def holds(self, offset: int) -> bool:
        """Whether the offset is one of its lines."""
        return self.first_offset <= offset < self.end


@dataclass(slots=True)
class StoredRows:
    """How to look at what is stored of a stream, as of now in the transaction."""

    next_row: int
    is_same: Callable[[int, int], bool]
    """Whether stored row ``r`` is the post's line ``i``."""
    find: Callable[[int], int | None]
    """The stored row that is the post's line ``i``, or None."""
    steps_back: Callable[[int], bool]
    """Whether the post's line ``i`` is older than what the stream ends with."""


@dataclass(slots=True)
class RowSpan:
    """Lines ``start`` to ``stop`` of the post go to rows from ``row`` on."""

    start: int
    stop: int
    row: int


def lifetime_of(ranges: Sequence[SequenceRange]) -> int:
    """Return the writer's present lifetime."""
    return ranges[-1].lifetime if ranges else 0


def end_of(ranges: Sequence[SequenceRange]) -> int:
    """Return the offset after the last line of the present lifetime."""
    return max((sequence.end for sequence in ranges if sequence.lifetime == lifetime_of(ranges)), default=0)


def extend(ranges: list[SequenceRange], offset: int, row: int, count: int) -> None:
    """Record that lines from ``offset`` on went to rows from ``row`` on."""
    lifetime = lifetime_of(ranges)
    for sequence in reversed(ranges):
        if (
            sequence.lifetime == lifetime
            and sequence.end == offset
            and sequence.base_row + sequence.row_count == row
        ):
            sequence.row_count += count
            sequence.is_changed = True
            return
    gap = max(0, offset - end_of(ranges)) if ranges and offset != row else 0
    ranges.append(SequenceRange(lifetime, offset, row, count, gap_before=gap, is_changed=True))


class Placer:
    """Places the lines of one post among one writer's ranges, and updates these."""

    def __init__(self, ranges: list[SequenceRange], stored: StoredRows) -> None:
        self.ranges = ranges
        self.stored = stored
        self.new: list[RowSpan] = []
        self.began_lifetime = False
        self.replayed = False
        """Whether any of the lines was stored already."""

    def place(self, offset: int, count: int) -> list[RowSpan]:
        """Return the spans of new lines, in order; all others are stored already."""
        line = 0
        while line < count:
            line += self._place_some(offset + line, line, count)
        return self.new

    def _place_some(self, offset: int, line: int, count: int) -> int:
        """Place lines from ``line`` on; return how many were dealt with, at least one."""
        left = count - line
        goes_on = bool(self.ranges) and offset == end_of(self.ranges) and not self.stored.steps_back(line)
        sequence = next((sequence for sequence in reversed(self.ranges) if sequence.holds(offset)), None)
        if sequence is not None and not goes_on:
            row = sequence.base_row + offset - sequence.first_offset
            if self.stored.is_same(row, line):
                self.replayed = True
                return min(left, sequence.end - offset)
            return self._begin(offset, line, count)
        if not goes_on and self.stored.next_row and self.stored.steps_back(line):
            row_found = self.stored.find(line)
            if row_found is not None:
                return self._replay(offset, line, count, row_found)
        later = (
            []
            if goes_on
            else [sequence.first_offset for sequence in self.ranges if sequence.first_offset > offset]
        )
        stop = min(left, min(later) - offset) if later else left
        self._append(offset, line, stop)
        return stop

    def _begin(self, offset: int, line: int, count: int) -> int:
        """Another line stands where this one belongs: a replay from elsewhere, or a new lifetime."""
        row_found = self.stored.find(line)
        if row_found is not None:
            return self._replay(offset, line, count, row_found)
        self.began_lifetime = True
        self.ranges.append(
            SequenceRange(lifetime_of(self.ranges) + 1, offset, self.stored.next_row, 0, is_changed=True)
        )
        self._append(offset, line, count - line)
        return count - line

    def _replay(self, offset: int, line: int, count: int, row: int) -> int:
        """Lines from ``line`` on are stored from ``row`` on; map their offsets there."""
        self.replayed = True
        same = 1
        while (
            line + same < count
            and row + same < self.stored.next_row
            and self.stored.is_same(row + same, line + same)
        ):
            same += 1
        self.ranges.append(SequenceRange(lifetime_of(self.ranges) + 1, offset, row, same, is_changed=True))
        return same

    def _append(self, offset: int, line: int, count: int) -> None:
        extend(self.ranges, offset, self.stored.next_row, count)
        self.new.append(RowSpan(line, line + count, self.stored.next_row))
        self.stored.next_row += count


def place_log(
    *,
    ranges: list[SequenceRange],
    next_line: int,
    offset: int,
    lines: Sequence[str],
    stored_lines: Callable[[int, int], list[str | None]],
    lifetime_began_at: Callable[[], float | None],
    was_synced: Callable[[], bool],
    is_replay: bool = False,
) -> tuple[list[RowSpan], int]:
    """Place console lines, which may be written over near the end; return (spans, next line of the log).

    Args:
        ranges: The writer's ranges, brought up to date.
        next_line: The line after the log's last.
        offset: What the post says of its first line.
        lines: The post's lines.
        stored_lines: ``(start, stop)`` to the lines there; None where nothing was received.
        lifetime_began_at: Asked, rarely, when the run's present lifetime began, unix seconds; ranges written before
            it are not written over.
        was_synced: Asked, rarely, whether `wandb sync` sends the run. It resends a killed process's lines with the time
            of the sync, sometimes before any history: if the first line has the same text, the post is a replay.
        is_replay: The same post sends stored history again, so its lines are the same process's; times are not
            compared.
    """
    spans: list[RowSpan] = []
    line = 0
    while line < len(lines):
        here = offset + line
        goes_on = bool(ranges) and here == end_of(ranges)
        sequence = next((sequence for sequence in reversed(ranges) if sequence.holds(here)), None)
        if sequence is None or goes_on:
            later = [] if goes_on else [other.first_offset for other in ranges if other.first_offset > here]
            count = min(len(lines) - line, min(later) - here) if later else len(lines) - line
            extend(ranges, here, next_line, count)
            spans.append(RowSpan(line, line + count, next_line))
            next_line += count
        else:
            row = sequence.base_row + here - sequence.first_offset
            count = min(len(lines) - line, sequence.end - here)
            stored = stored_lines(row, row + count)
            fresh = [
                i for i in range(count) if not _is_same_line(stored[i], lines[line + i], is_replay=is_replay)
            ]
            if (
                fresh
                and not is_replay
                and _is_other_process(sequence, end_of(ranges), here, fresh[0], lifetime_began_at)
            ):
                if _is_same_line(stored[0], lines[line], is_replay=True) and was_synced():
                    is_replay = True
                    continue  # compare again, without times
                ranges.append(SequenceRange(ranges[-1].lifetime + 1, here, next_line, 0, is_changed=True))
                count = len(lines) - line
                extend(ranges, here, next_line, count)
                spans.append(RowSpan(line, line + count, next_line))
                next_line += count
            elif fresh:
                spans.append(RowSpan(line + fresh[0], line + fresh[-1] + 1, row + fresh[0]))
        line += count
    return spans, next_line


def _is_same_line(stored: str | None, line: str, *, is_replay: bool) -> bool:
    if stored is None or stored == line or not is_replay:
        return stored == line
    one, other = read_line(stored), read_line(line)
    return (one.level, one.text) == (other.level, other.text)


def _is_other_process(
    sequence: SequenceRange, end: int, offset: int, same: int, lifetime_began_at: Callable[[], float | None]
) -> bool:
    """Whether differing lines at ``offset`` are another process's rather than a progress bar's."""
    if offset + same < end - LOG_WINDOW:
        return True
    if same or sequence.written_at is None:
        return False
    began = lifetime_began_at()
    return began is not None and sequence.written_at < began


def _record_gap(ranges: list[SequenceRange], offset: int, row: int) -> None:
    """Record what the client says was lost, if anything was."""
    lost = offset - end_of(ranges)
    if lost > 0:
        ranges.append(SequenceRange(0, offset, row, 0, gap_before=lost, is_changed=True))


def place_numbered(ranges: list[SequenceRange], *, next_row: int, offset: int, count: int) -> int:
    """Place lines of a writer that numbers them for life; return how many, from the first on, are stored already.

    Lines that the numbers leave out are recorded as a gap: the caller has made sure that the client means it.
    """
    _record_gap(ranges, offset, next_row)
    known = min(count, end_of(ranges) - offset)
    if known < count:
        if not ranges:
            ranges.append(SequenceRange(0, offset, next_row, 0))
        ranges[-1].row_count += count - known
        ranges[-1].is_changed = True
    return known


def place_numbered_log(
    ranges: list[SequenceRange], *, next_line: int, offset: int, lines: Sequence[str]
) -> tuple[dict[int, str], int]:
    """Place console lines of such a writer; return (text by line of the log, next line of the log).

    One that begins with a carriage return takes the place of the writer's line before: a progress bar.
    """
    _record_gap(ranges, offset, next_line)
    placed: dict[int, str] = {}
    known = end_of(ranges) - offset
    for here, line in enumerate(lines[known:], offset + known):
        if line.startswith("\r") and ranges and ranges[-1].row_count:
            sequence = ranges[-1]
            sequence.replaced, sequence.is_changed = sequence.replaced + 1, True
            placed[sequence.base_row + sequence.row_count - 1] = line[1:]
        else:
            extend(ranges, here, next_line, 1)
            placed[next_line] = line.removeprefix("\r")
            next_line += 1
    return placed, next_line
