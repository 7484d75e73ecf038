"""What the plan of an organization allows, and what goes along with the life of who pays.

One object answers, in whose methods nothing is limited; `billing` puts its own there.
"""

from collections.abc import Collection
from enum import StrEnum

from access.actions import Preset
from access.actor import Actor
from accounts.models import User
from teams.models import Organization, OrganizationMember, ProductAccess, Role, Team


class Seat(StrEnum):
    """What a place in an organization takes."""

    FULL = "full"
    VIEW_ONLY = "view_only"
    """Of who only looks, whatever their roles in teams."""


class PlanPolicy:
    """Answers questions about plans, in the transaction of who asks; this one allows everything."""

    def has_feature(self, organization: Organization, feature: str) -> bool:
        """Say whether the organization may use the feature, for example ``"service_accounts"``."""
        return True

    def organizations_with(self, organization_ids: Collection[int], feature: str) -> set[int]:
        """Return the keys of those organizations that may use the feature."""
        return set(organization_ids)

    def describe_plan(self, organization: Organization) -> str:
        """Return sentences that say which plan the organization has and who can change it, or ""."""
        return ""

    def can_compare(self, organization: Organization) -> bool:
        """Say whether there is another plan to compare the organization's with."""
        return False

    def require_seat(self, organization: Organization, seat: Seat, had: Seat | None) -> None:
        """Refuse a seat that is not left; ``had`` is the one that is given up for it.

        Raises:
            Conflict: the message says who can change that.
        """

    def require_storage(self, team_id: int) -> None:
        """Refuse more files of a team.

        Raises:
            DomainError: what is stored, what the limit is, and who can change it.
        """

    def on_organization_created(self, organization: Organization, admin: User) -> None:
        """Give a new organization and its first admin what they begin with."""

    def on_personal_team_created(self, team: Team) -> None:
        """Give a new personal entity what it begins with."""

    def guard_admin(self, actor: Actor, member: OrganizationMember) -> None:
        """Take away what only admins have from a member who ceases to be one, or refuse that.

        The places of all admins of the organization are locked.

        Raises:
            Conflict: why they must stay one.
        """

    def before_organization_end(self, actor: Actor, organization: Organization) -> None:
        """Take away what goes with an organization that is about to be deleted, or refuse that.

        Raises:
            Conflict: what must be settled first.
        """


_policies = [PlanPolicy()]


def set_plan_policy(policy: PlanPolicy) -> None:
    """Set who answers; called in ``AppConfig.ready``."""
    _policies[:] = [policy]


def plan_policy() -> PlanPolicy:
    """Return who answers."""
    return _policies[0]


def has_feature(organization: Organization, feature: str) -> bool:
    """Say whether the organization may use the feature, for example ``"service_accounts"``."""
    return plan_policy().has_feature(organization, feature)


def organizations_with(organization_ids: Collection[int], feature: str) -> set[int]:
    """Return the keys of those organizations that may use the feature; one query at most."""
    return plan_policy().organizations_with(organization_ids, feature) if organization_ids else set()


def denied_message(message: str, organization: Organization) -> str:
    """Return a refusal of what the plan does not include, with who can change that."""
    return f"{message} {plan_policy().describe_plan(organization)}".strip()


def seat_for(role: Role, models_access: str) -> Seat | None:
    """Return the seat of a role in an organization with an access to Models; who sees nothing of Models takes none."""
    if models_access == ProductAccess.NONE:
        return None
    looks = role.preset == Preset.ORGANIZATION_VIEWER or models_access == ProductAccess.VIEW_ONLY
    return Seat.VIEW_ONLY if looks else Seat.FULL


def seat_of(member: OrganizationMember) -> Seat | None:
    """Return the seat that a member takes; their role must be loaded."""
    return seat_for(member.role, member.models_access)


def require_seat(organization: Organization, seat: Seat | None, *, had: Seat | None = None) -> None:
    """Let somebody take a seat; call in the transaction that gives it to them. Service accounts take none.

    Args:
        organization: Whose.
        seat: Which; None is always free.
        had: The one that they give up.

    Raises:
        Conflict: none is left; the message says who can change that.
    """
    if seat is not None and seat != had:
        plan_policy().require_seat(organization, seat, had)
