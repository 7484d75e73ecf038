"""Which process wrote which lines of a run's console log (several nodes write to one run)."""

import re
from dataclasses import dataclass, field

from metrics.models import Sequence, StreamKind
from runs.config.flatten import sdk_part
from runs.logs.blocks import LINES_PER_BLOCK, log_lines_between
from runs.logs.console_lines import read_line
from runs.models import Run

_LABEL = re.compile(r"\[([^\]]{1,80})\] ")
MAX_RANGES = 50_000


@dataclass(slots=True)
class LogWriterProcess:
    """One process."""

    id: str
    label: str
    ranges: list[tuple[int, int]] = field(default_factory=list)
    """(first line, lines), rising, none touching another."""


def _label(about: object, number: int, first_line: str | None) -> str:
    """Name a process: by the label that its SDK writes before each line, by its host, by its number."""
    labelled = _LABEL.match(read_line(first_line).text) if first_line else None
    if labelled:
        return labelled[1]
    if isinstance(about, dict) and about.get("host"):
        return f"{number} · {about['host']}"
    return str(number)


def _add(ranges: list[tuple[int, int]], first: int, count: int) -> None:
    if ranges and first <= sum(ranges[-1]):
        start = ranges[-1][0]
        ranges[-1] = start, max(sum(ranges[-1]), first + count) - start
    elif count:
        ranges.append((first, count))


def writers_of(run: Run) -> list[LogWriterProcess]:
    """Return who wrote to the log, in the order of their first lines; two queries."""
    rows = Sequence.objects.filter(run=run, kind=StreamKind.LOG).order_by("base_row", "pk")
    about = sdk_part(run.config_text).get("e", {})
    beginning = log_lines_between(run.pk, 0, LINES_PER_BLOCK)
    found: dict[str, LogWriterProcess] = {}
    for writer, first, count in rows.values_list("writer", "base_row", "row_count")[:MAX_RANGES]:
        known = found.get(writer)
        if known is None:
            line = beginning[first] if first < len(beginning) else None
            label = _label(about.get(writer) if isinstance(about, dict) else None, len(found) + 1, line)
            known = found[writer] = LogWriterProcess(writer, label)
        _add(known.ranges, first, count)
    return list(found.values())
