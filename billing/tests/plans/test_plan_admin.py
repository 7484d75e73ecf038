"""BIL-3, BIL-11: operators edit plans and put payers on them, and every change is written down."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client, override_settings
from django.urls import reverse

from access.actor import SYSTEM
from access.models import AuditEntry
from billing.changes.assignments import assign_payment, assign_plan, assign_storage
from billing.gateways import MANUAL, gateway_and_method, gateway_of
from billing.models import PaymentMethod, Plan, Subscription
from billing.plans.catalogue import default_plan
from billing.plans.services import delete_plan, save_plan
from common.errors import Conflict, Forbidden, Invalid
from teams.models import Organization
from tests.factories import OrganizationFactory, UserFactory, actor
from tests.plans import put_on

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(UserFactory(username="boss", is_operator=True))
    return client


@pytest.fixture
def organization() -> Organization:
    return OrganizationFactory(name="acme")


def posted(plan: Plan, **changes: Any) -> dict[str, Any]:
    """Return what the admin's form of a plan posts."""
    values = {
        field.name: getattr(plan, field.name) for field in Plan._meta.concrete_fields if field.name != "id"
    }
    values |= changes
    kept = {name: value for name, value in values.items() if value is not None and value is not False}
    return {name: "on" if value is True else value for name, value in kept.items()}


def _change(operator: Client, plan: Plan, **changes: Any) -> Any:
    return operator.post(
        reverse("admin:billing_plan_change", args=[plan.pk]), posted(plan, **changes), follow=True
    )


class TestEditing:
    """BIL-3."""

    def test_a_change_is_written_down_with_what_was_before(
        self, operator: Client, organization: Organization
    ):
        plan = Plan.objects.get(key="pro")
        put_on(organization, plan)
        answer = _change(operator, plan, price_usd="75", seats=20, has_sso=True)
        assert "Organizations on it: 1, personal entities: 0." in answer.content.decode()
        plan.refresh_from_db()
        assert (plan.price_usd, plan.seats, plan.has_sso) == (Decimal(75), 20, True)
        told = AuditEntry.objects.get(action="plan.save")
        assert told.before == {"price_usd": "60.0000", "seats": 10, "has_sso": False}
        assert told.after == {"price_usd": "75", "seats": 20, "has_sso": True}
        assert told.actor_name == "boss"

    def test_nothing_changed_is_not_written_down(self, operator: Client):
        _change(operator, Plan.objects.get(key="pro"))
        assert not AuditEntry.objects.filter(action="plan.save").exists()

    def test_the_default_moves_and_there_always_is_one(self, operator: Client):
        free, before = Plan.objects.get(key="free"), default_plan()
        _change(operator, free, is_default=True)
        assert default_plan() == free
        assert Plan.objects.filter(is_default=True).count() == 1
        answer = _change(operator, free, is_default=False)
        assert "Make another plan the default instead" in answer.content.decode()
        assert default_plan() == free
        assert AuditEntry.objects.filter(action="plan.save", object_id=str(before.pk)).exists()

    @pytest.mark.parametrize(
        ("changes", "why"),
        [
            ({"key": "pro"}, "already exists"), ({"view_only_seats": 3}, "require the view-only role"),
            ({"included_storage_gb": None, "extra_storage_price_usd": "0.1"}, "cannot be sold in advance"),
            ({"price_usd": "-1"}, "greater than or equal to 0"),
        ],
    )  # fmt: skip
    def test_what_makes_no_sense_is_refused_beside_its_field(
        self, operator: Client, changes: dict[str, Any], why: str
    ):
        plan = Plan.objects.get(key="free")
        answer = _change(operator, plan, **changes)
        assert why in answer.content.decode()
        plan.refresh_from_db()
        assert plan.key == "free"
        assert plan.view_only_seats is None

    def test_a_new_plan_is_made(self, operator: Client):
        values = posted(Plan(key="lab", name="Lab", rank=12, seats=3))
        operator.post(reverse("admin:billing_plan_add"), values)
        assert Plan.objects.get(key="lab").seats == 3
        assert AuditEntry.objects.get(action="plan.save").after["key"] == "lab"

    def test_a_plan_in_use_cannot_be_deleted(self, operator: Client, organization: Organization):
        plan = Plan.objects.get(key="free")
        put_on(organization, plan)
        assert (
            operator.post(reverse("admin:billing_plan_delete", args=[plan.pk]), {"post": "yes"}).status_code
            == 403
        )
        put_on(organization, Plan.objects.get(key="pro"))
        operator.post(reverse("admin:billing_plan_delete", args=[plan.pk]), {"post": "yes"})
        assert not Plan.objects.filter(key="free").exists()
        assert AuditEntry.objects.get(action="plan.delete").before["name"] == "Free"

    def test_services_refuse_the_same(self, organization: Organization):
        plan = default_plan()
        with pytest.raises(Conflict, match="default"):
            delete_plan(actor=SYSTEM, plan=plan)
        free = Plan.objects.get(key="free")
        put_on(organization, free)
        with pytest.raises(Conflict, match="1 subscriptions use it"):
            delete_plan(actor=SYSTEM, plan=free)
        plan.is_default = False
        with pytest.raises(Conflict):
            save_plan(actor=SYSTEM, plan=plan)

    def test_nobody_else_does(self, organization: Organization):
        admin = actor(organization.members.get().user)
        plan = Plan.objects.get(key="pro")
        row = Subscription.objects.get(organization=organization)
        for act in (
            lambda: save_plan(actor=admin, plan=plan), lambda: delete_plan(actor=admin, plan=plan),
            lambda: assign_plan(actor=admin, subscription=row, plan=plan),
            lambda: assign_storage(actor=admin, subscription=row, extra_storage_gb=1),
        ):  # fmt: skip
            with pytest.raises(Forbidden):
                act()


class TestSubscriptions:
    """BIL-3, BIL-11."""

    def _act(self, operator: Client, row: Subscription, slug: str, **typed: Any) -> Any:
        return operator.post(
            reverse("admin:billing_subscription_act", args=[row.pk, slug]), typed, follow=True
        )

    def test_an_operator_puts_an_organization_on_a_plan(self, operator: Client, organization: Organization):
        row = Subscription.objects.get(organization=organization)
        enterprise = Plan.objects.get(key="enterprise")
        Subscription.objects.filter(pk=row.pk).update(next_plan=Plan.objects.get(key="free"))
        self._act(operator, row, "plan", plan=enterprise.pk, reason="contract 7")
        row.refresh_from_db()
        assert (row.plan, row.next_plan) == (enterprise, None)
        told = AuditEntry.objects.get(action="subscription.assign")
        assert told.organization_id == organization.pk
        assert told.before == {"plan": "self-hosted", "next_plan": "free"}
        assert told.after == {"plan": "enterprise", "next_plan": None, "reason": "contract 7"}

    def test_a_waiting_change_is_dropped_whole_and_storage_ends_with_the_plan_that_sold_it(
        self, organization: Organization
    ):
        """BIL-8: cancelling waits, which would let storage go; then an operator decides otherwise."""
        row = put_on(organization, Plan.objects.get(key="pro"))
        row.extra_storage_gb, row.next_extra_storage_gb, row.next_plan = 100, 0, Plan.objects.get(key="free")
        row.save()
        row = assign_plan(actor=SYSTEM, subscription=row, plan=row.plan)
        assert (row.extra_storage_gb, row.next_extra_storage_gb, row.next_plan) == (100, None, None)
        row = assign_plan(actor=SYSTEM, subscription=row, plan=Plan.objects.get(key="free"))
        assert row.extra_storage_gb == 0
        assert AuditEntry.objects.latest("pk").before == {"plan": "pro", "extra_storage_gb": 100}

    def test_and_lets_it_pay_by_transfer_on_another_day(self, operator: Client, organization: Organization):
        """BIL-10: with Stripe set up, too; the day is settled before the first invoice."""
        row = Subscription.objects.get(organization=organization)
        self._act(operator, row, "payment", by_transfer="on", anchor_day=15)
        row.refresh_from_db()
        assert (row.pays_by_transfer, row.anchor_day) == (True, 15)
        with override_settings(STRIPE_SECRET_KEY="sk_test_1"):
            assert gateway_of(row) is MANUAL
            PaymentMethod.objects.create(subscription=row, gateway="stripe", ref="pm_1", is_default=True)
            assert gateway_and_method(row) == (MANUAL, None)
        told = AuditEntry.objects.get(action="subscription.assign_payment")
        assert (told.before["anchor_day"], told.after["pays_by_transfer"]) == (1, True)
        Subscription.objects.filter(pk=row.pk).update(closed_to=date(2026, 1, 1))
        with pytest.raises(Conflict, match="closed or invoiced"):
            assign_payment(actor=SYSTEM, subscription=row, by_transfer=True, anchor_day=3)
        assign_payment(actor=SYSTEM, subscription=row, by_transfer=False, anchor_day=15)

    def test_and_gives_more_storage(self, operator: Client, organization: Organization):
        row = Subscription.objects.get(organization=organization)
        self._act(operator, row, "storage", extra_storage_gb=50)
        row.refresh_from_db()
        assert row.extra_storage_gb == 50
        told = AuditEntry.objects.get(action="subscription.assign_storage")
        assert (told.before, told.after) == ({"extra_storage_gb": 0}, {"extra_storage_gb": 50})
        with pytest.raises(Invalid):
            assign_storage(actor=SYSTEM, subscription=row, extra_storage_gb=-1)

    def test_rows_are_only_looked_at(self, operator: Client, organization: Organization):
        row = Subscription.objects.get(organization=organization)
        page = operator.get(reverse("admin:billing_subscription_change", args=[row.pk]))
        assert 'name="_save"' not in page.content.decode()
        assert operator.get(reverse("admin:billing_subscription_add")).status_code == 403

    def test_lists_find_and_filter(self, operator: Client, organization: Organization):
        page = reverse("admin:billing_subscription_changelist")
        assert "acme" in operator.get(page, {"q": "acme"}).content.decode()
        assert (
            "acme"
            not in operator.get(page, {"plan__id__exact": Plan.objects.get(key="pro").pk}).content.decode()
        )
        assert "Pro" in operator.get(reverse("admin:billing_plan_changelist"), {"q": "pro"}).content.decode()
