"""Addresses that people have entered and not yet proven: they open nothing, and keep no one else out.

An address belongs to an account once it is verified: by the link that was mailed to it, by a provider that proves it,
or on an operator's word. At that moment it is taken from every other account that had entered it.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, cast

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.signals import post_save
from django.utils import timezone

from access.actor import SYSTEM
from access.audit.log import record
from accounts.models import UnprovenAddress, User

EXPIRES_AFTER = timedelta(days=settings.ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS)
"""How long an address that was not verified is kept: as long as its link works."""
_A_ROUND = 1000


def is_mail_sent() -> bool:
    """Whether addresses can be proven by a mailed link."""
    return bool(settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory")


def owner_of(email: str) -> User | None:
    """Return the account that has proven an address."""
    row = EmailAddress.objects.filter(email__iexact=email, verified=True).select_related("user").first()
    return row.user if row else None


def account_for(email: str) -> User | None:
    """Return the account that whoever proves an address may open: its owner's, else one that was made for them.

    The latter was made by an organization's provider (SCIM), and no one has had a way into it.
    """
    if owner := owner_of(email):
        return owner
    rows = (
        EmailAddress.objects.filter(email__iexact=email, primary=True).select_related("user").order_by("pk")
    )
    return next((row.user for row in rows if _awaits_its_owner(row.user)), None)


def _awaits_its_owner(user: User) -> bool:
    if user.last_login is not None or user.has_usable_password() or user.api_keys.exists():
        return False
    return not any(model.objects.filter(user=user).exists() for model in (SocialAccount, Authenticator))


def is_taken(email: str) -> bool:
    """Whether a new account may not begin with an address: it is proven or, where no mail is sent, primary there."""
    known = Q(verified=True) if is_mail_sent() else Q(verified=True) | Q(primary=True)
    return bool(EmailAddress.objects.filter(known, email__iexact=email).exists())


def can_mail(user: User, address: str) -> bool:
    """Whether mail may go to an address of a user: it is proven, or no mail leaves the installation."""
    proven = EmailAddress.objects.filter(user=user, email__iexact=address, verified=True)
    return not is_mail_sent() or proven.exists()


def unproven(emails: Iterable[str], *, except_of: int | None = None) -> QuerySet[EmailAddress]:
    """Return the unproven entries of addresses, but for those of one account."""
    rows = EmailAddress.objects.filter(email__in=[email.lower() for email in emails], verified=False)
    return cast("QuerySet[EmailAddress]", rows.exclude(user=except_of))


@transaction.atomic
def release(rows: Iterable[EmailAddress], reason: str) -> None:
    """Take unproven addresses from their accounts; one that was primary is replaced by a verified one, or by none."""
    for row in rows:
        user = row.user
        EmailAddress.objects.filter(pk=row.pk).delete()
        record(SYSTEM, "email.delete", user, after={"email": row.email, "reason": reason})
        if user.email.lower() != row.email.lower():
            continue
        other = EmailAddress.objects.filter(user=user, verified=True).order_by("pk").first()
        if other is not None:
            other.primary = True
            other.save(update_fields=["primary"])
        user.email = other.email if other else ""
        user.save(update_fields=["email", "updated_at"])


def expire() -> int:
    """Remove addresses, other than primary ones, that were not verified in time; return how many."""
    now = timezone.now()
    waiting = EmailAddress.objects.filter(verified=False, primary=False)
    new = waiting.filter(unproven__isnull=True)[:_A_ROUND]
    UnprovenAddress.objects.bulk_create(
        [UnprovenAddress(address=row, since=now) for row in new], ignore_conflicts=True
    )
    UnprovenAddress.objects.filter(Q(address__verified=True) | Q(address__primary=True)).delete()
    expired = list(waiting.filter(unproven__since__lte=now - EXPIRES_AFTER).select_related("user")[:_A_ROUND])
    release(expired, "not verified in time")
    return len(expired)


def _proven(instance: EmailAddress, **_: Any) -> None:
    if instance.verified:
        others = unproven([instance.email], except_of=instance.user_id).select_related("user")
        release(others, "verified by another account")


def listen() -> None:
    """Let each proof take the address from those who only entered it; called in ``AppConfig.ready``."""
    post_save.connect(_proven, sender=EmailAddress, weak=False, dispatch_uid="accounts.address_claims")
