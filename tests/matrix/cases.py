"""The vocabulary of the matrix: rows (`Case`), the things they are asked about (`Thing`), the answer expected."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from tests.matrix import permissions
from tests.matrix.permissions import TABLE, Permission


class Over(StrEnum):
    """What kind of thing a route is about."""

    NOTHING = "nothing"
    ORGANIZATION = "organization"
    INVOICE = "invoice"
    PAYMENT_METHOD = "payment method"
    ENTITY = "entity"
    PROJECT = "project"
    RESTRICTED = "restricted project"
    RUN = "run"
    VIEW = "saved view"
    OWN_VIEW = "saved view of somebody"
    CHART = "stored chart"
    KEY = "API key"
    EMAIL = "email address"
    INVITATION = "invitation"
    AUDIT = "audit entry"
    SERVICE = "service account"
    ORGANIZATION_SERVICE = "service account of the organization"
    SERVICE_KEY = "key of a service account"
    AUTOMATION = "automation"
    TEAM_AUTOMATION = "automation of all projects"
    ACTED = "message of an automation"
    DESTINATION = "destination of alerts"
    SECRET = "secret of webhooks"
    ROUTE = "way of alerts"
    MUTE = "what somebody muted"
    ARTIFACT_TYPE = "type of artifacts"
    COLLECTION = "collection of artifacts"
    VERSION = "version of an artifact"
    PORTFOLIO = "collection of linked versions"
    REGISTRY = "registry"
    LINKED = "collection of an organization's registry"
    DRAFT = "draft of an artifact, logged by a run"
    SWEEP = "sweep"


class Answer(StrEnum):
    """What an interface says."""

    OK = "ok"
    FORBIDDEN = "forbidden"
    """Seen, but the action is missing: 403, naming the action."""
    HIDDEN = "hidden"
    """404, 410 of a link that is dead, null, or a socket closed with 4404."""
    LOGIN = "login"
    """A redirect to the sign-in page."""
    UNAUTHENTICATED = "unauthenticated"
    """401."""


@dataclass(frozen=True)
class Case:
    """One way to use a route: what it needs, what it is about, how it is asked."""

    needs: str
    over: Over = Over.NOTHING
    method: str = "GET"
    args: dict[str, Any] = field(default_factory=dict)
    """More of the URL, GraphQL variables, query parameters or the body, as the interface reads them."""
    document: str = ""
    """GraphQL only."""
    found_at: str = "found"
    """GraphQL only: the path in the data that is null when the thing is hidden."""
    listed: bool = False
    """The thing is hidden when the list does not show it."""
    without: frozenset[str] = frozenset()
    """Visibilities and places that the case does not ask about, because the request makes no sense there."""
    answer: "Answer | None" = None
    """What everybody is told, whoever they are."""
    answer_to_allowed: "Answer" = Answer.OK
    """What those are told who may: hidden where the case names nothing that exists."""
    is_made_on_use: bool = False
    """A project that is missing is created, so a hidden one is refused as a missing one."""


@dataclass(frozen=True)
class Thing:
    """What one cell is about, as the specification sees it."""

    label: str
    row: Any = None
    visibility: str = ""
    place: str = ""
    """``team``, ``elsewhere`` (the organization's other team), ``personal`` (of the member), ``organization``, or
    ``registry`` (of the organization, in which everyone has the role Member)."""
    owner: str = ""


NOTHING = Thing("")
ROLE = 4711
"""The number of the custom role that the world's organization has."""


PERSONAL_OWNER = "member"


def role_of(actor: str, thing: Thing) -> str:
    """Return the letter of TEAM-21 that the actor counts as there, "" for none."""
    if thing.place == "personal":
        return "A" if actor == PERSONAL_OWNER else ""
    if thing.place == "organization":
        return permissions.ROLES_OF_ORGANIZATION.get(actor, "")
    if thing.place == "registry":
        return permissions.ROLES_IN_REGISTRY.get(actor, "")
    if thing.visibility == "restricted":
        return permissions.INVITED.get(actor, "")
    roles = permissions.ROLES if thing.place == "team" else permissions.ROLES_ELSEWHERE
    return roles.get(actor, "")


def _by_matrix(who: str, actor: str, thing: Thing, actions: frozenset[str]) -> bool:
    """Whether a cell of TEAM-21 names the actor, or one of the actions is in their custom role."""
    role, tokens = role_of(actor, thing), set(who.split())
    if role == permissions.CUSTOM:
        return bool(permissions.CUSTOM_ACTIONS & actions) or _by_role(
            permissions.CUSTOM_BASE, tokens, actor, thing
        )
    return _by_role(role, tokens, actor, thing)


def _by_role(role: str, tokens: set[str], actor: str, thing: Thing) -> bool:
    signed_in = actor != permissions.NOT_SIGNED_IN
    anywhere = role_of(actor, replace(thing, visibility=""))
    return (
        role in tokens
        or f"{anywhere}!" in tokens
        or ("S" in tokens and thing.place == "organization" and actor in permissions.PROGRAMS)
        or ("B" in tokens and thing.place == "organization" and actor in permissions.BILLING_ADMINS)
        or (f"{role}-own" in tokens and thing.owner == actor)
        or ("P" in tokens and thing.visibility in {"public", "open"})
        or ("L*" in tokens and thing.visibility == "open" and signed_in)
        or ("L" in tokens and thing.visibility == "open" and signed_in and thing.owner in {"", actor})
    )


def _known(who: str, actor: str, thing: Thing) -> bool | None:
    """Answer what depends on who somebody is, None where roles decide."""
    signed_in = actor != permissions.NOT_SIGNED_IN
    return {
        permissions.ANYONE: True,
        permissions.SIGNED_IN: signed_in,
        permissions.PERSON: signed_in and actor not in permissions.PROGRAMS,
        permissions.OPERATOR: actor in permissions.OPERATORS,
        permissions.ELEVATED: actor == permissions.ELEVATED,
        permissions.COLLEAGUE: actor in permissions.COLLEAGUES,
        permissions.OWNER: actor == thing.owner,
        permissions.INVITED_OR_SIGNED_OUT: actor in {thing.owner, permissions.NOT_SIGNED_IN},
    }.get(who)


def allowed(needs: str, actor: str, scope: str, thing: Thing) -> bool:
    """Whether the specification lets the actor, with a key of this scope, do it."""
    permission: Permission = TABLE[needs]
    limit = permissions.SCOPES[scope]
    if limit is None:
        is_reached = not permission.scopes & permissions.NAMED or actor == permissions.ELEVATED
        in_scope = scope == "session" or is_reached
    else:
        in_scope = not permission.scopes or bool(limit & permission.scopes)
    known = _known(permission.who, actor, thing)
    if known is not None:
        return known and in_scope
    who = permissions.IN_REGISTRY.get(needs, permission.who) if thing.place == "registry" else permission.who
    return actor == permissions.ELEVATED or (in_scope and _by_matrix(who, actor, thing, permission.scopes))


def expected(case: Case, actor: str, scope: str, thing: Thing) -> Answer:
    """Return the answer before an interface dresses it (a web page sends anonymous people to sign in)."""
    if case.answer is not None:
        return case.answer
    if allowed(case.needs, actor, scope, thing):
        return case.answer_to_allowed
    permission, anonymous = TABLE[case.needs], actor == permissions.NOT_SIGNED_IN
    if anonymous and permission.who in {permissions.SIGNED_IN, permissions.OPERATOR}:
        return Answer.LOGIN
    told = permission.who in {permissions.OPERATOR, permissions.ELEVATED}
    if told or (permission.sees and allowed(permission.sees, actor, scope, thing)):
        return Answer.FORBIDDEN
    if case.is_made_on_use and thing.visibility == "restricted" and _may_not_create(actor, scope, thing):
        return Answer.FORBIDDEN
    return Answer.HIDDEN


def _may_not_create(actor: str, scope: str, thing: Thing) -> bool:
    """Whether somebody sees the team of a project, and may create none in it."""
    team = replace(thing, visibility="team", owner="")
    return allowed("team: view", actor, scope, team) and not allowed("projects: create", actor, scope, team)
