"""Where the lines of a post belong: which are new, which are stored already, what begins a new lifetime.

An offset alone decides nothing (decisions/ingest.md). SDK 0.31 told of 50 stored lines sends a killed run's whole
history from offset 50 on `wandb sync`; 0.16 sends it from 0; a second process with the same id begins at 0 with other
lines; a retry repeats offsets. So when a post overlaps what is stored, or steps back in time, its lines are compared
with the stored ones: equal lines are a replay and trimmed, others begin a new lifetime on a new base.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runs.logs.console_lines import read_line

LOG_WINDOW = 200
"""Console lines this near the end may be written over: progress bars."""


@dataclass(slots=True)
class Piece:
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
class Stored:
    """How to look at what is stored of a stream, as of now in the transaction."""

    next_row: int
    is_same: Callable[[int, int], bool]
    """Whether stored row ``r`` is the post's line ``i``."""
    find: Callable[[int], int | None]
    """The stored row that is the post's line ``i``, or None."""
    steps_back: Callable[[int], bool]
    """Whether the post's line ``i`` is older than what the stream ends with."""


@dataclass(slots=True)
class Span:
    """Lines ``start`` to ``stop`` of the post go to rows from ``row`` on."""

    start: int
    stop: int
    row: int


def lifetime_of(pieces: Sequence[Piece]) -> int:
    """Return the writer's present lifetime."""
    return pieces[-1].lifetime if pieces else 0


def end_of(pieces: Sequence[Piece]) -> int:
    """Return the offset after the last line of the present lifetime."""
    return max((piece.end for piece in pieces if piece.lifetime == lifetime_of(pieces)), default=0)


def extend(pieces: list[Piece], offset: int, row: int, count: int) -> None:
    """Note that lines from ``offset`` on went to rows from ``row`` on."""
    lifetime = lifetime_of(pieces)
    for piece in reversed(pieces):
        if piece.lifetime == lifetime and piece.end == offset and piece.base_row + piece.row_count == row:
            piece.row_count += count
            piece.is_changed = True
            return
    gap = max(0, offset - end_of(pieces)) if pieces and offset != row else 0
    pieces.append(Piece(lifetime, offset, row, count, gap_before=gap, is_changed=True))


class Placer:
    """Places the lines of one post among one writer's pieces, which it brings up to date."""

    def __init__(self, pieces: list[Piece], stored: Stored) -> None:
        self.pieces = pieces
        self.stored = stored
        self.new: list[Span] = []
        self.began_lifetime = False
        self.replayed = False
        """Whether any of the lines was stored already."""

    def place(self, offset: int, count: int) -> list[Span]:
        """Return the spans of new lines, in order; all others are stored already."""
        line = 0
        while line < count:
            line += self._place_some(offset + line, line, count)
        return self.new

    def _place_some(self, offset: int, line: int, count: int) -> int:
        """Place lines from ``line`` on; return how many were dealt with, at least one."""
        left = count - line
        goes_on = bool(self.pieces) and offset == end_of(self.pieces) and not self.stored.steps_back(line)
        piece = next((piece for piece in reversed(self.pieces) if piece.holds(offset)), None)
        if piece is not None and not goes_on:
            row = piece.base_row + offset - piece.first_offset
            if self.stored.is_same(row, line):
                self.replayed = True
                return min(left, piece.end - offset)
            return self._begin(offset, line, count)
        if not goes_on and self.stored.next_row and self.stored.steps_back(line):
            row_found = self.stored.find(line)
            if row_found is not None:
                return self._replay(offset, line, count, row_found)
        later = (
            [] if goes_on else [piece.first_offset for piece in self.pieces if piece.first_offset > offset]
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
        self.pieces.append(
            Piece(lifetime_of(self.pieces) + 1, offset, self.stored.next_row, 0, is_changed=True)
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
        self.pieces.append(Piece(lifetime_of(self.pieces) + 1, offset, row, same, is_changed=True))
        return same

    def _append(self, offset: int, line: int, count: int) -> None:
        extend(self.pieces, offset, self.stored.next_row, count)
        self.new.append(Span(line, line + count, self.stored.next_row))
        self.stored.next_row += count


def place_log(
    *,
    pieces: list[Piece],
    next_line: int,
    offset: int,
    lines: Sequence[str],
    stored_lines: Callable[[int, int], list[str | None]],
    lifetime_began_at: Callable[[], float | None],
    is_replay: bool = False,
) -> tuple[list[Span], int]:
    """Place console lines, which may be written over near the end; return (spans, next line of the log).

    Args:
        pieces: The writer's pieces, brought up to date.
        next_line: The line after the log's last.
        offset: What the post says of its first line.
        lines: The post's lines.
        stored_lines: ``(start, stop)`` to the lines there; None where nothing was received.
        lifetime_began_at: Asked, rarely, when the run's present lifetime began, unix seconds; pieces written before
            it are not written over.
        is_replay: The same post sends stored history again, so its lines are the same process's; `wandb sync` gives
            them the time of the syncing, so times are not compared.
    """
    spans: list[Span] = []
    line = 0
    while line < len(lines):
        here = offset + line
        goes_on = bool(pieces) and here == end_of(pieces)
        piece = next((piece for piece in reversed(pieces) if piece.holds(here)), None)
        if piece is None or goes_on:
            later = [] if goes_on else [other.first_offset for other in pieces if other.first_offset > here]
            count = min(len(lines) - line, min(later) - here) if later else len(lines) - line
            extend(pieces, here, next_line, count)
            spans.append(Span(line, line + count, next_line))
            next_line += count
        else:
            row = piece.base_row + here - piece.first_offset
            count = min(len(lines) - line, piece.end - here)
            stored = stored_lines(row, row + count)
            fresh = [
                i for i in range(count) if not _is_same_line(stored[i], lines[line + i], is_replay=is_replay)
            ]
            if (
                fresh
                and not is_replay
                and _is_other_process(piece, end_of(pieces), here, fresh[0], lifetime_began_at)
            ):
                pieces.append(Piece(pieces[-1].lifetime + 1, here, next_line, 0, is_changed=True))
                count = len(lines) - line
                extend(pieces, here, next_line, count)
                spans.append(Span(line, line + count, next_line))
                next_line += count
            elif fresh:
                spans.append(Span(line + fresh[0], line + fresh[-1] + 1, row + fresh[0]))
        line += count
    return spans, next_line


def _is_same_line(stored: str | None, line: str, *, is_replay: bool) -> bool:
    if stored is None or stored == line or not is_replay:
        return stored == line
    one, other = read_line(stored), read_line(line)
    return (one.level, one.text) == (other.level, other.text)


def _is_other_process(
    piece: Piece, end: int, offset: int, same: int, lifetime_began_at: Callable[[], float | None]
) -> bool:
    """Whether differing lines at ``offset`` are another process's rather than a progress bar's."""
    if offset + same < end - LOG_WINDOW:
        return True
    if same or piece.written_at is None:
        return False
    began = lifetime_began_at()
    return began is not None and piece.written_at < began


def _enter_gap(pieces: list[Piece], offset: int, row: int) -> None:
    """Note what the client says was lost, if anything was."""
    lost = offset - end_of(pieces)
    if lost > 0:
        pieces.append(Piece(0, offset, row, 0, gap_before=lost, is_changed=True))


def place_exactly(pieces: list[Piece], *, next_row: int, offset: int, count: int) -> int:
    """Place lines of a writer whose numbers are exact; return how many, from the first on, are stored already.

    Lines that the numbers leave out are noted as a gap: the caller has made sure that the client means it.
    """
    _enter_gap(pieces, offset, next_row)
    known = min(count, end_of(pieces) - offset)
    if known < count:
        if not pieces:
            pieces.append(Piece(0, offset, next_row, 0))
        pieces[-1].row_count += count - known
        pieces[-1].is_changed = True
    return known


def place_log_exactly(
    pieces: list[Piece], *, next_line: int, offset: int, lines: Sequence[str]
) -> tuple[dict[int, str], int]:
    """Place console lines of such a writer; return (text by line of the log, next line of the log).

    One that begins with a carriage return takes the place of the writer's line before: a progress bar.
    """
    _enter_gap(pieces, offset, next_line)
    placed: dict[int, str] = {}
    known = end_of(pieces) - offset
    for here, line in enumerate(lines[known:], offset + known):
        if line.startswith("\r") and pieces and pieces[-1].row_count:
            piece = pieces[-1]
            piece.replaced, piece.is_changed = piece.replaced + 1, True
            placed[piece.base_row + piece.row_count - 1] = line[1:]
        else:
            extend(pieces, here, next_line, 1)
            placed[next_line] = line.removeprefix("\r")
            next_line += 1
    return placed, next_line
