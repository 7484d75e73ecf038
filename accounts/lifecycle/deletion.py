"""The end of an account (ACC-9): at once and for ever. A tombstone keeps the username, for runs logged to teams.

Apps above say in `AppConfig.ready` what stands in the way and what goes with an account.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
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
from accounts.lifecycle.administration import keep_an_operator
from accounts.mail import sending
from accounts.models import ApiKey, User
from accounts.profile.services import forget_profile
from common.errors import Conflict, Invalid


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What somebody must hand over before their account can go, and where."""

    text: str
    url: str


FindObstacles = Callable[[User], Iterable[Obstacle]]
Erase = Callable[[User], None]
"""Takes away what a person had; runs in the deleting transaction, before the person's row is emptied."""

_guards: list[FindObstacles] = []
_parts: list[Erase] = []
_KEPT = {"id", "claim", "username", "kind", "created_at"}
_OWN_ROWS = (EmailAddress, Authenticator, SocialAccount, ApiKey)


def register_account_part(*, erase: Erase, obstacles: FindObstacles | None = None) -> None:
    """Add what goes with an account, and what may stand in the way; called in ``AppConfig.ready``."""
    if erase not in _parts:
        _parts.append(erase)
    if obstacles is not None and obstacles not in _guards:
        _guards.append(obstacles)


def obstacles_of(user: User) -> list[Obstacle]:
    """Return what must be handed over first, nothing when the account may go."""
    return [obstacle for find in (_last_operator, *_guards) for obstacle in find(user)]


def _last_operator(user: User) -> Iterable[Obstacle]:
    try:
        with transaction.atomic():
            keep_an_operator(user)
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
    for erase in _parts:
        erase(user)
    for session in UserSession.objects.filter(user=user):
        session.end()
    for model in _OWN_ROWS:
        model.objects.filter(user=user).delete()
    forget_profile(user.claim)
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
    for erase in _parts:
        erase(user)
    ApiKey.objects.filter(user=user).delete()
    forget_profile(user.claim)
    user.is_active, user.deleted_at = False, timezone.now()
    user.save(update_fields=["is_active", "deleted_at", "updated_at"])
