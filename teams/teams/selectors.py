"""Reads about teams."""

from contextlib import suppress
from typing import TypeVar

from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor, ActorKind
from access.engine import has_operator_rights, require, visible
from accounts.models import CodeSaving, ProfileAudience, User
from common.database.kept_queries import KeptQuery
from common.errors import NotFound
from teams.access import OrganizationAction, TeamAction
from teams.models import Membership, Organization, OrganizationMember, ServiceAccount, Team, TeamKind

Row = TypeVar("Row", bound=Model)


def shared_team(actor: Actor, name: str, action: str = TeamAction.VIEW) -> Team:
    """Return the team of this name; personal entities are not found.

    Raises:
        NotFound: there is none, or the actor may not see it.
        Forbidden: they lack the action on it.
    """
    rows = Team.objects.shared().select_related("organization", "claim")
    return _visible_or_missing(actor, rows.filter(name=name).first(), action, name)


def organization_named(actor: Actor, name: str, action: str = OrganizationAction.VIEW) -> Organization:
    """Return the organization of this name; raises as `shared_team`."""
    row = Organization.objects.select_related("claim").filter(name=name).first()
    return _visible_or_missing(actor, row, action, name)


def _visible_or_missing(actor: Actor, row: "Row | None", action: str, name: str) -> "Row":
    if row is not None:
        with suppress(NotFound):  # in the words of what is missing
            require(actor, action, row)
            return row
    raise NotFound(_("%(name)s doesn’t exist here, or you don’t have access to it.") % {"name": name})


def people_known_to(actor: Actor) -> QuerySet[User]:
    """Return the active people of the actor's teams and organizations, and who tell something on their page."""
    teams = visible(actor, TeamAction.VIEW, Team.objects.shared()).values("pk")
    organizations = visible(actor, OrganizationAction.VIEW, Organization.objects.all()).values("pk")
    known = (
        Q(pk=actor.lookup_id)
        | Q(pk__in=Membership.objects.filter(team__in=teams).values("user_id"))
        | Q(pk__in=OrganizationMember.objects.filter(organization__in=organizations).values("user_id"))
    )
    if actor.user_id is not None and actor.reaches(TeamAction.VIEW):
        known |= Q(kind="person", claim__profile__isnull=False, pk__in=profiles_shown_to(actor).values("pk"))
    return User.objects.filter(known, is_active=True).select_related("claim")


def people_with_addresses(actor: Actor) -> QuerySet[User]:
    """Return the active people whose addresses the actor also sees on a page of a team or an organization."""
    teams = visible(actor, TeamAction.VIEW, Team.objects.shared()).values("pk")
    managed = visible(actor, OrganizationAction.MANAGE_MEMBERS, Organization.objects.all()).values("pk")
    shown = (
        Q(pk=actor.lookup_id)
        | Q(pk__in=Membership.objects.filter(team__in=teams).values("user_id"))
        | Q(pk__in=OrganizationMember.objects.filter(organization__in=managed).values("user_id"))
    )
    return User.objects.filter(shown, is_active=True)


def colleagues_of(actor: Actor) -> QuerySet[User]:
    """Return the people who share a team or an organization with the actor."""
    mine = {"user_id": actor.lookup_id}
    of_teams = Membership.objects.filter(team__in=Membership.objects.filter(**mine).values("team_id"))
    organizations = OrganizationMember.objects.filter(**mine).values("organization_id")
    of_organizations = OrganizationMember.objects.filter(organization__in=organizations)
    theirs = Q(pk__in=of_teams.values("user_id")) | Q(pk__in=of_organizations.values("user_id"))
    return User.objects.filter(theirs, is_active=True)


def profiles_shown_to(actor: Actor) -> QuerySet[User]:
    """Return the active people whose profiles the actor may see, as each of them chose (ACC-3)."""
    people = User.objects.filter(is_active=True)
    if has_operator_rights(actor):
        return people
    open_to = [ProfileAudience.EVERYONE, *([ProfileAudience.SIGNED_IN] if actor.is_signed_in else [])]
    known = Q(pk=actor.lookup_id) | Q(pk__in=colleagues_of(actor).values("pk"))
    return people.filter(Q(profile_visible_to__in=open_to) | known)


def teams_of(actor: Actor) -> QuerySet[Team]:
    """Return the shared teams the actor belongs to, by name."""
    mine = Team.objects.shared().filter(_belongs(actor))
    return visible(actor, TeamAction.VIEW, mine.select_related("claim"))


def _belongs(actor: Actor) -> Q:
    """Return a condition on teams: those of the actor, for an organization's service account all of them (TEAM-33)."""
    service = ServiceAccount.objects.filter(user=actor.lookup_id)
    mine = Membership.objects.filter(user_id=actor.lookup_id)
    return Q(pk__in=mine.values("team_id")) | Q(organization__in=service.values("organization_id"))


def entities_of(actor: Actor) -> list[str]:
    """Return the names an SDK may log to: the personal entity first, then teams (wish 55)."""
    mine = Team.objects.live().filter(_belongs(actor))
    names = list(mine.order_by("-kind", "name").values_list("name", "kind"))
    own = [name for name, kind in names if kind == TeamKind.PERSONAL]
    return own + sorted(name for name, kind in names if kind != TeamKind.PERSONAL)


def personal_team_of(actor: Actor) -> Team | None:
    """Return the actor's own entity; programs have none."""
    return Team.objects.live().filter(memberships__user_id=actor.lookup_id, kind=TeamKind.PERSONAL).first()


_default_places = KeptQuery(
    lambda user_id: (
        Membership.objects.filter(
            Q(is_default=True) | Q(team__kind=TeamKind.PERSONAL), user=user_id, team__deleted_at__isnull=True
        )
        .select_related("team")
        .order_by("-is_default")
    )
)


def default_team_of(actor: Actor) -> Team | None:
    """Return where runs go that name no entity: of a person the team they chose, else their own entity.

    Of a service account its home team (TEAM-32).
    """
    if actor.kind is ActorKind.SERVICE:
        account = ServiceAccount.objects.filter(user_id=actor.lookup_id).first()
        return Team.objects.live().filter(pk=account.home_team_id).first() if account else None
    place = _default_places.first(actor.lookup_id)
    return place.team if place else None


def code_saving_of(actor: Actor) -> bool | None:
    """Whether SDKs of the actor save code: True always, False never, None as the script asks (TEAM-8).

    An SDK asks once, before it knows which team it will log to; what that team or the person forbids is not stored
    either (`runs.files.code_saving`). A person's own choice comes first, then a team of theirs that saves code by
    default.
    """
    user = User.objects.filter(pk=actor.lookup_id).first()
    if user is not None and user.code_saving != CodeSaving.ASKED:
        return user.code_saving == CodeSaving.ALWAYS
    home = default_team_of(actor) if actor.kind is ActorKind.SERVICE else None
    if home is not None and not home.code_saving_allowed:
        return False
    mine = Q(memberships__user=actor.lookup_id) | Q(pk=home and home.pk)
    saving = Team.objects.live().filter(mine, code_saving_default=True, code_saving_allowed=True)
    return True if saving.exists() else None
