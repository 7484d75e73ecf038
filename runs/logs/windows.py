"""Windows of a console log, with secrets masked unless somebody who may asked to see them."""

from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async

from runs.logs.blocks import log_lines_between
from runs.logs.console_lines import ConsoleLine, read_line
from runs.secrets.masking import mask_lines

MAX_LINES = 5000
_BEFORE = 64
"""A private key may have begun so many lines before a window."""
_MISSING = "[line not received]"


def _window(run_id: int, start: int, stop: int, *, revealed: bool) -> tuple[list[str | None], int]:
    """Return raw lines and in how many of them something is masked."""
    before = max(0, start - _BEFORE)
    lines = log_lines_between(run_id, before, stop)
    if revealed:
        return lines[start - before :], 0
    shown, _ = mask_lines(lines)
    count = sum(
        new is not old for new, old in zip(shown[start - before :], lines[start - before :], strict=True)
    )
    return shown[start - before :], count


def read_window(
    run_id: int, start: int, stop: int, *, revealed: bool
) -> tuple[list[tuple[int, ConsoleLine]], int]:
    """Return the lines there are, each with its number, and in how many something is masked."""
    raws, masked = _window(run_id, start, max(start, stop), revealed=revealed)
    return [(number, read_line(raw)) for number, raw in enumerate(raws, start) if raw is not None], masked


async def whole_log(run_id: int, total: int, *, revealed: bool) -> AsyncIterator[str]:
    """Yield the log in pieces, so that a long one never lies in memory whole."""
    read = sync_to_async(_window)
    for start in range(0, total, MAX_LINES):
        raws, _ = await read(run_id, start, min(total, start + MAX_LINES), revealed=revealed)
        yield "".join(f"{_MISSING if raw is None else read_line(raw).text}\n" for raw in raws)
