"""Which features an organization's plan includes: the real answer of `teams.plan_policy` (BIL-3)."""

from collections.abc import Collection

from billing.models import Subscription
from billing.subscriptions.selectors import subscription_of
from teams.models import Organization


def has_feature_by_plan(organization: Organization, feature: str) -> bool:
    """Say whether the plan's switch ``has_<feature>`` is on; one query."""
    rows = Subscription.objects.filter(organization=organization.pk)
    found = rows.values_list(f"plan__has_{feature}", flat=True).first()
    if found is None:  # made around the hooks: it gets its subscription now
        found = getattr(subscription_of(organization).plan, f"has_{feature}")
    return bool(found)


def organizations_with_feature(organization_ids: Collection[int], feature: str) -> set[int]:
    """Return the keys of the organizations whose plan has the switch on; one query."""
    rows = Subscription.objects.filter(organization__in=organization_ids, **{f"plan__has_{feature}": True})
    return set(rows.values_list("organization_id", flat=True))
