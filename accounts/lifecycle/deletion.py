"""The end of an account (ACC-9), immediate and final. A tombstone keeps the username, for runs logged to teams.

Other apps say what must be handed over first and remove what they keep (`accounts.lifecycle.participants`).
"""

from collections.abc import Iterable
from functools import partial

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from access.signals import rights_changed
from accounts.access import AccountAction
from accounts.credentials.sessions import end_session
from accounts.lifecycle.administration import require_another_operator
from accounts.lifecycle.participants import Obstacle, account_participants
from accounts.mail import sending
from accounts.models import ApiKey, User
from accounts.profile.services import delete_profile
from common.errors import Conflict, Invalid

_KEPT = {"id", "claim", "username", "kind", "created_at"}
_OWN_ROWS = (EmailAddress, Authenticator, SocialAccount, ApiKey)


def obstacles_of(user: User) -> list[Obstacle]:
    """Return what must be handed over first, nothing when the account may go."""
    own = _last_operator(user)
    return [*own, *(obstacle for each in account_participants() for obstacle in each.obstacles(user))]


def _last_operator(user: User) -> Iterable[Obstacle]:
    try:
        with transaction.atomic():
            require_another_operator(user)
    except Conflict as error:
        yield Obstacle(error.message, reverse("admin:accounts_user_changelist"))


@transaction.atomic
def delete_account(*, actor: Actor, user: User, typed: str) -> None:
    """Delete an account: personal projects, keys, addresses and sign-in methods go, runs in teams stay.

    Args:
        actor: The owner, whose password or sign-in was asked for just now.
        user: Whose account.
        typed: The username, typed by the owner.

    Raises:
        Invalid: another name was typed.
        Conflict: something must be handed over first.
    """
    require(actor, AccountAction.DELETE, user)
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if typed.strip() != user.username:
        raise Invalid(_("Type your username, %(name)s, to delete the account.") % {"name": user.username})
    if obstacles := obstacles_of(user):
        raise Conflict(" ".join(obstacle.text for obstacle in obstacles))
    sending.send("accounts/email/account_deleted", user)
    make_tombstone(user)
    record(actor, AccountAction.DELETE, user)


def make_tombstone(user: User) -> None:
    """Take away all that an account has, but its name; call inside the transaction that ends it."""
    for participant in account_participants():
        participant.erase(user)
    for session in UserSession.objects.filter(user=user):
        end_session(session)
    for model in _OWN_ROWS:
        model.objects.filter(user=user).delete()
    delete_profile(user.claim)
    _empty(user)
    transaction.on_commit(partial(rights_changed.send, User))


def _empty(user: User) -> None:
    """Reset every column that is not needed to show who logged a run."""
    for field in user._meta.concrete_fields:
        if field.name not in _KEPT:
            setattr(user, field.attname, field.get_default())
    user.set_unusable_password()
    user.is_active, user.deleted_at = False, timezone.now()
    user.save()


def retire_service_user(user: User) -> None:
    """Leave of a service account's user what tells whose runs they are; `teams` decides who may, in its transaction."""
    for participant in account_participants():
        participant.erase(user)
    ApiKey.objects.filter(user=user).delete()
    delete_profile(user.claim)
    user.is_active, user.deleted_at = False, timezone.now()
    user.save(update_fields=["is_active", "deleted_at", "updated_at"])
