"""How far the meter came: a row that whoever counts locks first, so that one counts at a time."""

from datetime import date, datetime

from usage.metering.day_sums import DaySums, open_month
from usage.metering.seconds import day_of
from usage.models import MeterState
from usage.periods import month_of


def locked_state() -> MeterState:
    """Lock the row until the transaction ends; make it the first time."""
    MeterState.objects.get_or_create(pk=1)
    return MeterState.objects.select_for_update().get(pk=1)


def open_months(state: MeterState, now: datetime) -> date:
    """Write the opening bytes of the months that have begun, however many; return the last of them."""
    current = month_of(day_of(now)).start
    if state.opened_month is None:  # nothing was counted yet, hence nothing was held
        state.opened_month = current
        state.save(update_fields=["opened_month"])
    while state.opened_month < current:
        state.opened_month = month_of(state.opened_month).end
        open_month(state.opened_month)
        state.save(update_fields=["opened_month"])
    return state.opened_month


def begin_sums(now: datetime) -> DaySums:
    """Lock the meter and return what adds up the ledgers; part of a transaction, which writes it."""
    return DaySums(open_months(locked_state(), now))
