"""Money: lines add up, whatever was used; numbers have no gaps, whoever comes at once (BIL-10)."""

import threading
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal

import pytest
from django.core import mail
from django.db import connection, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from billing.invoices import closing
from billing.invoices.drafts import LineDraft, overage_drafts, quantity_text, recurring_drafts
from billing.invoices.issuing import issue
from billing.models import Invoice, InvoiceKind, InvoiceLine, PeriodClose, Plan, Subscription, UsageAlert
from billing.plans.pricing import overage_usd, usage_lines
from billing.subscriptions.selectors import subscription_of
from billing.tests.used import metered, payer, used
from billing.usage_alerts import services as usage_alerts
from tests.factories import OrganizationFactory
from tests.suite.examples import examples
from tests.waiting import PATIENCE_S
from usage.periods import Period
from usage.reports.usage_totals import Amounts
from usage.units import GB

NOVEMBER = Period(date(2026, 11, 1), date(2026, 12, 1))
BEGUN = datetime(2026, 11, 3, 12, tzinfo=UTC)
AT = datetime(2026, 12, 1, 6, tzinfo=UTC)
prices = st.decimals(0, 500, places=4)
limits = st.none() | st.integers(0, 10_000)
plans = st.builds(
    Plan,
    price_usd=prices,
    included_hours=limits,
    hour_price_usd=st.none() | prices,
    included_storage_gb=limits,
    storage_price_usd=st.none() | prices,
    extra_storage_price_usd=st.none() | prices,
    included_ingestion_gb=limits,
    ingestion_price_usd=st.none() | prices,
)
amounts = st.builds(
    Amounts,
    tracked_s=st.integers(0, 10**9),
    byte_seconds=st.integers(0, 10**6 * GB * NOVEMBER.seconds),
    ingested_bytes=st.integers(0, 10**6 * GB),
)


def half_up(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


@settings(deadline=None, max_examples=examples(300))
@given(plan=plans, used_=amounts, extra=st.integers(0, 5000))
def test_lines_are_rounded_once_and_add_up(plan, used_, extra):
    subscription = Subscription(plan=plan, extra_storage_gb=extra)
    lines = usage_lines(subscription, used_, NOVEMBER)
    drafts = overage_drafts(lines, NOVEMBER) + recurring_drafts(subscription, NOVEMBER)
    for draft in drafts:
        assert draft.amount_usd == half_up(draft.quantity * draft.unit_price_usd) > 0
    assert sum(draft.amount_usd for draft in overage_drafts(lines, NOVEMBER)) == overage_usd(lines)
    again = usage_lines(subscription, used_, NOVEMBER)
    assert overage_drafts(again, NOVEMBER) + recurring_drafts(subscription, NOVEMBER) == drafts


@given(
    quantity=st.decimals(0, 10**6, places=6),
    price=prices,
)
def test_printed_quantities_are_short_and_make_their_amounts(quantity, price):
    """BIL-10: "8,420 h", not "8,420.001389 h", as long as the price times it is what stands beside it."""
    line = InvoiceLine(
        category="hours",
        quantity=quantity,
        unit="h",
        unit_price_usd=price,
        amount_usd=half_up(quantity * price),
    )
    number, unit = quantity_text(line).split()
    shown, short = Decimal(number.replace(",", "")), half_up(quantity)
    assert half_up(shown * price) == line.amount_usd
    assert unit == "h"
    assert shown == short or half_up(short * price) != line.amount_usd


@pytest.mark.parametrize(
    ("quantity", "price", "said"),
    [
        ("8420.001389", "0.10", "8,420 h"),
        ("112.5", "0.10", "112.5 h"),
        ("0.000278", "99.9", "0.0003 h"),
        ("0.004999", "100", "0.005 h"),
    ],
)
def test_hours_have_two_decimals_for_people(quantity, price, said):
    amount = half_up(Decimal(quantity) * Decimal(price))
    line = InvoiceLine(
        category="hours",
        quantity=Decimal(quantity),
        unit="h",
        unit_price_usd=Decimal(price),
        amount_usd=amount,
    )
    assert quantity_text(line) == said


@pytest.mark.django_db
@settings(deadline=None, max_examples=examples(25))
@given(charges=st.lists(st.decimals(Decimal("-99.999"), 9999, places=4), min_size=1, max_size=8))
def test_printed_lines_add_up_to_the_printed_total(charges):
    with transaction.atomic():
        subscription = subscription_of(OrganizationFactory())
        drafts = [LineDraft("plan", "x", Decimal(1), "period", charge, charge) for charge in charges]
        invoice = issue(subscription, InvoiceKind.CHANGE, NOVEMBER, drafts, AT)
        expected = sum((half_up(charge) for charge in charges), Decimal(0))
        if expected <= 0:
            assert invoice is None
            assert subscription.invoices_made == 0
        else:
            assert invoice is not None
            invoice.refresh_from_db()
            assert invoice.total_usd == expected
            assert sum((line.amount_usd for line in invoice.lines.all()), Decimal(0)) == expected
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_prefixes_of_long_names_differ():
    numbers = []
    for ending in ("one", "two"):
        subscription = subscription_of(
            OrganizationFactory(name="a-very-long-name-of-a-large-laboratory-" + ending)
        )
        draft = LineDraft("plan", "x", Decimal(1), "period", Decimal(1), Decimal(1))
        with transaction.atomic():
            issue(subscription, InvoiceKind.CHANGE, NOVEMBER, [draft], AT)
        numbers.append(subscription.invoices.get().number)
    assert numbers[0] == "A-VERY-LONG-NAME-OF-A-LARGE-LABO-0001"
    assert numbers[1].startswith("A-VERY-LONG-NAME-OF-A-LARGE-LABO-")
    assert numbers[0] != numbers[1]


def at_once(*works) -> list[Exception]:
    """Let functions run in threads of their own that begin together; returns what they raised."""
    gate, raised = threading.Barrier(len(works)), []

    def run(work):
        try:
            gate.wait(timeout=PATIENCE_S)
            work()
        except Exception as error:  # noqa: BLE001 - told to the test
            raised.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE_S)
    return raised


@pytest.mark.django_db(transaction=True)
def test_many_at_once_make_no_gap_and_no_double():
    subscription = subscription_of(OrganizationFactory(name="acme"))
    draft = LineDraft("plan", "x", Decimal(1), "period", Decimal(1), Decimal(1))

    def work(number):
        def make():
            for turn in range(5):
                with transaction.atomic():
                    row = Subscription.objects.get(pk=subscription.pk)
                    issue(row, InvoiceKind.CHANGE, NOVEMBER, [draft], AT)
                    transaction.set_rollback((number + turn) % 3 == 0)

        return make

    assert at_once(*(work(number) for number in range(6))) == []
    made = Invoice.objects.order_by("sequence")
    assert [row.sequence for row in made] == list(range(1, 21))
    assert [row.number for row in made] == [f"ACME-{number:04}" for number in range(1, 21)]
    subscription.refresh_from_db()
    assert subscription.invoices_made == 20


@pytest.mark.django_db(transaction=True)
def test_two_that_close_at_once_close_once(time_machine):
    time_machine.move_to(datetime(2027, 2, 1, 12, tzinfo=UTC), tick=False)
    for _number in range(3):
        _subscription, team = payer(begun=BEGUN)
        used(team, date(2026, 11, 10), hours=600)
    assert at_once(*[closing.close_due] * 4) == []
    assert PeriodClose.objects.count() == 9
    assert sorted(Invoice.objects.values_list("sequence", flat=True)) == [1, 1, 1, 2, 2, 2, 3, 3, 3]


@pytest.mark.django_db(transaction=True)
def test_two_beats_at_once_tell_once(time_machine):
    time_machine.move_to(datetime(2026, 11, 20, tzinfo=UTC), tick=False)
    _subscription, team = payer(begun=BEGUN)
    used(team, date(2026, 11, 10), hours=600)
    metered(datetime(2026, 11, 20, tzinfo=UTC))
    assert at_once(*[usage_alerts.check_usage] * 4) == []
    assert [alert.threshold for alert in UsageAlert.objects.order_by("pk")] == [85, 100]
    assert len(mail.outbox) == 2
