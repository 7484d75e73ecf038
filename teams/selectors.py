"""Reads about teams."""

from django.db.models import Q, QuerySet

from access.actor import Actor, ActorKind
from access.engine import visible
from accounts.models import User
from teams.access import TeamAction
from teams.models import Membership, OrganizationMember, ServiceAccount, Team, TeamKind


def teams_of(actor: Actor) -> QuerySet[Team]:
    """Return the shared teams the actor belongs to, by name."""
    mine = Membership.objects.filter(user_id=actor.lookup_id).values("team_id")
    return visible(actor, TeamAction.VIEW, Team.objects.shared().filter(pk__in=mine))


def entities_of(actor: Actor) -> list[str]:
    """Return the names an SDK may log to: the personal entity first, then teams (wish 55)."""
    mine = Team.objects.filter(memberships__user_id=actor.lookup_id)
    names = list(mine.order_by("-kind", "name").values_list("name", "kind"))
    own = [name for name, kind in names if kind == TeamKind.PERSONAL]
    return own + sorted(name for name, kind in names if kind != TeamKind.PERSONAL)


def default_team_of(actor: Actor) -> Team | None:
    """Return where runs go that name no entity: a person's own, a service account's home team (TEAM-32)."""
    if actor.kind is ActorKind.SERVICE:
        account = ServiceAccount.objects.filter(user_id=actor.lookup_id).first()
        return Team.objects.filter(pk=account.home_team_id).first() if account else None
    return Team.objects.filter(memberships__user_id=actor.lookup_id, kind=TeamKind.PERSONAL).first()


def attributed_user(actor: Actor) -> User | None:
    """Return the member whom a service account logs for, if the client named one (TEAM-34).

    A member of the parent team for a team's account, of the organization for an organization's; nobody else.
    """
    if actor.kind is not ActorKind.SERVICE or not actor.on_behalf_of:
        return None
    account = ServiceAccount.objects.filter(user_id=actor.lookup_id).first()
    if account is None:
        return None
    named = User.objects.filter(
        Q(username__iexact=actor.on_behalf_of)
        | Q(emailaddress__email__iexact=actor.on_behalf_of, emailaddress__verified=True),
        is_active=True,
        kind="person",
    )
    if account.team_id is not None:
        return named.filter(
            pk__in=Membership.objects.filter(team_id=account.team_id).values("user_id")
        ).first()
    members = OrganizationMember.objects.filter(organization_id=account.organization_id or 0)
    return named.filter(pk__in=members.values("user_id")).first()
