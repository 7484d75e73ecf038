"""The pages and REST routes of payment and of changing plans (BIL-7, BIL-8)."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client

from access.actions import Preset
from access.models import AuditEntry
from billing.invoices.pdf import pdf_of
from billing.models import Invoice, PaymentMethod, Subscription
from billing.payments import collecting
from billing.tests.paying import add_card, open_invoice, payer, plan
from tests.factories import TeamFactory, leave_open, make_key, make_member
from tests.fakes.stripe import FAILING_CARD, GOOD_CARD, REFUSED_CARD, SECRET_KEY, Stripe

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 22, 15, tzinfo=UTC)
DETAILS = {"billing_name": "Aurora Labs", "billing_address": "1 Main Street\nSpringfield"}


class Visit:
    """A billing admin at the pages of their organization."""

    def __init__(self, on: str = "pro") -> None:
        self.organization, self.who, self.subscription = payer(on, name="aurora")
        self.client = Client()
        self.client.force_login(self.organization.members.get().user)
        self.base = f"/organizations/{self.organization.name}/billing"

    def get(self, path: str = "/payment") -> Any:
        return self.client.get(self.base + path)

    def post(self, path: str, **sent: Any) -> Any:
        return self.client.post(self.base + path, sent, headers={"Accept": "text/html"}, follow=True)

    def said(self, reply: Any) -> list[str]:
        return [str(message) for message in reply.context["messages"]]

    def pay_by_transfer(self) -> None:
        self.post("/payment/add", **DETAILS)


@pytest.fixture
def visit() -> Visit:
    return Visit()


def test_cards_are_listed_with_brand_last_four_and_expiry(stripe: Stripe, visit: Visit):
    add_card(stripe, visit.organization, visit.who)
    old = add_card(stripe, visit.organization, visit.who, FAILING_CARD)
    PaymentMethod.objects.filter(pk=old.pk).update(exp_month=2, exp_year=2020)
    page = visit.get().content.decode()
    assert "Visa" in page
    assert "4242" in page
    assert "Expires 12/2031" in page
    assert "Expired" in page
    assert GOOD_CARD not in page


def test_a_card_is_added_by_its_setup_and_comes_back_to_what_asked(stripe: Stripe, visit: Visit):
    back = f"{visit.base}/change?plan=pro"
    page = visit.client.get(f"{visit.base}/payment/add", {"next": back})
    policy = page.headers["Content-Security-Policy"]
    assert "script-src 'self' 'nonce-" in policy
    for directive in ("script-src", "frame-src", "connect-src"):
        assert stripe.url in policy.split(directive)[1].split(";")[0]
    assert stripe.url not in visit.get().headers["Content-Security-Policy"], "on no other page"
    begun = visit.client.post(f"{visit.base}/payment/setup", headers={"Accept": "application/json"}).json()
    ref = stripe.confirm_card(begun["client_secret"])["id"]
    reply = visit.client.post(f"{visit.base}/payment/add", {"setup": ref, "next": back})
    assert (reply.status_code, reply.headers["Location"]) == (302, back)
    assert PaymentMethod.objects.get().last4 == "4242"


@pytest.mark.parametrize("next_", ["https://evil.example", "//evil.example", "javascript:alert(1)", ""])
def test_adding_leads_nowhere_else(visit: Visit, next_: str):
    reply = visit.client.post(f"{visit.base}/payment/add", {**DETAILS, "next": next_})
    assert reply.headers["Location"] == f"{visit.base}/payment"


def test_another_organization_s_setup_and_one_without_an_end_add_nothing(stripe: Stripe, visit: Visit):
    other, who, _subscription = payer("pro")
    add_card(stripe, other, who)
    theirs = stripe.listed("setup_intents")[-1]["id"]
    mine = visit.client.post(f"{visit.base}/payment/setup").json()["client_secret"].partition("_secret_")[0]
    for ref in (theirs, mine, "seti_unknown", ""):
        reply = visit.post("/payment/add", setup=ref)
        assert visit.said(reply)
    assert not PaymentMethod.objects.filter(subscription=visit.subscription).exists()


def test_a_card_that_the_bank_refuses_is_not_added(stripe: Stripe, visit: Visit):
    begun = visit.client.post(f"{visit.base}/payment/setup").json()
    refused = stripe.confirm_card(begun["client_secret"], REFUSED_CARD)
    assert refused["error"]["message"] == "Your card was declined."
    visit.post("/payment/add", setup=begun["client_secret"].partition("_secret_")[0])
    assert not PaymentMethod.objects.exists()


def test_when_stripe_is_down_the_page_says_so(stripe: Stripe, visit: Visit):
    stripe.is_down = True
    reply = visit.client.post(f"{visit.base}/payment/setup")
    assert reply.status_code == 503
    assert "is not responding" in reply.json()["message"]


def test_the_default_is_chosen_and_the_last_one_stays_while_it_is_needed(stripe: Stripe, visit: Visit):
    first = add_card(stripe, visit.organization, visit.who)
    second = add_card(stripe, visit.organization, visit.who, FAILING_CARD)
    reply = visit.post(f"/payment/{second.pk}", act="default")
    assert visit.said(reply) == ["Visa •••• 0341 is now the default."]
    visit.post(f"/payment/{second.pk}", act="remove")
    first.refresh_from_db()
    assert first.is_default, "the other one takes its place"
    reply = visit.post(f"/payment/{first.pk}", act="remove")
    assert "before removing the last" in visit.said(reply)[0]
    Subscription.objects.update(plan=plan("free"))
    open_invoice(visit.subscription)
    reply = visit.post(f"/payment/{first.pk}", act="remove")
    assert "There is an open invoice" in visit.said(reply)[0]
    Invoice.objects.update(status="void")
    reply = visit.post(f"/payment/{first.pk}", act="remove")
    assert visit.said(reply) == ["Visa •••• 4242 removed."]
    acts = AuditEntry.objects.filter(action__startswith="payment_method.").order_by("pk")
    assert [act.action.partition(".")[2] for act in acts] == [
        "add", "default", "add", "default", "remove", "default", "remove",
    ]  # fmt: skip
    assert GOOD_CARD not in str(list(acts.values()))


def test_changing_how_one_pays_asks_who_is_there(visit: Visit):
    leave_open(visit.client)
    for path in ("/payment/add", "/payment/setup", "/payment/1", "/payment/pay/X"):
        reply = visit.client.post(visit.base + path)
        assert (reply.status_code, "reauthenticate" in reply.headers["Location"]) == (302, True)


def test_bank_transfer_needs_a_name_and_an_address(visit: Visit, settings: Any):
    settings.BILLING_BANK_DETAILS = "IBAN DE02 1203 0000 0000 2020 51\\nBIC BYLADEM1001"
    page = visit.get("/payment/add").content.decode()
    assert "IBAN DE02" in page
    assert visit.post("/payment/add").status_code == 422
    reply = visit.post("/payment/add", **DETAILS, tax_id="DE123")
    assert visit.said(reply) == ["Bank transfer added."]
    visit.subscription.refresh_from_db()
    assert visit.subscription.billing_address == "1 Main Street\nSpringfield"
    visit.post("/payment/add", **DETAILS)
    assert PaymentMethod.objects.count() == 1, "the same one again"


def test_details_are_kept_audited_and_checked(visit: Visit):
    visit.post("/payment/details", **DETAILS, purchase_order="PO-7")
    entry = AuditEntry.objects.get(action="billing_details.change")
    assert entry.after["purchase_order"] == "PO-7"
    assert "tax_id" not in entry.after
    reply = visit.post("/payment/details", billing_name="a\u202eb")
    assert reply.status_code == 422
    assert visit.post("/payment/details", billing_name="x" * 201).status_code == 422


def test_a_failed_invoice_is_shown_and_paid_now(
    stripe: Stripe, visit: Visit, django_capture_on_commit_callbacks: Any
):
    add_card(stripe, visit.organization, visit.who, FAILING_CARD)
    invoice = open_invoice(visit.subscription)
    collecting.collect(invoice.pk)
    page = visit.get().content.decode()
    assert "Your card was declined." in page
    assert "$60.00" in page
    PaymentMethod.objects.update(ref=stripe_method(stripe, visit))
    with django_capture_on_commit_callbacks(execute=True):
        visit.post(f"/payment/pay/{invoice.number}")
    invoice.refresh_from_db()
    assert invoice.status == "paid"


def test_a_transfer_that_is_charged_to_a_card_says_so_everywhere(
    stripe: Stripe, visit: Visit, settings: Any, django_capture_on_commit_callbacks: Any
):
    """BIL-7, BIL-10: list, page, PDF and REST have one rule."""
    settings.STRIPE_SECRET_KEY = ""
    settings.BILLING_BANK_DETAILS = "IBAN DE02"
    visit.pay_by_transfer()
    invoice = open_invoice(visit.subscription)
    page = f"/invoices/{invoice.number}"
    head = {"Authorization": f"Bearer {make_key(visit.organization.members.get().user)}"}

    def said() -> tuple[bool, bool, bool]:
        row = Client().get(f"/api/v1/organizations/aurora{page}/", headers=head).json()
        list_, sheet = (visit.get(path).content.decode() for path in ("/payment", page))
        return row["by_transfer"], "By bank transfer by" in list_, "Please pay by bank transfer" in sheet

    assert said() == (True, True, True)
    transferred = pdf_of(invoice)
    settings.STRIPE_SECRET_KEY = SECRET_KEY
    card = add_card(stripe, visit.organization, visit.who, FAILING_CARD)
    visit.post(f"/payment/{card.pk}", act="default")
    assert said() == (True, True, True), "a transfer may be on its way"
    with django_capture_on_commit_callbacks(execute=True):
        visit.post(f"/payment/pay/{invoice.number}")
    assert said() == (False, False, False)
    assert "Visa •••• 0341" in visit.get(page).content.decode()
    invoice.refresh_from_db()
    assert not invoice.by_transfer
    assert pdf_of(invoice) != transferred


def stripe_method(stripe: Stripe, visit: Visit) -> str:
    """Return a good card that the dashboard gave the customer."""
    visit.subscription.refresh_from_db()
    made = stripe.call("GET", "/v1/payment_methods/pm_card_visa")["id"]
    stripe.call(
        "POST", f"/v1/payment_methods/{made}/attach", data={"customer": visit.subscription.customer_ref}
    )
    return str(made)


def test_admins_who_are_no_billing_admins_look_and_change_nothing(stripe: Stripe, visit: Visit):
    add_card(stripe, visit.organization, visit.who)
    client = Client()
    client.force_login(make_member(TeamFactory(organization=visit.organization), Preset.ORGANIZATION_ADMIN))
    page = client.get(f"{visit.base}/payment").content.decode()
    assert "4242" in page
    assert "Make default" not in page
    assert 'name="act"' not in page
    for path in ("/payment/add", "/payment/details", "/change?plan=pro", "/storage", "/cancel"):
        assert client.get(visit.base + path).status_code in {403, 405}


@time_machine.travel(NOW, tick=False)
def test_the_page_of_an_upgrade_shows_all_and_does_exactly_that():
    visit = Visit("free")
    page = visit.get("/change?plan=pro")
    assert page.context["summary"].needs_method
    assert "Add a payment method" in page.content.decode()
    visit.pay_by_transfer()
    page = visit.get("/change?plan=pro")
    text = page.content.decode()
    for words in (
        "Upgrade to Pro",
        "Pro, 9 of 30 days",
        "Confirm and pay $18.00",
        "$60.00",
        "Usage alerts",
    ):
        assert words in text
    confirm = page.context["summary"].confirm
    reply = visit.post("/change", plan="pro", confirm=confirm)
    assert visit.said(reply) == ["Your plan is now Pro. Your invoice is AURORA-0001."]
    again = visit.post("/change", plan="pro", confirm=confirm)
    assert visit.said(again) == ["aurora already has the plan Pro."]
    assert Invoice.objects.count() == 1


@time_machine.travel(NOW, tick=False)
def test_a_page_that_is_outdated_shows_the_new_summary():
    visit = Visit("free")
    visit.pay_by_transfer()
    reply = visit.post("/change", plan="pro", confirm="what was read yesterday")
    assert reply.status_code == 409
    assert "Nothing was changed" in visit.said(reply)[0]
    assert reply.context["summary"].now_usd == 18
    assert not Invoice.objects.exists()


@time_machine.travel(NOW, tick=False)
def test_storage_a_downgrade_and_canceling_by_their_pages(visit: Visit):
    visit.pay_by_transfer()
    assert "Total extra storage" in visit.get("/storage").content.decode()
    assert visit.get("/storage?gb=-4").status_code == 422
    page = visit.get("/storage?gb=1000")
    assert "Confirm and pay $7.50" in page.content.decode()
    visit.post("/storage", gb=1000, confirm=page.context["summary"].confirm)
    page = visit.get("/change?plan=free")
    assert "Custom roles" not in page.content.decode()
    assert "1 December 2026" in page.content.decode() or "Dec. 1, 2026" in page.content.decode()
    visit.post("/change", plan="free", confirm=page.context["summary"].confirm)
    assert visit.said(visit.post("/undo")) == ["The plan stays Pro."]
    page = visit.get("/cancel")
    reply = visit.post("/cancel", confirm=page.context["summary"].confirm)
    assert "You can undo this" in visit.said(reply)[0]


def test_the_page_asks_a_fixed_number_of_queries(
    stripe: Stripe, visit: Visit, django_assert_max_num_queries: Any
):
    for _number in range(4):
        add_card(stripe, visit.organization, visit.who)
        open_invoice(visit.subscription)
    visit.get()
    with django_assert_max_num_queries(32):
        visit.get()


class TestRest:
    """The same by REST."""

    @pytest.fixture
    def api(self, visit: Visit) -> Any:
        secret = make_key(visit.organization.members.get().user)

        def ask(method: str, path: str, body: Any = None) -> Any:
            return Client().generic(
                method, f"/api/v1/organizations/aurora/{path}", "" if body is None else json.dumps(body),
                content_type="application/json", headers={"Authorization": f"Bearer {secret}"},
            )  # fmt: skip

        return ask

    def test_cards(self, stripe: Stripe, api: Any):
        begun = api("POST", "payment-methods/setup/").json()
        assert begun["publishable_key"] == "pk_test_runyard"
        ref = stripe.confirm_card(begun["client_secret"])["id"]
        made = api("POST", "payment-methods/", {"setup": ref})
        assert made.status_code == 201, made.content
        (row,) = api("GET", "payment-methods/").json()["results"]
        assert row == made.json()
        assert (row["brand"], row["last4"], row["exp_year"], row["is_default"]) == (
            "visa",
            "4242",
            2031,
            True,
        )
        assert api("POST", f"payment-methods/{row['id']}/default/").json()["is_default"]
        refused = api("DELETE", f"payment-methods/{row['id']}/")
        assert refused.status_code == 409
        assert api("GET", "payment-methods/999/").status_code == 404
        assert api("POST", "payments/", {"invoice": "AURORA-0001"}).status_code == 404

    def test_details_and_bank_transfer(self, api: Any):
        assert api("POST", "payment-methods/", {}).status_code == 409
        changed = api("PATCH", "billing-details/", DETAILS | {"tax_id": "DE123"})
        assert changed.json() == {**DETAILS, "tax_id": "DE123", "purchase_order": ""}
        assert api("GET", "billing-details/").json() == changed.json()
        made = api("POST", "payment-methods/", {})
        assert (made.status_code, made.json()["brand"]) == (201, "bank transfer")

    @time_machine.travel(NOW, tick=False)
    def test_changes(self, api: Any, visit: Visit):
        Subscription.objects.update(plan=plan("free"))
        visit.pay_by_transfer()
        preview = api("POST", "plan-changes/preview/", {"plan": "pro"}).json()
        assert (preview["now_usd"], preview["next_regular_usd"]) == ("18.00", "60.00")
        assert preview["next_regular_at"] == "2026-12-01"
        assert preview["lines"][0]["amount_usd"] == "18.00"
        wrong = api("POST", "plan-changes/", {"plan": "pro", "confirm": "x"})
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (409, "outdated")
        done = api("POST", "plan-changes/", {"plan": "pro", "confirm": preview["confirm"]})
        assert (done.status_code, done.json()["invoice"]) == (201, "AURORA-0001")
        ending = api("POST", "plan-changes/preview/", {"cancel": True}).json()
        api("POST", "plan-changes/", {"cancel": True, "confirm": ending["confirm"]})
        assert api("POST", "plan-changes/undo/").json()["next_plan"] is None
        for body in ({}, {"plan": "pro", "cancel": True}, {"extra_storage_gb": -1}):
            assert api("POST", "plan-changes/preview/", body).status_code == 400
        assert api("POST", "plan-changes/preview/", {"plan": "no-such"}).status_code == 404
