"""Who is asking. Built once per request by the adapters, frozen, passed to every service and selector."""

from dataclasses import dataclass
from enum import StrEnum


class ActorKind(StrEnum):
    """What kind of caller an actor is."""

    ANONYMOUS = "anonymous"
    PERSON = "person"
    SERVICE = "service account"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who is asking, and how far the credentials they used reach."""

    kind: ActorKind = ActorKind.ANONYMOUS
    user_id: int | None = None
    name: str = ""
    scopes: frozenset[str] | None = None
    """Actions the API key is limited to; None means all that its owner may."""
    key_id: int | None = None
    on_behalf_of: str = ""
    """The member a service account's client named (TEAM-34): a username or email, not yet checked."""
    address: str = ""
    elevated: bool = False
    """An operator who asked for operator rights by the admin or the explicit header (TEAM-21)."""

    @property
    def is_signed_in(self) -> bool:
        """Whether anybody is known to be asking."""
        return self.user_id is not None or self.kind is ActorKind.SYSTEM

    @property
    def lookup_id(self) -> int:
        """The user's key for look-ups; for nobody 0, which no row has (a None would match nullable columns)."""
        return self.user_id or 0

    def reaches(self, action: str) -> bool:
        """Whether the credentials' scopes include the action."""
        return self.scopes is None or action in self.scopes


ANONYMOUS = Actor()
SYSTEM = Actor(kind=ActorKind.SYSTEM, name="system")
"""Commands run by an operator on the machine, and what Celery beat does by itself."""
