"""Mail before an API key ends: whoever it serves learns of it while jobs still run (ACC-40)."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from accounts.mail import sending
from accounts.membership_policy import membership_policy
from accounts.models import ApiKey, User, UserKind

MAILED_BEFORE = timedelta(days=7)
_BATCH = 200


def mail_before_expiry() -> int:
    """Mail once for each key that ends within a week; returns for how many.

    Keys made to live no longer than that are left out: whoever made them knows.
    """
    now = timezone.now()
    ending = Q(
        expires_at__gt=now, expires_at__lte=now + MAILED_BEFORE, end_told_at=None, user__is_active=True
    )
    lives_longer = Q(expires_at__gt=F("created_at") + MAILED_BEFORE)
    numbers = list(ApiKey.objects.filter(ending & lives_longer).values_list("pk", flat=True)[:_BATCH])
    return sum(_mail_once(number) for number in numbers)


@transaction.atomic
def _mail_once(number: int) -> bool:
    """Mail for one key, unless another worker has."""
    if not ApiKey.objects.filter(pk=number, end_told_at=None).update(end_told_at=timezone.now()):
        return False
    key = ApiKey.objects.select_related("user").get(pk=number)
    contacts, page = _contacts_of(key.user)
    facts = {"label": key.label, "prefix": f"ry-{key.prefix}", "ends_on": f"{key.expires_at:%Y-%m-%d}"}
    for contact in contacts:
        sending.send("accounts/email/key_ends", contact, {**facts, "owner": key.user, "page": page})
    return True


def _contacts_of(owner: User) -> tuple[list[User], str]:
    """Return who is mailed about an owner's keys, and the path of the page where new ones are made."""
    return ([owner], "") if owner.kind == UserKind.PERSON else membership_policy().key_contacts(owner)
