"""Reads for sign-in."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from access.models import AuditEntry
from accounts.models import User


def user_of(credentials: Mapping[str, Any]) -> User | None:
    """Return whom typed credentials name, by address or username."""
    email, name = credentials.get("email"), credentials.get("username")
    typed = Q(emailaddress__email__iexact=email) if email else Q(username__iexact=name)
    return User.objects.filter(typed).order_by("-emailaddress__verified", "pk").first()


def has_signed_in_from(user: User, address: str) -> bool:
    """Say whether the audit log knows a sign-in of the user from an address."""
    of_user = AuditEntry.objects.filter(object_type=User._meta.label, object_id=str(user.pk))
    return of_user.filter(action="user.sign_in", address=address).exists()
