"""What a program prints, as the lines of a run's log."""

from __future__ import annotations

import re
import time
from datetime import datetime, timezone
from typing import Callable, NamedTuple

MAX_LINE = 8192
"""Characters of a line; a longer one becomes several."""
THROTTLE_S = 1.0
"""How often an unfinished line, such as a progress bar, is told anew."""


_BREAK = re.compile(r"\r*\n|\r")


class Line(NamedTuple):
    text: str
    is_error: bool
    at: float
    """UTC, seconds."""
    replaces: bool
    """Whether it takes the place of the line before, as a progress bar's next state does."""


def stamped(line: Line) -> str:
    """Return a line as the server keeps it; it refuses halves of characters, which Python lets through."""
    at = datetime.fromtimestamp(line.at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")
    text = line.text.encode("utf-8", "replace").decode()
    return f"{chr(13) if line.replaces else ''}{'ERROR ' if line.is_error else ''}{at} {text}"


class Console:
    """Makes lines of the texts that two streams write, in whatever pieces.

    Args:
        emit: takes each line.
        clock: seconds that never jump; ``wall``, UTC seconds that may.
    """

    def __init__(
        self,
        emit: Callable[[Line], None],
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._emit, self._clock, self._wall = emit, clock, wall
        self._streams = (_Stream(is_error=False), _Stream(is_error=True))
        self._unfinished: _Stream | None = None
        """Whose unfinished line was told last: only the very last line can be replaced."""

    def feed(self, text: str, *, is_error: bool = False) -> None:
        """Take what a stream wrote."""
        stream = self._streams[is_error]
        text, start = stream.rest + text, 0
        for found in _BREAK.finditer(text):
            if found[0] == "\r" and found.end() == len(text):
                break  # the rest of an end of line may follow
            content, start = text[start : found.start()], found.end()
            if found[0] == "\r":
                self._begin_anew(stream, content)
            else:
                self._end(stream, content)
        while len(text) - start > MAX_LINE:
            self._end(stream, text[start : start + MAX_LINE])
            start += MAX_LINE
        stream.rest = text[start:]

    def tick(self) -> None:
        """Tell how progress bars stand that were held back; call it about once a second."""
        for stream in self._streams:
            shown = stream.rest.rstrip("\r") or stream.bar
            if stream.is_bar and shown != stream.told and self._is_due(stream):
                self._tell_unfinished(stream, shown)

    def close(self) -> None:
        """Tell what has no end of line."""
        for stream in self._streams:
            shown = stream.rest.rstrip("\r") or stream.bar
            if shown and shown != stream.told:
                self._end(stream, shown)
            stream.rest = ""

    def _begin_anew(self, stream: _Stream, content: str) -> None:
        stream.is_bar, stream.bar = True, content or stream.bar
        if content and self._is_due(stream):
            self._tell_unfinished(stream, content)

    def _end(self, stream: _Stream, content: str) -> None:
        content, replaces = content or stream.bar, self._unfinished is stream
        for start in range(0, len(content) or 1, MAX_LINE):
            piece = content[start : start + MAX_LINE]
            self._emit(Line(piece, stream.is_error, self._wall(), replaces and not start))
        self._unfinished, stream.is_bar, stream.bar, stream.told = None, False, "", ""

    def _is_due(self, stream: _Stream) -> bool:
        return self._clock() - stream.told_at >= THROTTLE_S

    def _tell_unfinished(self, stream: _Stream, content: str) -> None:
        self._emit(Line(content[:MAX_LINE], stream.is_error, self._wall(), self._unfinished is stream))
        self._unfinished, stream.told, stream.told_at = stream, content, self._clock()


class _Stream:
    """One stream's unfinished line."""

    def __init__(self, *, is_error: bool) -> None:
        self.is_error = is_error
        self.rest = ""
        self.is_bar, self.bar = False, ""
        """Whether a carriage return began the line anew, and what it showed before the rest."""
        self.told, self.told_at = "", -THROTTLE_S
