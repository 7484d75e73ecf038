"""Work of a request that computes over much data: few at once, and so much of it in a minute for each caller.

A page that does such work declares it by `heavy_work`, also as a decorator. What it costs is charged by
`charge_processor_time` when the request has ended, whatever the request was.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.utils.translation import gettext as _

from common.budgets.budget import Budget, current
from common.budgets.gate import Gate
from common.errors import TooManyRequests
from common.rate_limits import spend, spent

AT_ONCE, EACH = 4, 2
"""Of a web process: computations share one interpreter, and each slows all other requests down."""
_gate = Gate(at_once=AT_ONCE, each=EACH, waiting=8, wait_s=20)
_WHAT = "processor"
_WINDOW_S = 60
_CHARGED_S = 0.25
"""Requests that cost less are not charged: a page of a project costs half of it."""


@contextmanager
def heavy_work() -> Iterator[Budget]:
    """Wait for a place, and give the budget, by which to look whether to go on.

    Raises:
        TooManyRequests: the caller has used up the processor time of this minute, or has too much under way.
        Unavailable: everyone has.
    """
    budget = current()
    require_allowance()
    with _gate.passing(budget.caller):
        yield budget


def require_allowance() -> None:
    """Let callers pass that have processor time left in this minute.

    Raises:
        TooManyRequests: this one has none.
    """
    limit, caller = settings.PROCESSOR_RATE, current().caller
    if limit and caller and processor_seconds(caller) >= limit:
        text = _(
            "You have used %(limit)s seconds of processor time in a minute (setting %(setting)s); try again soon."
        )
        setting = "RUNYARD_PROCESSOR_RATE"
        raise TooManyRequests(text % {"limit": limit, "setting": setting}, wait_s=_WINDOW_S, setting=setting)


def processor_seconds(caller: str) -> int:
    """Return what a caller has used in the present minute; 0 where that is not known."""
    amounts = spent(_WHAT, [caller], window_s=_WINDOW_S)
    return amounts[0] // 1000 if amounts else 0


def charge_processor_time(budget: Budget) -> None:
    """Count what a request has cost against its caller's minute."""
    seconds = budget.seconds
    if budget.caller and seconds > _CHARGED_S and settings.PROCESSOR_RATE:
        amount = int(seconds * 1000)
        spend(_WHAT, budget.caller, limit=settings.PROCESSOR_RATE * 1000, window_s=_WINDOW_S, amount=amount)
