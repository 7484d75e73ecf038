"""Lines of writers that number them for their whole life: no guessing (AGT-5, RUN-8)."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from metrics.ingest.placement import SequenceRange, end_of, place_numbered, place_numbered_log


@dataclass
class Model:
    """A stream in memory, to which several write."""

    rows: list[tuple[str, int]] = field(default_factory=list)
    pieces: dict[str, list[SequenceRange]] = field(default_factory=dict)

    def post(self, writer: str, offset: int, count: int) -> int:
        """Place lines ``offset`` to ``offset + count`` of a writer; return how many were new."""
        pieces = self.pieces.setdefault(writer, [])
        known = place_numbered(pieces, next_row=len(self.rows), offset=offset, count=count)
        self.rows += [(writer, number) for number in range(offset + known, offset + count)]
        return count - known

    def end(self, writer: str) -> int:
        return end_of(self.pieces.get(writer, []))


posts = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 40), st.integers(0, 12)), max_size=30)


@given(posts)
def test_without_gaps_each_line_is_placed_once_and_in_order(sent):
    """AGT-5: posts that repeat, overlap and come late; those with a gap before them are refused."""
    model = Model()
    for writer, offset, count in sent:
        if offset <= model.end(writer):
            before = model.end(writer)
            assert model.post(writer, offset, count) == max(0, offset + count - before)
    for writer in "ab":
        lines = [number for who, number in model.rows if who == writer]
        assert lines == list(range(model.end(writer)))
        assert all(piece.gap_before == 0 for piece in model.pieces.get(writer, []))
        assert len(model.pieces.get(writer, [])) <= 1


@given(posts)
def test_with_gaps_every_number_is_a_line_or_lost(sent):
    """RUN-8: what the client says was lost is counted, and nothing is placed twice or before another."""
    model = Model()
    for writer, offset, count in sent:
        model.post(writer, offset, count)
    for writer in "ab":
        lines = [number for who, number in model.rows if who == writer]
        lost = sum(piece.gap_before for piece in model.pieces.get(writer, []))
        assert lines == sorted(set(lines))
        assert len(lines) + lost == model.end(writer)


def _written(entries: list[str]) -> list[str]:
    """Return what a terminal would show of entries."""
    shown: list[str] = []
    for entry in entries:
        if entry.startswith("\r") and shown:
            shown[-1] = entry[1:]
        else:
            shown.append(entry.removeprefix("\r"))
    return shown


@dataclass
class LogModel:
    """A console log in memory, to which several write."""

    lines: dict[int, tuple[str, str]] = field(default_factory=dict)
    pieces: dict[str, list[SequenceRange]] = field(default_factory=dict)
    next_line: int = 0

    def post(self, writer: str, offset: int, entries: list[str]) -> dict[int, str]:
        pieces = self.pieces.setdefault(writer, [])
        placed, self.next_line = place_numbered_log(
            pieces, next_line=self.next_line, offset=offset, lines=entries
        )
        self.lines |= {number: (writer, text) for number, text in placed.items()}
        return placed

    def of(self, writer: str) -> list[str]:
        return [text for _, (who, text) in sorted(self.lines.items()) if who == writer]


entries = st.lists(
    st.tuples(st.booleans(), st.sampled_from("xyz")).map(lambda e: "\r" * e[0] + e[1]), max_size=25
)


@given(
    entries,
    entries,
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.integers(0, 9)), max_size=20),
)
def test_a_log_is_what_a_terminal_would_show(first, second, cuts):
    """AGT-8: progress bars write over their line, wherever others' lines came in between, however posts are cut."""
    log, logged = LogModel(), {"a": first, "b": second}
    sent = dict.fromkeys(logged, 0)
    for writer, repeated, count in [*cuts, ("a", 0, 99), ("b", 0, 99)]:
        start = max(0, sent[writer] - repeated)
        log.post(writer, start, logged[writer][start : start + count])
        sent[writer] = max(sent[writer], min(start + count, len(logged[writer])))
    assert sorted(log.lines) == list(range(log.next_line))
    for writer, lines in logged.items():
        assert log.of(writer) == _written(lines)


def test_a_log_post_that_is_repeated_writes_nothing():
    log = LogModel()
    log.post("a", 0, ["start", "10%", "\r50%"])
    assert log.post("a", 0, ["start", "10%", "\r50%"]) == {}
    assert log.of("a") == ["start", "50%"]


def test_a_progress_bar_after_a_gap_does_not_write_over_the_line_before_it():
    """RUN-8: the line whose place it takes was lost."""
    log = LogModel()
    log.post("a", 0, ["start"])
    log.post("a", 3, ["\r50%", "\r90%"])
    assert log.of("a") == ["start", "90%"]
    assert [piece.gap_before for piece in log.pieces["a"]] == [0, 2]


def test_a_bar_that_moves_for_long_is_one_piece():
    """Each post reads all pieces of its run."""
    log = LogModel()
    log.post("a", 0, ["start", "0"])
    for offset in range(2, 500):
        log.post("a", offset, [f"\r{offset}"])
    assert (len(log.pieces["a"]), end_of(log.pieces["a"])) == (1, 500)
    assert log.of("a") == ["start", "499"]
