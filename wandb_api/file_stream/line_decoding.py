"""Decoding the JSON lines of a post, whose memory is bounded: what is set aside is never held decoded with the rest."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings

from ingest.endpoint.request_body import too_many_lines
from ingest.endpoint.validation import rejection_reason
from metrics.ingest.key_limit import excess_reason
from metrics.store.codec import read_lines
from runs.config.width import excess_of_text

_VALUES_A_LINE = 4
"""On average over a post of as many lines as are taken."""

Row = dict[str, Any]


def decode_lines(lines: Sequence[str]) -> tuple[list[Row], dict[int, str]]:
    """Return the rows, and by number why some are set aside; those are empty, so that offsets hold.

    Raises:
        TooLarge: more values than a post may have.
    """
    commas = [line.count(",") for line in lines]
    if sum(commas) > _VALUES_A_LINE * settings.FILE_STREAM_MAX_LINES:
        raise too_many_lines()
    reasons = {number: reason for number, line in enumerate(lines) if (reason := excess_of_text(line))}
    kept = ["{}" if number in reasons else line for number, line in enumerate(lines)] if reasons else lines
    keys = _SharedKeys() if sum(commas) > settings.RUN_MAX_KEYS else None
    rows: list[Row] = []
    for part in _parts(kept, commas):
        for number, (row, reason) in enumerate(_decoded(part), len(rows)):
            found = reason or rejection_reason(row) or (keys.excess(row) if keys else "")
            if found:
                reasons[number] = found
            rows.append({} if found else keys.shared(row) if keys else row)
    return rows, reasons


def _parts(lines: Sequence[str], commas: Sequence[int]) -> Iterator[Sequence[str]]:
    """Yield the lines, by as many as may have all keys of a run."""
    start = count = 0
    for number, more in enumerate(commas):
        if number > start and count + more > settings.RUN_MAX_KEYS:
            yield lines[start:number]
            start, count = number, 0
        count += more
    yield lines[start:]


def _decoded(lines: Sequence[str]) -> list[tuple[Row, str]]:
    """Return each line's row, or an empty one and why."""
    rows, bad = read_lines(lines)
    if not bad:
        return [(row, "") for row in rows]
    reasons, good = dict(bad), iter(rows)
    return [({}, reasons[line]) if line in reasons else (next(good), "") for line in lines]


class _SharedKeys:
    """The keys of a post that has more values than a run may have keys: each is held once, and too many are refused."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def excess(self, row: Row) -> str:
        """Say that the rows so far and this one have more keys than any run; twice that, since paths have several."""
        found = {key for key in _keys_in(row) if key not in self._known}
        if len(self._known) + len(found) > 2 * settings.RUN_MAX_KEYS:
            return excess_reason()
        self._known.update(zip(found, found, strict=True))
        return ""

    def shared(self, value: Any) -> Any:
        """Return a value whose keys are those that are held."""
        if type(value) is dict:
            return {self._known[key]: self.shared(item) for key, item in value.items()}
        return [self.shared(item) for item in value] if type(value) is list else value


def _keys_in(value: Any) -> Iterator[str]:
    if type(value) is dict:
        yield from value
    elif type(value) is not list:
        return
    for item in value.values() if type(value) is dict else value:
        if type(item) in (dict, list):
            yield from _keys_in(item)
