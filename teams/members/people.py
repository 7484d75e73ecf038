"""The lists of people on the pages of teams and organizations: a fixed number of queries, however many there are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Count, Max, OuterRef, Prefetch, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Lower, NullIf
from django.utils import timezone

from access.actor import Actor
from access.engine import can, visible
from accounts.models import ApiKey, User
from common.formats.numbers import parse_int
from teams.access import OrganizationAction, TeamAction
from teams.members.selectors import pending_invitations
from teams.models import Invitation, Membership, Organization, OrganizationMember, ProductAccess, Team

PAGE = 50
MOST_KNOWN = 8
_MOST_PAGES = 10**6
_QUIET = timedelta(days=182)
"""After half a year without a sign of life somebody counts as inactive."""
_ORDERS = {"name": "shown_name", "role": "role__name", "joined": "created_at"}

MemberRow = TypeVar("MemberRow", Membership, OrganizationMember)


@dataclass(frozen=True, slots=True)
class MemberFilter:
    """Which members to list: by words and role, in an order, on a page."""

    text: str = ""
    role: int = 0
    sort: str = "name"
    page: int = 1

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "MemberFilter":
        """Read a query string; what makes no sense is left out."""
        role, page, sort = query.get("role", ""), query.get("page", ""), query.get("sort", "")
        return cls(
            text=query.get("q", "").replace("\x00", "").strip()[:200],
            role=parse_int(role) or 0,
            sort=sort if sort.removeprefix("-") in _ORDERS else "name",
            page=parse_int(page, _MOST_PAGES) or 1,
        )


@dataclass(slots=True)
class People:
    """A page of a list: who is invited, then who is there."""

    page: "Page[int]"
    pending: list[Invitation] = field(default_factory=list)
    rows: list[Any] = field(default_factory=list)

    @property
    def found(self) -> int:
        """How many match, on all pages."""
        return self.page.paginator.count


def matches_text(given: MemberFilter, *paths: str) -> Q:
    """Return a condition: each word of what was typed is in one of these columns."""
    condition = Q()
    for word in given.text.split():
        either = Q()
        for path in paths:
            either |= Q(**{f"{path}__icontains": word})
        condition &= either
    return condition


def _members(
    rows: "QuerySet[MemberRow]", given: MemberFilter, *, shows_addresses: bool
) -> "QuerySet[MemberRow]":
    """Narrow and sort memberships, with what a row shows of their users; what is hidden is not searched."""
    last_key = ApiKey.objects.filter(user=OuterRef("user_id")).order_by().values("user")
    name = Coalesce(NullIf("user__display_name", Value("")), "user__username")
    columns = ["user__username", "user__display_name", *(["user__email"] if shows_addresses else [])]
    rows = rows.filter(matches_text(given, *columns))
    if given.role:
        rows = rows.filter(role=given.role)
    descends = "-" if given.sort.startswith("-") else ""
    return (
        rows.select_related("user__claim", "role")
        .annotate(
            shown_name=Lower(name),
            key_used_at=Subquery(last_key.annotate(at=Max("last_used_at")).values("at")),
        )
        .order_by(descends + _ORDERS[given.sort.removeprefix("-")], "shown_name", "pk")
    )


def _page(pending: "QuerySet[Invitation]", rows: "QuerySet[Any]", given: MemberFilter) -> People:
    """Cut one page out of two lists, one after the other."""
    head = pending.count()
    page = Paginator(range(head + rows.count()), PAGE).get_page(given.page)
    begin, end = max(page.start_index() - 1, 0), page.end_index()
    return People(
        page=page,
        pending=list(pending[begin:end]) if begin < head else [],
        rows=list(rows[max(begin - head, 0) : end - head]) if end > head else [],
    )


def differ_in_access(places: "Iterable[OrganizationMember | None]") -> bool:
    """Whether a product is not open to one of them, or only to read."""
    return any(
        place is not None
        and (place.role.preset == "Ov" or {place.models_access, place.weave_access} != {ProductAccess.FULL})
        for place in places
    )


def members_of(actor: Actor, team: Team, given: MemberFilter) -> People:
    """Return who is in a team, after who is invited to it for those who may invite (TEAM-3); the caller sees the team.

    Each membership has ``place``, what the organization says of them, and ``status``.
    """
    pending = pending_invitations(actor, team).select_related("user__claim", "invited_by")
    pending = pending.filter(matches_text(given, "email", "user__username", "user__display_name"))
    if given.role:
        pending = pending.filter(Q(role=given.role) | Q(role__isnull=True, base_role=given.role))
    members = _members(Membership.objects.filter(team=team), given, shows_addresses=True)
    people = _page(pending, members, given)
    places = OrganizationMember.objects.filter(
        organization=team.organization_id, user__in=[row.user_id for row in people.rows]
    ).select_related("role")
    of_user = {place.user_id: place for place in places}
    for row in people.rows:
        row.place, row.status = of_user.get(row.user_id), status_of(row.user, row.key_used_at)
    return people


def members_of_organization(actor: Actor, organization: Organization, given: MemberFilter) -> People:
    """Return who belongs to an organization, and for its admins who is invited; the caller sees the organization.

    Each has ``status``, and its user ``places``: their memberships of the organization's teams that the actor sees.
    """
    pending, manages = Invitation.objects.none(), can(actor, OrganizationAction.MANAGE_MEMBERS, organization)
    if manages and not given.role:
        rows = Invitation.objects.within(organization).filter(
            matches_text(given, "email", "user__username", "user__display_name")
        )
        pending = rows.select_related(
            "team", "organization", "user__claim", "role", "base_role", "invited_by"
        )
    teams = visible(actor, TeamAction.VIEW, Team.objects.filter(organization=organization))
    memberships = Membership.objects.filter(team__in=teams.values("pk")).select_related("team", "role")
    rows_of = OrganizationMember.objects.filter(organization=organization)
    shown = _members(rows_of, given, shows_addresses=manages).prefetch_related(
        Prefetch("user__memberships", memberships.order_by("team__name"), to_attr="places")
    )
    people = _page(pending, shown, given)
    for row in people.rows:
        row.status = status_of(row.user, row.key_used_at)
    return people


def status_of(user: User, key_used_at: datetime | None) -> str:
    """Say whether somebody is there: "active", "inactive" for half a year, or "deactivated"."""
    if not user.is_active:
        return "deactivated"
    seen = max(moment for moment in (user.created_at, user.last_login, key_used_at) if moment is not None)
    return "inactive" if timezone.now() - seen > _QUIET else "active"


def colleagues_to_invite(actor: Actor, team: Team, text: str) -> list[User]:
    """Return colleagues from the organization who are not in the team, to those who may invite."""
    words = MemberFilter(text=text)
    rows = OrganizationMember.objects.filter(
        matches_text(words, "user__username", "user__display_name"),
        organization=team.organization_id,
        user__is_active=True,
    )
    if not can(actor, TeamAction.INVITE, team):
        return []
    there = Membership.objects.filter(team=team).values("user_id")
    rows = rows.exclude(user__in=there).select_related("user__claim")
    return [row.user for row in rows.order_by("user__username")[:MOST_KNOWN]]


def teams_with_counts(actor: Actor, organization: Organization) -> "QuerySet[Team]":
    """Return the organization's teams that the actor may see, with how many are in each."""
    counts = Membership.objects.filter(team=OuterRef("pk"), user__kind="person").order_by().values("team")
    rows = visible(actor, TeamAction.VIEW, Team.objects.filter(organization=organization)).select_related(
        "claim"
    )
    counted = Subquery(counts.annotate(n=Count("pk")).values("n"))
    return rows.annotate(n_members=counted)
