"""The answers about plans that `teams` and `storage` ask for."""

from collections.abc import Collection

from access.actor import Actor
from accounts.models import User
from billing import account_closure
from billing.billing_admins import contacts
from billing.billing_admins import services as admins
from billing.limits import seats, storage_quota
from billing.subscriptions import features
from billing.subscriptions import services as subscriptions
from teams.models import Organization, OrganizationMember, Team
from teams.plan_policy import PlanPolicy, Seat


class BillingPlanPolicy(PlanPolicy):
    """Answers by the organization's subscription."""

    def has_feature(self, organization: Organization, feature: str) -> bool:
        """Say whether the plan's switch is on."""
        return features.has_feature_by_plan(organization, feature)

    def organizations_with(self, organization_ids: Collection[int], feature: str) -> set[int]:
        """Return the keys of the organizations whose plan has the switch on."""
        return features.organizations_with_feature(organization_ids, feature)

    def describe_plan(self, organization: Organization) -> str:
        """Name the plan and who changes it."""
        return contacts.plan_message(organization)

    def can_compare(self, organization: Organization) -> bool:
        """Say whether there is another plan to look at."""
        return contacts.can_compare(organization)

    def require_seat(self, organization: Organization, seat: Seat, had: Seat | None) -> None:
        """Refuse a seat beyond the plan's."""
        seats.require_seat(organization, seat, had)

    def require_storage(self, team_id: int) -> None:
        """Refuse files above the plan's storage."""
        storage_quota.require_storage(team_id)

    def on_organization_created(self, organization: Organization, admin: User) -> None:
        """Put it on the default plan; its creator is its first billing admin."""
        subscriptions.begin_for_organization(organization, admin)

    def on_personal_team_created(self, team: Team) -> None:
        """Put it on its default plan."""
        subscriptions.begin_for_person(team)

    def guard_admin(self, actor: Actor, member: OrganizationMember) -> None:
        """Let the last billing admin stay an admin; take the role from one of several."""
        admins.require_a_billing_admin(actor, member)

    def before_organization_end(self, actor: Actor, organization: Organization) -> None:
        """Refuse to end an organization that is not settled."""
        account_closure.end_organization(actor, organization)
