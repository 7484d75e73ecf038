"""Lines to rows: retries, killed clients that sync, second processes, gaps (RUN-8, RUN-9, MET-5)."""

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.ingest.placement import Placer, SequenceRange, StoredRows, place_log
from tests.suite.examples import examples

Line = tuple[int, float]
"""(step, time)"""


@dataclass
class Model:
    """A stream in memory: the rows, and the pieces of one writer."""

    rows: list[Line] = field(default_factory=list)
    pieces: list[SequenceRange] = field(default_factory=list)

    def post(self, offset: int, lines: list[Line]) -> list[Line]:
        """Place lines as the ingest does; return the new ones."""
        stored = StoredRows(
            next_row=len(self.rows),
            is_same=lambda row, line: row < len(self.rows) and self.rows[row] == lines[line],
            find=lambda line: self.rows.index(lines[line]) if lines[line] in self.rows else None,
            steps_back=lambda line: bool(self.rows) and lines[line][1] <= max(at for _, at in self.rows),
        )
        new: list[Line] = []
        for span in Placer(self.pieces, stored).place(offset, len(lines)):
            assert span.row == len(self.rows) + len(new)
            new += lines[span.start : span.stop]
        self.rows += new
        return new


def process(start: float, count: int) -> list[Line]:
    """What one process logs."""
    return [(step, start + step) for step in range(count)]


def test_posts_in_order_are_appended():
    model, lines = Model(), process(100.0, 30)
    model.post(0, lines[:10])
    model.post(10, lines[10:30])
    assert model.rows == lines
    assert len(model.pieces) == 1


def test_a_repeated_post_changes_nothing():
    model, lines = Model(), process(100.0, 30)
    model.post(0, lines)
    assert model.post(10, lines[10:20]) == []
    assert model.post(0, lines) == []


def test_an_overlapping_post_is_trimmed():
    model, lines = Model(), process(100.0, 30)
    model.post(0, lines[:20])
    assert model.post(10, lines[10:30]) == lines[20:30]


def test_sync_of_a_killed_run_by_0_31_sends_from_the_told_count_and_is_stored_once():
    model, lines = Model(), process(100.0, 100)
    model.post(0, lines[:50])
    model.post(50, lines)  # told of 50 lines, it sends all 100 from offset 50 on
    assert model.rows == lines
    assert model.post(50, lines) == []  # sync again


def test_sync_of_a_killed_run_by_0_16_sends_from_0_and_is_stored_once():
    model, lines = Model(), process(100.0, 100)
    model.post(0, lines[:50])
    assert model.post(0, lines) == lines[50:]


def test_a_second_process_of_the_same_id_that_begins_at_0_is_kept_whole():
    model, first, second = Model(), process(100.0, 50), process(900.0, 40)
    model.post(0, first)
    model.post(0, second[:15])
    model.post(15, second[15:])
    assert model.rows == first + second
    assert model.post(15, second[15:]) == []
    assert {piece.lifetime for piece in model.pieces} == {0, 1}


def test_a_second_process_that_was_told_the_count_goes_on_after_it():
    model, first, second = Model(), process(100.0, 50), process(900.0, 40)
    model.post(0, first)
    model.post(50, second)
    assert model.rows == first + second


def test_a_gap_is_kept_as_a_gap_and_may_be_filled_late():
    model, lines = Model(), process(100.0, 30)
    model.post(0, lines[:10])
    model.post(20, lines[20:])
    assert [piece.gap_before for piece in model.pieces] == [0, 10]
    model.post(10, lines[10:20])
    assert sorted(model.rows) == lines
    assert model.post(0, lines) == []
    model.post(30, process(100.0, 40)[30:])
    assert [piece.gap_before for piece in model.pieces] == [0, 10, 0, 0]


def test_a_late_retry_of_the_first_process_changes_nothing_of_the_second():
    model, first, second = Model(), process(100.0, 50), process(900.0, 40)
    model.post(0, first)
    model.post(0, second[:15])
    assert model.post(30, first[30:]) == []
    model.post(15, second[15:])
    assert model.rows == first + second


posts = st.tuples(st.integers(0, 60), st.integers(1, 30))


@given(st.lists(posts, max_size=15))
@settings(max_examples=examples(200))
def test_whatever_is_sent_of_one_process_is_stored_once(chosen):
    """Any posts of one process's lines by their own offsets, in any order: each line sent is there exactly once."""
    model, lines, sent = Model(), process(100.0, 90), set()
    for offset, count in chosen:
        part = lines[offset : offset + count]
        model.post(offset, part)
        sent.update(part)
    assert sorted(model.rows) == sorted(sent)


@given(st.lists(st.integers(1, 20), min_size=1, max_size=4), st.data())
@settings(max_examples=examples(200))
def test_processes_one_after_another_lose_nothing_however_often_posts_are_repeated(counts, data):
    """Each process begins at 0 or at the told count, is cut into posts, and any post may be sent twice in a row."""
    model, told = Model(), []
    for number, count in enumerate(counts):
        lines = process(1000.0 * (number + 1), count)
        origin = data.draw(st.sampled_from([0, len(model.rows)]))
        at = 0
        while at < count:
            step = data.draw(st.integers(1, count - at))
            for _ in range(data.draw(st.integers(1, 2))):
                model.post(origin + at, lines[at : at + step])
            at += step
        told += lines
    assert model.rows == told


class LogModel:
    """A console log in memory."""

    def __init__(self):
        self.lines: dict[int, str] = {}
        self.pieces: list[SequenceRange] = []
        self.next_line = 0

    def post(self, offset, lines, *, began=None, synced=False):
        spans, self.next_line = place_log(
            ranges=self.pieces,
            next_line=self.next_line,
            offset=offset,
            lines=lines,
            stored_lines=lambda start, stop: [self.lines.get(number) for number in range(start, stop)],
            lifetime_began_at=lambda: began,
            was_synced=lambda: synced,
        )
        for span in spans:
            for number, line in enumerate(lines[span.start : span.stop], span.row):
                self.lines[number] = line
        return spans

    @property
    def text(self):
        return [self.lines.get(number) for number in range(self.next_line)]


def test_a_progress_bar_writes_over_its_line():
    log = LogModel()
    log.post(0, ["start", " 10%"])
    log.post(1, [" 50%"])
    log.post(1, ["100%", "done"])
    assert log.text == ["start", "100%", "done"]


def test_a_repeated_log_post_writes_nothing():
    log = LogModel()
    log.post(0, ["a", "b", "c"])
    assert log.post(0, ["a", "b", "c"]) == []
    log.post(1, ["b", "c", "d"])
    assert log.text == ["a", "b", "c", "d"]


def test_another_process_far_from_the_end_begins_on_new_lines():
    log = LogModel()
    first = [f"first {number}" for number in range(500)]
    log.post(0, first)
    log.post(0, ["second 0"])
    log.post(1, ["second 1"])
    assert log.text == [*first, "second 0", "second 1"]


def test_lines_synced_before_any_history_are_stored_once():
    """RUN-8: they carry the time of the sync; on a busy machine, syncing a killed run doubled its log."""
    log = LogModel()
    log.post(0, [f"2026-11-21T10:43:52.{number:06} line {number}" for number in range(500)])
    stored = log.text
    synced = [f"2026-11-21T10:50:00.{number:06} line {number}" for number in range(502)]
    log.post(0, synced[:200], synced=True)
    assert log.text == stored
    log.post(200, synced[200:], synced=True)
    assert log.text == [*stored, *synced[500:]]


def test_lines_that_another_process_synced_are_added():
    log = LogModel()
    first = [f"2026-11-21T10:43:52.{number:06} line {number}" for number in range(500)]
    log.post(0, first)
    log.post(0, ["2026-11-21T10:50:00 other line"], synced=True)
    assert log.text == [*first, "2026-11-21T10:50:00 other line"]


def test_log_lines_may_come_with_gaps():
    log = LogModel()
    log.post(0, ["a"])
    log.post(5, ["f"])
    assert log.pieces[-1].gap_before == 4
    assert log.text == ["a", "f"]
