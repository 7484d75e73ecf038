"""What usage asks of the app that keeps plans (`billing`); without one, nothing is limited, billed or closed."""

from collections.abc import Collection
from datetime import date
from typing import Protocol

from django.db.models import Sum

from access.actor import Actor
from storage.models import Holding
from teams.models import Organization, Team
from usage.storage.allowance import Allowance


class UsagePolicy(Protocol):
    """What plans say of use."""

    def anchor_day_of(self, payer: Organization | Team) -> int:
        """Return the day of the month on which billing periods begin: of an organization, or of who pays for a team."""

    def is_billed(self, organization_id: int | None) -> bool:
        """Say whether money is involved in what an organization uses; None is no organization."""

    def allowance_of(self, actor: Actor, team: Team) -> Allowance:
        """Return what a team or a person may store; a fixed number of queries."""

    def require_ingestion(self, team_id: int) -> None:
        """Refuse trace data of a team.

        Raises:
            TooLarge: limits are enforced, the period's is used up, and the plan sells nothing above it.
        """

    def closed_until(self, team_ids: Collection[int]) -> dict[int, date]:
        """Return for each team the first day that is in no closed period; none for payers that closed none."""


class UnlimitedUsagePolicy:
    """The policy of an installation without plans."""

    def anchor_day_of(self, payer: Organization | Team) -> int:
        """Let periods be calendar months."""
        return 1

    def is_billed(self, organization_id: int | None) -> bool:
        """Bill nobody."""
        return False

    def allowance_of(self, actor: Actor, team: Team) -> Allowance:
        """Let everybody store as much as they like."""
        stored = stored_bytes(team)
        return Allowance(
            "", team.organization, None, stored_bytes=stored, shared_bytes=stored, url="", contacts=""
        )

    def require_ingestion(self, team_id: int) -> None:
        """Take everything."""

    def closed_until(self, team_ids: Collection[int]) -> dict[int, date]:
        """Close nothing."""
        return {}


_policies: list[UsagePolicy] = [UnlimitedUsagePolicy()]


def set_usage_policy(policy: UsagePolicy) -> None:
    """Let the app that keeps plans answer; called in its ``AppConfig.ready``."""
    _policies[:] = [policy]


def usage_policy() -> UsagePolicy:
    """Return who answers."""
    return _policies[0]


def stored_bytes(team: Team) -> int:
    """Return what a team stores now, deleted runs included."""
    total: int | None = Holding.objects.filter(team_id=team.pk).aggregate(total=Sum("size_bytes"))["total"]
    return total or 0
