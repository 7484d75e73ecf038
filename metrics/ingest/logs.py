"""Where the console lines of one group of posts go."""

from collections.abc import Collection, Mapping

from metrics.ingest.placement import SequenceRange, place_log, place_numbered_log
from metrics.ingest.post import Post
from metrics.models import StreamKind
from runs.logs.blocks import LogLines, log_ends, log_lines_between
from runs.selectors import lifetime_began_at, was_synced


class LogWriter:
    """Places console lines of one group; `runs.ingest.posts.apply_posts` writes them."""

    def __init__(
        self, ranges: Mapping[tuple[int, int, str], list[SequenceRange]], run_ids: Collection[int]
    ) -> None:
        """Begin with the writers' ranges, which `metrics.ingest.points.PointWriter` loads and writes."""
        self._ranges = ranges
        self.ends = log_ends(run_ids)
        self._placed: dict[int, list[LogLines]] = {}

    def _ranges_of(self, run_id: int, writer: str) -> list[SequenceRange]:
        return self._ranges[run_id, int(StreamKind.LOG), writer]

    def close_lifetime(self, run_id: int, writer: str) -> None:
        """Another process of this id has begun: its log, too, starts on a new base."""
        ranges = self._ranges_of(run_id, writer)
        if ranges and ranges[-1].row_count:
            end = self.ends[run_id] if run_id in self.ends else log_ends([run_id])[run_id]
            ranges.append(SequenceRange(ranges[-1].lifetime + 1, 0, end, 0, is_changed=True))

    @staticmethod
    def _began_at(run_id: int) -> float | None:
        began = lifetime_began_at(run_id)
        return None if began is None else began.timestamp()

    def _stored(self, run_id: int, start: int, stop: int) -> list[str | None]:
        lines = log_lines_between(run_id, start, stop)
        for placed in self._placed.get(run_id, ()):
            for number, line in enumerate(placed.lines, placed.first_line):
                if start <= number < stop:
                    lines[number - start] = line
        return lines

    def write(self, post: Post, *, is_replay: bool) -> list[LogLines]:
        """Return where the post's lines go."""
        run_id = post.run_id
        spans, self.ends[run_id] = place_log(
            ranges=self._ranges_of(run_id, post.writer),
            next_line=self.ends[run_id],
            offset=post.log_offset,
            lines=post.log_lines,
            stored_lines=lambda start, stop: self._stored(run_id, start, stop),
            lifetime_began_at=lambda: self._began_at(run_id),
            was_synced=lambda: was_synced(run_id),
            is_replay=is_replay,
        )
        placed = [LogLines(span.row, post.log_lines[span.start : span.stop]) for span in spans]
        self._placed.setdefault(run_id, []).extend(placed)
        return placed

    def write_numbered(self, post: Post) -> list[LogLines]:
        """Return where the lines of a numbered post go."""
        run_id = post.run_id
        lines, self.ends[run_id] = place_numbered_log(
            self._ranges_of(run_id, post.writer),
            next_line=self.ends[run_id],
            offset=post.log_offset,
            lines=post.log_lines,
        )
        placed: list[LogLines] = []
        for number, line in sorted(lines.items()):
            if not placed or number > placed[-1].first_line + len(placed[-1].lines):
                placed.append(LogLines(number, []))
            placed[-1].lines.append(line)
        self._placed.setdefault(run_id, []).extend(placed)
        return placed
