"""The part of apps above in the life of a team: what they keep for it, and its public projects."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from access.actor import Actor
from teams.models import Team


@dataclass(frozen=True, slots=True)
class PublicProject:
    """A project that anybody can read."""

    pk: int
    team: str
    name: str
    url: str
    visibility: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamParticipant:
    """What an app keeps for teams. Each function runs in the transaction of who calls it."""

    guard: Callable[[Team], None] = lambda team: None
    """Raises a Conflict that says why the team cannot be deleted."""
    hide: Callable[[Team, datetime], None] = lambda team, at: None
    show: Callable[[Team, datetime], None] = lambda team, at: None
    """Brings back what was hidden at the time."""
    give_up: Callable[[Team], None] = lambda team: None
    """Lets the purge take what was hidden without waiting for an undo."""
    forget: Callable[[Team], None] = lambda team: None
    """Takes away what no purge does, when nobody can restore the team any more."""
    public_projects: Callable[[Iterable[Team]], list[PublicProject]] = lambda teams: []
    """Returns the public projects of teams, by name."""
    close_projects: Callable[[Actor, Iterable[Team], Iterable[int] | None], int] = lambda actor, teams, keys: (
        0
    )
    """Makes those with these keys visible to their team only, None for all; returns how many there were."""


_participants: list[TeamParticipant] = []


def register_team_participant(participant: TeamParticipant) -> None:
    """Add a part in the life of teams; called in ``AppConfig.ready``."""
    if participant not in _participants:
        _participants.append(participant)


def team_participants() -> list[TeamParticipant]:
    """Return them in the order of the apps."""
    return _participants
