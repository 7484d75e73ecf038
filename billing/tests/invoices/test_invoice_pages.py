"""Pages, files, REST and the admin of invoices (BIL-10)."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client, override_settings
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.models import User
from billing.invoices import closing
from billing.invoices import services as invoices
from billing.invoices.fonts import marked
from billing.invoices.pdf import pdf_of
from billing.models import Invoice, InvoiceLine, InvoiceStatus, Plan, Subscription, UsageAlert
from billing.tests.used import holds, payer, used
from billing.usage_alerts.selectors import alerts_sent
from teams.models import Team
from tests.factories import UserFactory, delivered, make_key, make_member
from tests.plans import offer_plans

BEGUN = datetime(2026, 11, 3, 12, tzinfo=UTC)
LIST = "/organizations/acme/billing/invoices"
ONE = f"{LIST}/ACME-0001"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def now(time_machine):
    time_machine.move_to(datetime(2026, 12, 1, 7, tzinfo=UTC), tick=False)
    return time_machine


@pytest.fixture
def acme() -> tuple[Subscription, Team, User]:
    """Return a payer with one open invoice over $72.71."""
    admin = UserFactory(username="ada")
    address = {"billing_name": "Acme <Labs>", "billing_address": "1 Long Street\nSpringfield"}
    subscription, team = payer(name="acme", begun=BEGUN, admin=admin, extra_storage_gb=20, **address)
    used(team, BEGUN.date(), hours=612.5, ingested_gb=10.555)
    holds(team, BEGUN.date().replace(day=1), 150)
    with override_settings(
        BILLING_SELLER="Example GmbH\\nHauptstraße 1", BILLING_BANK_DETAILS="IBAN DE02 1203"
    ):
        closing.close_due()
    return subscription, team, admin


def test_the_list_shows_number_total_and_state(client: Client, acme):
    client.force_login(acme[2])
    page = client.get(LIST).content.decode()
    assert all(said in page for said in ("ACME-0001", "$72.71", "Open", f"{ONE}.pdf"))
    invoices.mark_paid(invoice=Invoice.objects.get(), payment_ref="B-7", at=BEGUN)
    assert "Paid" in client.get(LIST).content.decode()


def test_an_invoice_shows_both_sides_its_lines_and_how_to_pay(client: Client, acme):
    client.force_login(acme[2])
    page = client.get(ONE).content.decode()
    for said in (
        "Example GmbH", "Hauptstraße 1", "Acme &lt;Labs&gt;", "Springfield", "IBAN DE02 1203", "112.5",
        "Tracked hours above 500 h, 2026-11-01 to 2026-11-30", "$11.25", "$0.025", "$72.71", "Dec. 15, 2026",
    ):  # fmt: skip
        assert said in page


def test_people_read_short_quantities_and_programs_exact_ones(client: Client, acme):
    """BIL-10: the page rounds hours to hundredths, REST does not."""
    client.force_login(acme[2])
    line = InvoiceLine.objects.get(category="hours")
    InvoiceLine.objects.filter(pk=line.pk).update(quantity="112.501389")
    assert "112.5 h<" in client.get(ONE).content.decode()
    head: Any = {"headers": {"Authorization": f"Bearer {make_key(acme[2])}"}}
    lines = client.get("/api/v1/organizations/acme/invoices/ACME-0001/lines/", **head).json()
    assert "112.501389" in [one["quantity"] for one in lines]


def test_what_was_printed_stays_when_the_payer_moves(client: Client, acme):
    subscription, _team, admin = acme
    Subscription.objects.filter(pk=subscription.pk).update(billing_name="Other", billing_address="Elsewhere")
    client.force_login(admin)
    assert "Springfield" in client.get(ONE).content.decode()


def test_the_pdf_is_a_file_of_the_same_bytes(client: Client, acme):
    client.force_login(acme[2])
    reply = client.get(f"{ONE}.pdf")
    assert reply["Content-Type"] == "application/pdf"
    assert reply["Content-Disposition"] == 'attachment; filename="ACME-0001.pdf"'
    assert "no-store" in reply["Cache-Control"]
    assert reply.content.startswith(b"%PDF-")
    assert client.get(f"{ONE}.pdf").content == reply.content
    invoices.mark_void(actor=SYSTEM, invoice=Invoice.objects.get())
    assert client.get(f"{ONE}.pdf").content != reply.content


@pytest.mark.parametrize(
    "name", ["株式会社ランヤード", "한국기계학습연구원", "Łódź & Söhne <b>\r\n\t", "研究院 😀"]
)
def test_names_of_all_scripts_are_drawn(acme, name):
    row = Invoice.objects.get()
    row.details["buyer"] |= {"name": name, "address": name * 30}
    assert pdf_of(row) == pdf_of(row)


@pytest.mark.parametrize(
    ("text", "fonts"),
    [
        ("Acme – Söhne €", ["Helvetica"]),
        ("Zakłady Łódź", ["DejaVuSans"]),
        ("Đà Nẵng", ["DejaVuSans"]),
        ("Київ & Αθήνα", ["DejaVuSans"]),
        ("Acme 株式会社", ["Helvetica", "HeiseiKakuGo-W5"]),
        ("한국 Łódź", ["HYGothic-Medium", "DejaVuSans"]),
    ],
)
def test_each_script_has_a_font_and_keeps_its_letters(text: str, fonts: list[str]):
    """BIL-10: no name loses a letter or an accent on paper."""
    markup = marked(text)
    assert re.findall(r'<font name="([^"]+)">', markup) == fonts
    assert unescape(re.sub("<[^>]+>", "", markup)) == text


def test_many_lines_go_over_pages_that_are_counted(acme):
    row = Invoice.objects.get()
    more = (
        InvoiceLine(
            invoice=row, position=10 + number, category="hours", description="A line " * 20, quantity=1, unit="h",
            unit_price_usd=1, amount_usd=1,
        )
        for number in range(80)
    )  # fmt: skip
    row.lines.bulk_create(more)
    assert len(re.findall(rb"/Type /Page\b", pdf_of(row))) > 3


def test_only_admins_of_the_organization_see_invoices(client: Client, acme):
    _subscription, team, _admin = acme
    people: dict[int, User] = {
        200: make_member(team, Preset.ORGANIZATION_ADMIN),
        403: make_member(team, Preset.MEMBER),
        404: UserFactory(),
    }
    for status, person in people.items():
        client.force_login(person)
        for path in (LIST, ONE, f"{ONE}.pdf"):
            assert client.get(path).status_code == status, path


def test_another_organizations_number_is_not_here(client: Client, acme):
    payer(name="other", begun=BEGUN, admin=acme[2])
    client.force_login(acme[2])
    assert client.get("/organizations/other/billing/invoices/ACME-0001").status_code == 404


@pytest.mark.parametrize(
    ("plan", "said"), [("free", "You get an invoice at the end"), ("enterprise", "sales@")]
)
def test_without_invoices_the_page_says_why(client: Client, plan, said):
    admin = UserFactory()
    offer_plans()
    payer(plan, name="acme", begun=BEGUN, admin=admin)
    client.force_login(admin)
    with override_settings(SALES_CONTACT="sales@example.com"):
        assert said in client.get(LIST).content.decode()


def test_the_list_asks_little_however_many_there_are(client: Client, acme, django_assert_max_num_queries):
    subscription, _team, admin = acme
    for number in range(2, 30):
        Invoice.objects.create(
            subscription=subscription, sequence=number, number=f"ACME-{number:04}", kind="change",
            period_start=BEGUN.date(), period_end=BEGUN.date(), due_at=BEGUN, total_usd=5,
        )  # fmt: skip
    client.force_login(admin)
    with django_assert_max_num_queries(32):
        assert client.get(LIST).status_code == 200


def test_a_failed_payment_is_told_with_what_happens_next(client: Client, acme):
    row = Invoice.objects.get()
    later = BEGUN + timedelta(days=40)
    invoices.mark_failed(
        invoice=row, reason="Card declined.", at=BEGUN, payment_ref="pi_1", next_attempt_at=later
    )
    client.force_login(acme[2])
    page = client.get(ONE).content.decode()
    assert "Card declined." in page
    assert "Dec. 13, 2026" in page
    assert "Payment failed" in client.get(LIST).content.decode()
    mail = delivered()[-1]
    assert "retried on Dec. 13, 2026" in " ".join(mail.body.split())


def test_rest_lists_reads_and_downloads(client: Client, acme):
    base = "/api/v1/organizations/acme/invoices/"
    head: Any = {"headers": {"Authorization": f"Bearer {make_key(acme[2])}"}}
    (row,) = client.get(base, **head).json()["results"]
    assert (row["number"], row["total_usd"], row["by_transfer"]) == ("ACME-0001", "72.71", True)
    assert client.get(f"{base}?status=paid", **head).json()["results"] == []
    assert client.get(f"{base}ACME-0001/", **head).json() == row
    lines = client.get(f"{base}ACME-0001/lines/", **head).json()
    assert [line["amount_usd"] for line in lines] == ["11.25", "0.90", "0.06", "60.00", "0.50"]
    for accept in ("*/*", "application/pdf"):
        asked = {**head["headers"], "Accept": accept}
        assert client.get(f"{base}ACME-0001/pdf/", headers=asked).content.startswith(b"%PDF-")
    assert client.get(f"{base}ACME-0002/", **head).status_code == 404


@pytest.fixture
def operator(client: Client) -> Client:
    """Return the browser of an operator."""
    client.force_login(UserFactory(username="boss", is_operator=True))
    return client


def act(client: Client, slug: str, **typed: str) -> str:
    row = Invoice.objects.get()
    reply = client.post(f"/admin/billing/invoice/{row.pk}/do/{slug}/", typed, follow=True)
    return reply.content.decode()


def test_operators_note_transfers_and_void(operator: Client, acme):
    act(operator, "paid", payment_ref="2026/4711", on="2026-12-05")
    row = Invoice.objects.get()
    assert (row.status, row.ref) == (InvoiceStatus.PAID, "2026/4711")
    assert row.payments.get().status == "succeeded"
    entry = AuditEntry.objects.get(action="invoice.pay")
    assert (entry.actor_name, entry.organization_id) == ("boss", acme[0].organization_id)


def test_operators_void_with_a_reason_only(operator: Client, acme):
    assert "void" not in Invoice.objects.get().status
    act(operator, "void", reason="")
    assert Invoice.objects.get().status == InvoiceStatus.OPEN
    act(operator, "void", reason="Sent twice.")
    assert Invoice.objects.get().status == InvoiceStatus.VOID
    assert "Sent twice." in delivered()[-1].body


def test_history_is_only_looked_at(operator: Client, acme):
    for model in ("invoice", "payment", "periodclose", "usagealert"):
        assert operator.get(reverse(f"admin:billing_{model}_changelist")).status_code == 200
        assert operator.get(reverse(f"admin:billing_{model}_add")).status_code == 403
    row = Invoice.objects.get()
    assert operator.get(reverse("admin:billing_invoice_change", args=[row.pk])).status_code == 200
    assert operator.post(reverse("admin:billing_invoice_delete", args=[row.pk])).status_code in {403, 404}


def test_nobody_else_marks_paid(acme):
    from access.web.requests import actor_of_user
    from common.errors import Forbidden

    with pytest.raises(Forbidden):
        invoices.mark_paid(
            actor=actor_of_user(acme[2]), invoice=Invoice.objects.get(), payment_ref="x", at=BEGUN
        )


def test_alerts_of_the_period_are_listed(acme, now):
    now.move_to(datetime(2026, 11, 20, tzinfo=UTC), tick=False)
    UsageAlert.objects.filter(subscription=acme[0]).delete()
    Plan.objects.filter(key="pro").update(has_usage_alerts=True)
    for category, threshold in (("hours", 85), ("charges", 1000)):
        UsageAlert.objects.create(
            subscription=acme[0], period_start="2026-11-01", category=category, threshold=threshold,
            recipients=["ada"],
        )  # fmt: skip
    assert [alert.words for alert in alerts_sent(acme[0])] == [
        "Charges above the plan passed $1,000",
        "Tracked hours: 85% of the limit reached",
    ]
