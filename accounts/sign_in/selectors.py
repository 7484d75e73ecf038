"""Reads for the key pages and for sign-in."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q, QuerySet

from access.actor import Actor
from access.engine import visible
from access.models import AuditEntry
from accounts.access import AccountAction
from accounts.models import ApiKey, User


def api_keys_of(actor: Actor) -> QuerySet[ApiKey]:
    """Return the actor's own keys, newest first."""
    return visible(actor, AccountAction.VIEW_KEYS, ApiKey.objects.filter(user_id=actor.lookup_id))


def user_of(credentials: Mapping[str, Any]) -> User | None:
    """Return whom typed credentials name, by address or username."""
    email, name = credentials.get("email"), credentials.get("username")
    typed = Q(emailaddress__email__iexact=email) if email else Q(username__iexact=name)
    return User.objects.filter(typed).first()


def has_signed_in_from(user: User, address: str) -> bool:
    """Say whether the audit log knows a sign-in of the user from an address."""
    of_user = AuditEntry.objects.filter(object_type=User._meta.label, object_id=str(user.pk))
    return of_user.filter(action="user.sign_in", address=address).exists()
