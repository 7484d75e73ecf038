"""What teams answer when accounts ask (`accounts.membership_policy`)."""

from collections.abc import Collection
from datetime import datetime

from django.http import HttpRequest

from accounts.membership_policy import MembershipPolicy
from accounts.models import User
from teams.invitations.selectors import invited_address
from teams.organizations.key_policy import check_new_key
from teams.service_accounts.keys import contacts_of
from teams.sso_groups.services import join_teams_of_groups
from teams.teams.services import create_personal_team


class TeamMembershipPolicy(MembershipPolicy):
    """Personal teams for new people, and the rules of organizations for their members."""

    def user_created(self, user: User) -> None:
        """Give a new person their personal team."""
        create_personal_team(user)

    def invited_address(self, request: HttpRequest) -> str:
        """Return the address of the pending invitation that this browser has opened, or ""."""
        return invited_address(request)

    def check_new_key(self, owner: User, expires_at: datetime | None, scopes: Collection[str] | None) -> None:
        """Hold a key against the rules of its owner's organizations."""
        check_new_key(owner, expires_at, scopes)

    def key_contacts(self, owner: User) -> tuple[list[User], str]:
        """Return who manages a service account, and the path of its page."""
        return contacts_of(owner)

    def groups_named(self, user: User, provider: str, groups: frozenset[str]) -> None:
        """Bring the teams that follow the provider's groups in line."""
        join_teams_of_groups(user, provider, groups)
