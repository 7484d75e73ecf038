"""What a link in a mail switches off, and brings back: the mail of the one person whom it was sent to (ALR-3).

The link is the credential, so nobody has to sign in. It only ever switches off; what brings that back is a second
token, made when it was done.
"""

from dataclasses import replace

from django.core import signing
from django.db import transaction
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from access.web.requests import actor_of_user
from accounts.models import User
from alerts.models import Mute
from alerts.preferences.services import change_settings, mute, settings_of, unmute
from alerts.preferences.unsubscribe_links import Subscription
from common.errors import Gone, NotFound
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, Team, TeamKind

_SALT = "alerts.resubscribe"
UNDO_S = 3600
"""How long it can be undone without signing in."""


def person_of(subscription: Subscription) -> User:
    """Return whose mail it is.

    Raises:
        NotFound: the account is gone.
    """
    user = User.objects.filter(pk=subscription.user_id, is_active=True).first()
    if user is None:
        raise NotFound(_("This account was deleted and no longer gets email."))
    return user


def teams_of(subscription: Subscription) -> list[Team]:
    """Return the teams whose mail it is about, of those that the person is still in; also organizations' entities."""
    actor = actor_of_user(person_of(subscription))
    rows = Team.objects.shared().filter(pk__in=subscription.team_ids)
    organizations = visible(actor, OrganizationAction.VIEW, Organization.objects.all())
    entities = Team.objects.entities().filter(
        kind=TeamKind.ORGANIZATION, organization__in=organizations, pk__in=subscription.team_ids
    )
    found = [*visible(actor, TeamAction.VIEW, rows), *entities]
    return sorted(found, key=lambda team: team.name)


@transaction.atomic
def unsubscribe(*, subscription: Subscription) -> Subscription:
    """Switch a person's own alerts by mail off, and mute the teams that mailed them; returns what was on before."""
    user = person_of(subscription)
    actor, muted = actor_of_user(user), []
    for team in teams_of(subscription):
        if not Mute.objects.filter(user=user, team=team).exists():
            mute(actor=actor, team=team)
            muted.append(team.pk)
    was_on = subscription.is_own and settings_of(user=user).by_email
    if was_on:
        change_settings(actor=actor, user=user, by_email=False)
    return replace(subscription, is_own=was_on, team_ids=tuple(muted))


def is_off(subscription: Subscription) -> bool:
    """Whether nothing is mailed any more of what a link would switch off."""
    user = person_of(subscription)
    teams = {team.pk for team in teams_of(subscription)}
    muted = Mute.objects.filter(user=user, team__in=teams).values("team_id").distinct().count()
    return muted == len(teams) and not (subscription.is_own and settings_of(user=user).by_email)


def undo_token(done: Subscription) -> str:
    """Return what undoes it for a while."""
    return signing.dumps([done.user_id, int(done.is_own), *done.team_ids], salt=_SALT)


@transaction.atomic
def resubscribe(*, token: str) -> Subscription:
    """Bring back what was switched off a moment ago.

    Raises:
        Gone: that was too long ago, or the token is not one of ours.
    """
    try:
        user_id, is_own, *team_ids = signing.loads(token, salt=_SALT, max_age=UNDO_S)
    except (signing.BadSignature, ValueError):
        raise Gone(_("It’s too late to undo this here. Sign in and turn it on in your settings.")) from None
    done = Subscription(user_id, bool(is_own), tuple(team_ids))
    user = person_of(done)
    actor: Actor = actor_of_user(user)
    for team in Team.objects.filter(pk__in=done.team_ids):
        unmute(actor=actor, team=team)
    if done.is_own:
        change_settings(actor=actor, user=user, by_email=True)
    return done
