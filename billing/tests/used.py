"""Use for tests, as the meter writes it, and payers on plans."""

from datetime import UTC, date, datetime
from typing import Any

from billing.models import Plan, Subscription
from billing.subscriptions.selectors import subscription_of
from teams.models import Team
from tests.factories import OrganizationFactory, TeamFactory, UserFactory
from usage.models import MeterState, UsageDay
from usage.tests.usage_rows import add_up
from usage.units import GB, HOUR_S

_LATER = datetime(2100, 1, 1, tzinfo=UTC)


def payer(plan: str = "pro", *, begun: datetime, **more: Any) -> tuple[Subscription, Team]:
    """Return an organization's subscription that began at a time, and a team whose use it pays."""
    admin = more.pop("admin", None) or UserFactory()
    name = {"name": more.pop("name")} if "name" in more else {}
    organization = OrganizationFactory(admin=admin, **name)
    team = TeamFactory(organization=organization, admin=admin)
    changed = {"plan": Plan.objects.get(key=plan), "created_at": begun, **more}
    Subscription.objects.filter(organization=organization).update(**changed)
    # personal entities are payers, too; what a test counts are organizations
    Subscription.objects.exclude(team=None).update(created_at=_LATER)
    return subscription_of(organization), team


def used(team: Team, day: date, *, hours: float = 0, ingested_gb: float = 0, project: int = 1) -> None:
    """Let a team have used hours and trace data on a day."""
    UsageDay.objects.create(
        team_id=team.pk,
        project_id=project,
        day=day,
        tracked_s=round(hours * HOUR_S),
        ingested_bytes=round(ingested_gb * GB),
    )
    add_up(team.pk)


def holds(team: Team, month: date, gb: float, *, project: int = 2) -> None:
    """Let a team hold GB from the begin of a month to its end."""
    UsageDay.objects.create(team_id=team.pk, project_id=project, day=month, opening_bytes=round(gb * GB))
    add_up(team.pk)


def metered(at: datetime) -> None:
    """Let the meter have come so far."""
    MeterState.objects.update_or_create(id=1, defaults={"metered_at": at})
