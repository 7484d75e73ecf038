"""Closing periods: what is charged, once, in order, and to whom not (BIL-10)."""

from collections import Counter
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import override_settings
from django.utils import timezone

from access.models import AuditEntry
from billing.invoices import closing
from billing.models import Invoice, InvoiceStatus, PeriodClose, Plan, Subscription
from billing.subscriptions.selectors import subscription_of_team
from billing.subscriptions.usage import use_of
from billing.tests.used import holds, payer, used
from storage.models import ByteEntry
from teams.models import Organization, Team
from tests.factories import UserFactory, delivered
from usage.metering import meter
from usage.models import TrackedInterval
from usage.periods import Period
from usage.units import GB

BEGUN = datetime(2026, 11, 3, 12, tzinfo=UTC)
CLOSED = datetime(2026, 12, 1, 6, tzinfo=UTC)
NOVEMBER = date(2026, 11, 1)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def late(time_machine):
    time_machine.move_to(datetime(2027, 6, 15, tzinfo=UTC))


def printed(invoice: Invoice) -> list[tuple[str, str, str]]:
    return [(line.category, line.description, str(line.amount_usd)) for line in invoice.lines.all()]


def test_an_invoice_charges_what_was_used_above_and_the_next_period_in_advance():
    subscription, team = payer(name="acme", begun=BEGUN, extra_storage_gb=20)
    used(team, date(2026, 11, 30), hours=612.5, ingested_gb=10.555)
    holds(team, NOVEMBER, 150)
    assert closing.close_due(CLOSED) == 1
    invoice = Invoice.objects.get()
    assert printed(invoice) == [
        ("hours", "Tracked hours above 500 h, 2026-11-01 to 2026-11-30", "11.25"),
        ("storage", "Storage above 120 GB, 2026-11-01 to 2026-11-30", "0.90"),
        ("ingestion", "Trace data above 10 GB, 2026-11-01 to 2026-11-30", "0.06"),
        ("plan", "Pro plan, 2026-12-01 to 2026-12-31", "60.00"),
        ("extra_storage", "Extra storage, 2026-12-01 to 2026-12-31", "0.50"),
    ]
    assert (invoice.number, invoice.total_usd) == ("ACME-0001", Decimal("72.71"))
    assert (invoice.period_start, invoice.period_end) == (NOVEMBER, date(2026, 12, 1))
    close = PeriodClose.objects.get()
    assert close.usage["invoice"] == "ACME-0001"
    assert close.usage["lines"][0] == {
        "category": "hours", "used": "612.5", "included": "500", "unit": "h", "price_usd": "0.1", "amount_usd": "11.25",
    }  # fmt: skip
    subscription.refresh_from_db()
    assert subscription.closed_to == date(2026, 12, 1)
    assert delivered()[-1].subject == "Invoice ACME-0001 for acme: $72.71"


def test_closing_again_changes_nothing():
    payer(begun=BEGUN)
    assert closing.close_due(CLOSED) == 1
    before = list(Invoice.objects.values())
    assert closing.close_due(CLOSED) == 0
    assert closing.close_due(CLOSED + timedelta(days=20)) == 0
    assert list(Invoice.objects.values()) == before


@pytest.mark.parametrize(("grace_h", "closed"), [(6, 0), (5, 1)])
def test_a_period_waits_for_late_heartbeats(grace_h, closed):
    payer(begun=BEGUN)
    with override_settings(BILLING_GRACE_H=grace_h):
        assert closing.close_due(CLOSED - timedelta(seconds=1)) == closed


def test_months_that_were_missed_are_closed_in_order_with_their_own_use():
    _subscription, team = payer(begun=BEGUN)
    used(team, date(2026, 11, 30), hours=510)
    used(team, date(2026, 12, 1), hours=520)
    used(team, date(2027, 2, 1), hours=530)
    assert closing.close_due(datetime(2027, 3, 1, 12, tzinfo=UTC)) == 4
    invoices = list(Invoice.objects.order_by("sequence"))
    assert [(row.sequence, row.period_start, str(row.total_usd)) for row in invoices] == [
        (1, date(2026, 11, 1), "61.00"),
        (2, date(2026, 12, 1), "62.00"),
        (3, date(2027, 1, 1), "60.00"),
        (4, date(2027, 2, 1), "63.00"),
    ]


def test_periods_begin_on_the_anchor_day():
    subscription, team = payer(begun=BEGUN, anchor_day=15)
    used(team, date(2026, 11, 14), hours=510)
    used(team, date(2026, 11, 15), hours=520)
    assert closing.close_due(datetime(2026, 12, 15, 6, tzinfo=UTC)) == 2
    closes = PeriodClose.objects.order_by("period_start").values_list("period_start", "period_end")
    assert list(closes) == [
        (date(2026, 10, 15), date(2026, 11, 15)),
        (date(2026, 11, 15), date(2026, 12, 15)),
    ]
    assert [str(row.total_usd) for row in subscription.invoices.order_by("sequence")] == ["61.00", "62.00"]


def test_an_anchor_day_that_was_changed_makes_one_short_period_and_no_gap():
    subscription, _team = payer(begun=BEGUN, closed_to=NOVEMBER, anchor_day=10)
    assert closing.close_due(datetime(2026, 12, 10, 6, tzinfo=UTC)) == 2
    closes = PeriodClose.objects.order_by("period_start").values_list("period_start", "period_end")
    assert list(closes) == [(NOVEMBER, date(2026, 11, 10)), (date(2026, 11, 10), date(2026, 12, 10))]
    subscription.refresh_from_db()
    assert subscription.closed_to == date(2026, 12, 10)


def test_what_was_chosen_for_later_begins_with_the_next_period():
    free = Plan.objects.get(key="free")
    subscription, team = payer(
        begun=BEGUN, extra_storage_gb=50, next_plan=free, next_extra_storage_gb=0, gateway="manual"
    )
    used(team, date(2026, 11, 30), hours=510)
    closing.close_due(CLOSED)
    subscription.refresh_from_db()
    assert (subscription.plan.key, subscription.extra_storage_gb) == ("free", 0)
    assert (subscription.next_plan, subscription.next_extra_storage_gb) == (None, None)
    # the ended period by the old plan's terms, and nothing in advance for the free one
    assert [line[0] for line in printed(Invoice.objects.get())] == ["hours"]
    entry = AuditEntry.objects.get(action="billing_period.begin")
    assert (entry.before["plan"], entry.after["plan"]) == ("pro", "free")


def test_the_whole_period_is_charged_by_the_terms_at_its_end():
    subscription, team = payer("free", begun=BEGUN)
    used(team, date(2026, 11, 10), hours=600)
    Subscription.objects.filter(pk=subscription.pk).update(plan=Plan.objects.get(key="pro"))
    closing.close_due(CLOSED)
    assert printed(Invoice.objects.get())[0][2] == "10.00"


def test_what_ended_is_closed_by_its_own_terms_before_a_plan_changes():
    subscription, team = payer("free", begun=BEGUN)
    used(team, date(2026, 11, 10), hours=600)
    at = datetime(2026, 12, 1, 0, 0, 1, tzinfo=UTC)
    assert closing.close_ended(subscription, at) == 1
    assert subscription.closed_to == date(2026, 12, 1)
    assert not Invoice.objects.exists()


@pytest.mark.parametrize("plan", ["self-hosted", "free", "academic", "enterprise"])
def test_no_charge_no_invoice(plan):
    _subscription, team = payer(plan, begun=BEGUN)
    used(team, date(2026, 11, 10), hours=5000, ingested_gb=500)
    assert closing.close_due(CLOSED) == 1
    assert PeriodClose.objects.get().usage["used"]["tracked_s"] == 5000 * 3600
    assert not Invoice.objects.exists()
    assert not delivered()


def test_personal_entities_are_closed_and_never_invoiced():
    person = UserFactory()
    team = Team.objects.get(claim=person.claim)
    subscription = subscription_of_team(team)
    Subscription.objects.filter(pk=subscription.pk).update(created_at=BEGUN, plan=Plan.objects.get(key="pro"))
    used(team, date(2026, 11, 10), hours=600)
    assert closing.close_due(CLOSED) == 1
    assert PeriodClose.objects.get().usage["lines"][0]["amount_usd"] == "10.00"
    assert not Invoice.objects.exists()


def test_a_deleted_organization_pays_what_it_used_and_nothing_in_advance():
    subscription, team = payer(begun=BEGUN)
    used(team, date(2026, 11, 10), hours=510)
    used(team, date(2026, 12, 1), hours=700)
    gone_at = datetime(2026, 11, 20, tzinfo=UTC)
    Organization.objects.filter(subscription=subscription).update(deleted_at=gone_at)
    assert closing.close_due(datetime(2027, 2, 1, 6, tzinfo=UTC)) == 1
    assert [line[0] for line in printed(Invoice.objects.get())] == ["hours"]
    assert len(delivered()) == 1
    assert (
        list(closing._subscriptions_to_close(datetime(2027, 2, 1, 6, tzinfo=UTC)).filter(pk=subscription.pk))
        == []
    )


def test_one_that_fails_holds_up_nobody_and_is_tried_again(caplog):
    broken, _team = payer(name="broken", begun=BEGUN)
    fine, _team = payer(name="fine", begun=BEGUN)
    close = PeriodClose.objects.create(
        subscription=broken, period_start=NOVEMBER, period_end=date(2026, 12, 1)
    )  # as if somebody had edited tables by hand
    outcome = closing.close_all(CLOSED)
    assert (outcome.closed, outcome.failed) == (1, ["broken"])
    assert "a billing period of broken could not be closed" in caplog.text
    assert not broken.invoices.exists()
    assert fine.invoices.count() == 1
    broken.refresh_from_db()
    assert (broken.closed_to, broken.invoices_made) == (None, 0)
    close.delete()
    assert closing.close_due(CLOSED) == 1


def test_the_command_closes_until_a_day_and_says_how_many(time_machine):
    time_machine.move_to(datetime(2026, 12, 1, 0, 5, tzinfo=UTC), tick=False)
    payer(begun=BEGUN)
    out = StringIO()
    call_command("close_billing", stdout=out)
    assert '"closed": 0' in out.getvalue()
    call_command("close_billing", "--until", "2027-06-01", stdout=out)
    assert '"closed": 1' in out.getvalue()
    assert Invoice.objects.get().issued_at == timezone.now()


def test_bank_transfers_are_due_in_two_weeks_and_reminded_of_thrice(time_machine):
    from billing.invoices.services import mark_paid, remind_overdue

    time_machine.move_to(CLOSED, tick=False)
    payer(name="acme", begun=BEGUN)
    closing.close_due()
    invoice = Invoice.objects.get()
    assert invoice.due_at == CLOSED + timedelta(days=14)
    assert invoice.by_transfer
    for day in (13, 14, 14, 20, 21, 28, 35, 100):
        remind_overdue(CLOSED + timedelta(days=day))
    subjects = Counter(mail.subject for mail in delivered())
    assert subjects == {"Invoice ACME-0001 for acme: $60.00": 1, "Overdue: invoice ACME-0001 for acme": 3}
    mark_paid(invoice=invoice, payment_ref="B-1", at=CLOSED)
    invoice.refresh_from_db()
    assert invoice.status == InvoiceStatus.PAID


def test_a_reminder_that_fails_holds_up_no_other(time_machine, monkeypatch, caplog):
    """BIL-10: it is logged, and tried again."""
    from billing.invoices import mails as invoice_mails
    from billing.invoices.services import remind_overdue

    time_machine.move_to(CLOSED, tick=False)
    for name in ("broken", "fine"):
        payer(name=name, begun=BEGUN)
    closing.close_due()
    tell = invoice_mails.mail_overdue

    def breaks(invoice):
        if invoice.number.startswith("BROKEN"):
            raise LookupError("template")
        tell(invoice)

    monkeypatch.setattr(invoice_mails, "mail_overdue", breaks)
    assert remind_overdue(CLOSED + timedelta(days=14)) == 1
    assert "invoice BROKEN-0001 could not be reminded of" in caplog.text
    monkeypatch.setattr(invoice_mails, "mail_overdue", tell)
    assert remind_overdue(CLOSED + timedelta(days=14)) == 1


def test_what_the_ledgers_hold_is_charged_though_the_meter_slept_for_months(time_machine):
    """The meter and the beat missed two months (BIL-4, BIL-10): each month is charged its own part, once."""
    Plan.objects.filter(key="pro").update(included_hours=10)
    time_machine.move_to(datetime(2026, 11, 10, tzinfo=UTC), tick=False)
    subscription, team = payer(begun=BEGUN)
    of = {"team_id": team.pk, "project_id": 1, "run_id": 1}
    ByteEntry.objects.create(**of, category="file", delta_bytes=200 * GB)
    began = datetime(2026, 11, 29, tzinfo=UTC)
    TrackedInterval.objects.create(
        **of, began_at=began, ended_at=began + timedelta(days=3), not_before=began, counted_to=began
    )
    time_machine.move_to(datetime(2027, 2, 1, 7, tzinfo=UTC), tick=False)
    assert closing.close_due() == 3
    amounts = [[line[2] for line in printed(row)] for row in Invoice.objects.order_by("sequence")]
    assert amounts == [["3.80", "1.20", "60.00"], ["1.40", "3.00", "60.00"], ["3.00", "60.00"]]
    meter.run_meter()
    meter.rebuild()
    assert closing.close_due() == 0
    for close in PeriodClose.objects.all():
        use = use_of(subscription, Period(close.period_start, close.period_end))
        assert asdict(use) == close.usage["used"]
