"""The mail that invites, and its link."""

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.credentials import address_claims
from common.crypto import keyed_hash, keyed_hashes, random_text
from teams.models import Invitation

_PURPOSE = "invitation"
_TOKEN_LENGTH = 40


def hash_of(token: str) -> str:
    """Return what is stored of an invitation's token."""
    return keyed_hash(_PURPOSE, token)


def hashes_of(token: str) -> list[str]:
    """Return what may be stored of it: former secret keys made other hashes."""
    return keyed_hashes(_PURPOSE, token)


@transaction.atomic
def mail_invitation(*, invitation_id: int) -> None:
    """Give a pending invitation a new link, which ends the one before, and mail it after the commit.

    One that has been answered or revoked is left alone.
    """
    rows = Invitation.objects.pending().select_for_update(of=("self",))
    rows = rows.select_related("team__organization", "user", "role", "base_role", "invited_by")
    invitation = rows.filter(pk=invitation_id).first()
    if invitation is None:
        return
    token = random_text(_TOKEN_LENGTH)
    invitation.token_hash, invitation.last_sent_at = hash_of(token), timezone.now()
    invitation.save(update_fields=["token_hash", "last_sent_at", "updated_at"])
    user = invitation.user
    address = user.email if user else invitation.email
    if address and (user is None or address_claims.can_mail(user, address)):
        url = settings.BASE_URL + reverse("teams:invitation", args=[token])
        get_adapter().send_mail("teams/email/invitation", address, {"invitation": invitation, "url": url})
