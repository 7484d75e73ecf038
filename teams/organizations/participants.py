"""The part of apps above in the life of an organization."""

from collections.abc import Callable
from dataclasses import dataclass

from accounts.models import User
from teams.models import Organization


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganizationParticipant:
    """What an app keeps for organizations. Each function runs in the transaction of who calls it."""

    create: Callable[[Organization, User], None] = lambda organization, admin: None
    """Gives a new organization what every one has; takes its first admin."""


_participants: list[OrganizationParticipant] = []


def register_organization_participant(participant: OrganizationParticipant) -> None:
    """Add a part in the life of organizations; called in ``AppConfig.ready``."""
    if participant not in _participants:
        _participants.append(participant)


def organization_participants() -> list[OrganizationParticipant]:
    """Return them in the order of the apps."""
    return _participants
