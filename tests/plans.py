"""Plans for tests: what an organization or a person may use, as an operator would set it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from accounts.models import User
from billing.models import Plan, Subscription
from billing.plans.catalogue import ensure_plans
from teams.models import Organization
from teams.plan_policy import plan_policy

_ALL_ON = {
    f"has_{name}": True
    for name in (
        "custom_roles", "view_only_role", "service_accounts", "automations", "sso", "audit_log", "usage_alerts",
        "many_billing_admins",
    )
}  # fmt: skip


def offer_plans() -> None:
    """Do what an operator does who hosts for others: Free and Pro are on offer, Enterprise by contact."""
    ensure_plans()
    Plan.objects.filter(key__in=("free", "pro")).update(is_offered=True)
    Plan.objects.filter(key="enterprise").update(by_contact=True)


def plan_with(**terms: Any) -> Plan:
    """Make a plan that has everything without limits, but for what is told."""
    number = Plan.objects.count()
    return Plan.objects.create(**{"key": f"plan{number}", "name": f"Plan {number}", **_ALL_ON, **terms})


def put_on(payer: Organization | User, plan: Plan | None = None, **terms: Any) -> Subscription:
    """Put an organization, or a person's own entity, on a plan, or on a new one with these terms."""
    if isinstance(payer, User):
        row = Subscription.objects.get(team__claim=payer.claim_id)
    else:
        row = Subscription.objects.get(organization=payer)
    row.plan = plan or plan_with(**terms)
    row.save()
    return row


@contextmanager
def lacking(feature: str) -> Iterator[None]:
    """Have every plan but this feature."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan_policy(), "has_feature", lambda _organization, asked: asked != feature)
        patch.setattr(
            plan_policy(), "organizations_with", lambda keys, asked: set(keys) if asked != feature else set()
        )
        yield
