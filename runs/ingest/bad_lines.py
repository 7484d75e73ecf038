"""Lines that could not be read or stored: listed on the run, and marked on its timeline (RUN-8)."""

from django.utils.translation import ngettext

from runs.lifecycle.participants import TimelineMark
from runs.models import BadLine, Run
from runs.secrets.masking import mask

LISTED = 50
MAX_TEXT = 2000
"""Of a line, as much as is kept."""


def bad_lines_of(run: Run) -> list[BadLine]:
    """Return the newest lines set aside, secrets masked; ``run`` has its pulse loaded."""
    if not run.pulse.bad_lines:
        return []
    lines = list(BadLine.objects.filter(run=run).order_by("-pk")[:LISTED])
    for line in lines:
        line.text = mask(line.text)
    return lines


def bad_line_marks(run: Run) -> list[TimelineMark]:
    """Return a mark where the first line was set aside; ``run`` has its pulse loaded."""
    count = run.pulse.bad_lines
    first = BadLine.objects.filter(run=run).order_by("pk").first() if count else None
    if first is None:
        return []
    text = ngettext("%(n)d line skipped", "%(n)d lines skipped", count) % {"n": count}
    return [TimelineMark(first.at, text)]
