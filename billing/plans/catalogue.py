"""The plans that a fresh installation has (BIL-3; docs/operate/billing.md). Operators edit them afterwards.

None is on offer: all are on Self-hosted, which is not to be lost by a click, until an operator sells plans.
"""

from decimal import Decimal
from typing import Any

from billing.models import Plan
from common.database.kept_queries import KeptQuery

SEEDS: dict[str, dict[str, Any]] = {
    "self-hosted": {
        "name": "Self-hosted", "rank": 0, "is_default": True, "is_personal_default": True,
        "description": "Everything on, without limits. For those who run the installation for themselves.",
        "has_custom_roles": True, "has_view_only_role": True, "has_service_accounts": True, "has_automations": True,
        "has_sso": True, "has_audit_log": True, "has_usage_alerts": True, "has_many_billing_admins": True,
    },
    "free": {
        "name": "Free", "rank": 10, "description": "For small teams and first steps.",
        "seats": 5, "included_hours": 250, "included_storage_gb": 100, "included_ingestion_gb": 1,
    },
    "pro": {
        "name": "Pro", "rank": 20, "description": "For teams that train every day.",
        "price_usd": Decimal(60), "seats": 10, "included_hours": 500, "hour_price_usd": Decimal("0.10"),
        "included_storage_gb": 100, "storage_price_usd": Decimal("0.03"),
        "extra_storage_price_usd": Decimal("0.025"), "included_ingestion_gb": 10,
        "ingestion_price_usd": Decimal("0.10"),
        "has_usage_alerts": True, "alerts_billing_admin_only": True,
    },
    "academic": {
        "name": "Academic", "rank": 15, "description": "For universities; given by the operator.",
        "seats": 100, "included_storage_gb": 100, "included_ingestion_gb": 10,
    },
    "enterprise": {
        "name": "Enterprise", "rank": 30, "description": "For organizations with a contract.",
        "has_custom_roles": True, "has_view_only_role": True, "has_service_accounts": True, "has_automations": True,
        "has_sso": True, "has_audit_log": True, "has_usage_alerts": True, "has_many_billing_admins": True,
    },
}  # fmt: skip
"""By key. Numbers are examples to begin with; no upstream page tells them (semantics 1.6)."""


def ensure_plans() -> None:
    """Seed the plans of an installation that has none; what operators edited or deleted stays so."""
    if not Plan.objects.exists():
        Plan.objects.bulk_create(Plan(key=key, **values) for key, values in SEEDS.items())


_default = KeptQuery(lambda: Plan.objects.filter(is_default=True))
_personal_default = KeptQuery(lambda: Plan.objects.filter(is_personal_default=True))


def default_plan(*, personal: bool = False) -> Plan:
    """Return the plan of new organizations, or of new personal entities."""
    which = _personal_default if personal else _default
    plan = which.first()
    if plan is None:
        ensure_plans()
        plan = which.first() or Plan.objects.order_by("rank")[0]
    return plan


def fallback_of(plan: Plan) -> Plan | None:
    """Return where a trial leads that began with nothing: a plan without a price, one on offer if there is any."""
    free = Plan.objects.filter(price_usd=0, by_contact=False).exclude(pk=plan.pk)
    return free.order_by("-is_offered", "-is_default", "rank", "pk").first()
