"""Where a person's runs go that name no entity: a team they choose, else their own entity (protocol 4.8)."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import require
from accounts.access import AccountAction
from accounts.models import User
from common.errors import Invalid
from teams.models import Membership, Team
from teams.teams.selectors import entities_of


def choices_of(actor: Actor) -> QuerySet[Team]:
    """Return what a person can choose among: their own entity and the teams they are in."""
    return Team.objects.live().filter(memberships__user=actor.lookup_id)


@transaction.atomic
def choose_default_team(*, actor: Actor, user: User, name: str) -> None:
    """Store the team that the person's runs go to when they name no entity; "" is their own entity.

    Raises:
        Invalid: they are in no team of this name, there may be one or not; or it is a service account, whose team
            others choose.
    """
    require(actor, AccountAction.UPDATE, user)
    if user.is_service_account:
        raise Invalid(_("The default team of a service account is chosen by the people who manage it."))
    User.objects.select_for_update().get(pk=user.pk)  # two choices at once would both be the default
    team = choices_of(actor).filter(name=name or user.username).first()
    if team is None:
        message = _("You are not in a team named %(name)s. You can choose from: %(teams)s.")
        raise Invalid(message % {"name": name, "teams": ", ".join(entities_of(actor))})
    places = Membership.objects.filter(user=user)
    places.filter(is_default=True).update(is_default=False)
    if not team.is_personal:
        places.filter(team=team).update(is_default=True)
