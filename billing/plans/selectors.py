"""Plans side by side: what each includes and costs, in words (BIL-2, BIL-3)."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from billing.models import Plan, Subscription
from usage.formatting import included, unit_price

SWITCHES = (
    "view_only_role", "custom_roles", "service_accounts", "automations", "sso", "audit_log", "usage_alerts",
    "many_billing_admins",
)  # fmt: skip
"""In the order in which pages list them; the last is about billing alone."""


@dataclass(frozen=True, slots=True)
class ComparisonCell:
    """What one plan has in one row."""

    text: str = ""
    note: str = ""
    """Beneath it, such as the price of what goes beyond."""
    is_on: bool | None = None
    """Of switches; None: the text says it."""


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One thing that plans differ in."""

    label: str
    cells: list[ComparisonCell]
    help: str = ""

    plans: list[Plan] = field(default_factory=list)

    @property
    def by_plan(self) -> list[tuple[Plan, ComparisonCell]]:
        """Return the cells with their plans."""
        return list(zip(self.plans, self.cells, strict=True))

    @property
    def differs(self) -> bool:
        """Whether the plans are not all alike in it."""
        return len(set(self.cells)) > 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """Plans, cheapest first, and the rows of their table."""

    plans: list[Plan]
    present: Plan
    choices: set[Plan]
    """Those that it may go to by itself."""
    rows: list[tuple[str, list[ComparisonRow]]]
    """Groups of rows by their heading."""

    @property
    def is_alone(self) -> bool:
        """Whether there is no other plan."""
        return self.plans == [self.present]

    @property
    def n_columns(self) -> int:
        """Of the table."""
        return len(self.plans) + 1


def plans_for(subscription: Subscription) -> QuerySet[Plan]:
    """Return the plans that a payer may choose or ask for, and the present and coming one, in their order."""
    shown = Q(pk__in=choosable(subscription)) | Q(by_contact=True) | Q(pk=subscription.next_plan_id or 0)
    return Plan.objects.filter(shown).order_by("rank", "pk")


def has_comparison(subscription: Subscription) -> bool:
    """Say whether there is another plan to compare the present one with; one query."""
    return plans_for(subscription).exclude(pk=subscription.plan_id).exists()


def comparison_of(subscription: Subscription, *, is_billed: bool) -> Comparison:
    """Return what an organization may be on, compared; two queries. Billing admins are told of where there are any."""
    plans = list(plans_for(subscription))
    return Comparison(
        plans=plans,
        present=subscription.plan,
        choices=set(choosable(subscription)),
        rows=[
            (heading, [replace(row, plans=plans) for row in rows])
            for heading, rows in (
                (_("Included"), _amounts(plans)),
                (_("Features"), _switches(plans, is_billed=is_billed)),
            )
        ],
    )


def price_of(plan: Plan) -> str:
    """Say what a plan costs."""
    if plan.by_contact and not plan.price_usd:
        return _("By agreement")
    if not plan.price_usd:
        return _("Free of charge")
    return _("%(price)s per month") % {"price": unit_price(plan.price_usd)}


def switch_words(name: str) -> tuple[str, str]:
    """Return what a switch is called and what it does."""
    return {
        "view_only_role": (_("View-only seats and role"), _("People who only view don’t need a full seat.")),
        "custom_roles": (_("Custom roles"), _("Your own roles with exactly the permissions they need.")),
        "service_accounts": (_("Service accounts"), _("Programs with their own API keys, without taking a seat.")),
        "automations": (
            _("Automations"), _("Slack messages and webhooks when a run ends or a metric meets a condition.")
        ),
        "sso": (_("SSO groups and SCIM"), _("Your identity provider manages team membership.")),
        "audit_log": (_("Audit log"), _("Who did what, when and from where; view and download.")),
        "usage_alerts": (_("Usage alerts"), _("Emails at 85% and 100% of a limit, and when charges grow.")),
        "many_billing_admins": (_("Several billing admins"), _("Otherwise only one.")),
    }[name]  # fmt: skip


def _amounts(plans: list[Plan]) -> list[ComparisonRow]:
    hours_help = _("Total wall-clock time of running runs.")
    hours = [_limit(plan.included_hours, "h", plan.hour_price_usd, never_refused=True) for plan in plans]
    storage = [_limit(plan.included_storage_gb, "GB", plan.storage_price_usd) for plan in plans]
    ingestion = [_limit(plan.included_ingestion_gb, "GB", plan.ingestion_price_usd) for plan in plans]
    return [
        ComparisonRow(_("Seats"), [ComparisonCell(included(plan.seats, "")) for plan in plans]),
        ComparisonRow(_("View-only seats"), [_view_only(plan) for plan in plans]),
        ComparisonRow(_("Tracked hours per month"), hours, hours_help),
        ComparisonRow(_("Storage"), storage, _("Files, artifacts, history and logs.")),
        ComparisonRow(_("Extra storage, bought in advance"), [_extra(plan) for plan in plans]),
        ComparisonRow(_("Trace data per month"), ingestion),
    ]


def _limit(
    limit: int | None, unit: str, price: Decimal | None, *, never_refused: bool = False
) -> ComparisonCell:
    """Return what is included, and what more of it leads to."""
    note = ""
    if limit is not None and price is not None:
        note = _("then %(price)s per %(unit)s") % {"price": unit_price(price), "unit": unit}
    elif limit is not None and (never_refused or not settings.ENFORCE_LIMITS):
        note = _("additional use is free")
    elif limit is not None:
        note = _("hard limit")
    return ComparisonCell(included(limit, unit), note)


def _view_only(plan: Plan) -> ComparisonCell:
    return (
        ComparisonCell(included(plan.view_only_seats, "")) if plan.has_view_only_role else ComparisonCell("–")
    )


def _extra(plan: Plan) -> ComparisonCell:
    price = plan.extra_storage_price_usd
    return (
        ComparisonCell("–")
        if price is None
        else ComparisonCell(_("%(price)s per GB per month") % {"price": unit_price(price)})
    )


def _switches(plans: Iterable[Plan], *, is_billed: bool) -> list[ComparisonRow]:
    rows = []
    for name in SWITCHES if is_billed else SWITCHES[:-1]:
        label, help_ = switch_words(name)
        rows.append(
            ComparisonRow(
                label, [ComparisonCell(is_on=getattr(plan, f"has_{name}")) for plan in plans], help_
            )
        )
    return rows


def choosable(subscription: Subscription) -> QuerySet[Plan]:
    """Return the plans that a payer may choose, or is on: what is on offer, and what it had before (BIL-3)."""
    former = subscription.former_plans.values("pk")
    others = Q(is_offered=True) | Q(pk__in=former)
    return Plan.objects.filter(Q(pk=subscription.plan_id) | others & Q(by_contact=False))


def has_prices(plan: Plan) -> bool:
    """Say whether a plan can come to cost anything: its price, or use beyond it."""
    return any((plan.price_usd, plan.hour_price_usd, plan.storage_price_usd, plan.ingestion_price_usd))
