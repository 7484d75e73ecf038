"""Who is asking. Built once per request by the adapters, frozen, passed to every service and selector."""

from dataclasses import dataclass
from enum import StrEnum


class ActorKind(StrEnum):
    """What kind of caller an actor is."""

    ANONYMOUS = "anonymous"
    PERSON = "person"
    SERVICE = "service account"
    SYSTEM = "system"


_denied_while_impersonating: set[str] = set()


_needing_a_named_scope: set[str] = set()


def require_named_scope(*actions: str) -> None:
    """Name actions that an API key reaches only if its scopes name them, however far it reaches else.

    A key lies on every training host: whoever finds one must not become its owner by it.
    """
    _needing_a_named_scope.update(map(str, actions))


def deny_while_impersonating(*actions: str) -> None:
    """Name actions that nobody does for somebody else: an operator who acts as a person is refused them."""
    _denied_while_impersonating.update(map(str, actions))


@dataclass(frozen=True, slots=True)
class Actor:
    """Who is asking, and how far the credentials they used reach."""

    kind: ActorKind = ActorKind.ANONYMOUS
    user_id: int | None = None
    name: str = ""
    scopes: frozenset[str] | None = None
    """Actions the API key is limited to; None means all that its owner may, but for those to be named."""
    key_id: int | None = None
    on_behalf_of: str = ""
    """The member a service account's client named (TEAM-34): a username or email, not yet checked."""
    address: str = ""
    elevated: bool = False
    """An operator who asked for operator rights by the admin or the explicit header (TEAM-21)."""
    impersonated_by: str = ""
    """The operator who acts as this person; the audit log names both."""

    @property
    def is_signed_in(self) -> bool:
        """Whether anybody is known to be asking."""
        return self.user_id is not None or self.kind is ActorKind.SYSTEM

    @property
    def lookup_id(self) -> int:
        """The user's key for look-ups; for nobody 0, which no row has (a None would match nullable columns)."""
        return self.user_id or 0

    def reaches(self, action: str) -> bool:
        """Whether the credentials include the action: by the key's scopes, and not for who acts as somebody else."""
        if self.impersonated_by and action in _denied_while_impersonating:
            return False
        if self.scopes is None:
            return self.key_id is None or action not in _needing_a_named_scope
        return action in self.scopes

    @property
    def shown_name(self) -> str:
        """What the audit log calls the actor: "root as ada" when an operator acts as somebody."""
        name = self.name or self.kind.value
        return f"{self.impersonated_by} as {name}" if self.impersonated_by else name


ANONYMOUS = Actor()
SYSTEM = Actor(kind=ActorKind.SYSTEM, name="system")
"""Commands run by an operator on the machine, and what Celery beat does by itself."""
