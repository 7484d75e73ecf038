"""The policy by which `teams` answers `accounts`: teams of new people, rules for API keys."""

from collections.abc import Collection
from datetime import datetime

from django.http import HttpRequest

from accounts.models import User


class MembershipPolicy:
    """What follows from the teams and organizations of people; this one knows none."""

    def user_created(self, user: User) -> None:
        """Give a new user what everybody has; one that raises undoes the user."""

    def invited_address(self, request: HttpRequest) -> str:
        """Return the address, in lower case, whose mailed invitation this browser has opened, or ""."""
        return ""

    def check_new_key(self, owner: User, expires_at: datetime | None, scopes: Collection[str] | None) -> None:
        """Raise to refuse a new API key, by its owner, end and scopes."""

    def key_contacts(self, owner: User) -> tuple[list[User], str]:
        """Return the people who look after a program's keys, and the path of their page."""
        return [], ""

    def groups_named(self, user: User, provider: str, groups: frozenset[str]) -> None:
        """Follow the groups that a provider names at a sign-in."""


_policies = [MembershipPolicy()]


def set_membership_policy(policy: MembershipPolicy) -> None:
    """Let an app above answer; called in its ``AppConfig.ready``."""
    _policies[:] = [policy]


def membership_policy() -> MembershipPolicy:
    """Return who answers."""
    return _policies[0]
