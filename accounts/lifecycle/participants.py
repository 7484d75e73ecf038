"""How apps take part in the life of an account: what each keeps of people, and what becomes of it at the end."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from accounts.models import User


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What somebody must hand over before their account can go, and where."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class MergeLine:
    """One line of the preview of a merge: how many rows of a kind would move."""

    what: str
    count: int
    note: str = ""
    """What becomes of those that the other account has, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountParticipant:
    """One app's answers when an account is deleted, or merged into another: an app names only what concerns it.

    Merging asks with the account that ends and the one that stays.
    """

    obstacles: Callable[[User], Iterable[Obstacle]] = lambda user: ()
    """Yields what must be handed over before an account is deleted."""
    erase: Callable[[User], None] = lambda user: None
    """Removes what a person had; runs in the deleting transaction, before the person's row is emptied."""
    conflicts: Callable[[User, User], Iterable[str]] = lambda source, target: ()
    """Says what prevents a merge, in whole sentences."""
    preview_merge: Callable[[User, User], Iterable[MergeLine]] = lambda source, target: ()
    merge: Callable[[User, User], None] = lambda source, target: None
    """Hands rows over; runs in the merging transaction."""


_participants: list[AccountParticipant] = []


def register_account_participant(participant: AccountParticipant) -> None:
    """Add an app that keeps something of people; called in ``AppConfig.ready``."""
    if participant not in _participants:
        _participants.append(participant)


def account_participants() -> tuple[AccountParticipant, ...]:
    """Return those of all apps above, the lowest first."""
    return tuple(_participants)
