"""What teams send by mail."""

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from common.crypto import keyed_hash, random_text
from teams.models import Invitation

_TOKEN_LENGTH = 40


def hash_of(token: str) -> str:
    """Return what is stored of an invitation's token."""
    return keyed_hash("invitation", token)


@transaction.atomic
def _renew_link(invitation_id: int) -> tuple[Invitation, str] | None:
    """Give a pending invitation a new link, which ends the one before."""
    rows = Invitation.objects.pending().select_for_update(of=("self",))
    rows = rows.select_related("team", "user", "role", "base_role", "invited_by")
    invitation = rows.filter(pk=invitation_id).first()
    if invitation is None:
        return None
    token = random_text(_TOKEN_LENGTH)
    invitation.token_hash, invitation.last_sent_at = hash_of(token), timezone.now()
    invitation.save(update_fields=["token_hash", "last_sent_at", "updated_at"])
    return invitation, settings.BASE_URL + reverse("teams:invitation", args=[token])


def mail_invitation(*, invitation_id: int) -> None:
    """Mail a fresh link; one that was answered or taken back meanwhile is left alone.

    The mail goes out after the transaction: a slow mail server must not hold SQLite's one writer.
    """
    renewed = _renew_link(invitation_id)
    if renewed is None:
        return
    invitation, url = renewed
    address = invitation.user.email if invitation.user else invitation.email
    if not address:
        return
    context = {"invitation": invitation, "url": url, "support_contact": settings.SUPPORT_CONTACT}
    get_adapter().render_mail("teams/email/invitation", address, context).send()
