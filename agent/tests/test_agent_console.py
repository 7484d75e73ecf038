"""AGT-1, AGT-3: what programs print becomes lines, in whatever pieces it comes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runyard_agent.console import MAX_LINE, THROTTLE_S, Console, Line, stamped


class Screen:
    """Keeps lines as the server does: one that replaces takes the place of the last."""

    def __init__(self) -> None:
        self.now, self.told = 1000.0, 0
        self.lines: list[str] = []
        self.console = Console(self.take, clock=lambda: self.now, wall=lambda: 0.0)

    def take(self, line: Line) -> None:
        self.told += 1
        if line.replaces:
            self.lines.pop()
        self.lines.append(f"!{line.text}" if line.is_error else line.text)


@pytest.fixture
def screen():
    return Screen()


@given(text=st.text(st.sampled_from("ab\r\n")), cuts=st.lists(st.integers(0, 40), max_size=5))
def test_pieces_make_no_difference(text, cuts):
    """AGT-1: the lines are the same however a text is cut; of a line that was begun anew the last state stays."""
    screen = Screen()
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    for start, end in zip(edges, edges[1:]):
        screen.console.feed(text[start:end])
    screen.console.close()
    whole = Screen()
    whole.console.feed(text)
    whole.console.close()
    assert screen.lines == whole.lines
    ends = [[part for part in line.split("\r") if part] for line in text.split("\n")]
    last = ends.pop()
    assert whole.lines == [(parts or [""])[-1] for parts in ends] + last[-1:]


def test_a_progress_bar_is_one_line_and_throttled(screen):
    """AGT-1: a bar that is drawn 1000 times in ten seconds is told about once a second, and its end for sure."""
    for percent in range(1000):
        screen.console.feed(f"\r{percent / 10:.1f} %")
        screen.now += 0.01
    screen.console.feed("\r100 %\ndone\n")
    assert screen.lines == ["100 %", "done"]
    assert 8 <= screen.told <= 14


def test_a_bar_that_rests_is_told(screen):
    """AGT-1."""
    screen.console.feed("\r1 %\r2 %")
    screen.console.feed("\r3 %")
    assert screen.lines == ["1 %"]
    screen.now += THROTTLE_S
    screen.console.tick()
    screen.console.tick()
    assert (screen.lines, screen.told) == (["3 %"], 2)


def test_only_the_last_line_is_replaced(screen):
    """AGT-1: a line of the other stream between two states of a bar stays."""
    screen.console.feed("\r1 %\r2", is_error=True)
    screen.console.feed("loss 0.5\n")
    screen.now += THROTTLE_S
    screen.console.feed(" %\r3 %\n", is_error=True)
    assert screen.lines == ["!1 %", "loss 0.5", "!3 %"]


def test_a_very_long_line_becomes_several(screen):
    """AGT-1: nothing of it is lost, and it is told before it ends."""
    text = "".join(chr(97 + number % 26) for number in range(3 * MAX_LINE + 5))
    screen.console.feed(text)
    assert len(screen.lines) == 3
    screen.console.feed("\n")
    assert "".join(screen.lines) == text
    assert max(map(len, screen.lines)) == MAX_LINE


def test_the_form_of_a_line():
    """AGT-1: UTC with microseconds, the level of stderr, a carriage return before what replaces."""
    assert stamped(Line("x", False, 0.5, False)) == "1970-01-01T00:00:00.500000 x"
    assert stamped(Line("x", True, 0.0, True)) == "\rERROR 1970-01-01T00:00:00.000000 x"
