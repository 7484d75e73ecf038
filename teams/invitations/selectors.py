"""What somebody is invited to, and who invited them."""

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from access.actor import Actor
from accounts.models import User
from teams.invitations.mail import hashes_of
from teams.models import Invitation

SESSION_KEY = "invitation"
"""The token of the invitation that a browser opened before its person signed up."""


def inviter_of_link(token: str) -> str:
    """Return who sent the invitation of a mailed link last, whose name its page tells too; "" where nobody knows."""
    row = Invitation.objects.filter(token_hash__in=hashes_of(token), invited_by__is_active=True).first()
    return row.invited_by.username if row and row.invited_by else ""


def invitations_for(actor: Actor) -> QuerySet[Invitation]:
    """Return what the actor is invited to and has not answered: by name, or by an address known to be theirs."""
    user = User.objects.filter(pk=actor.lookup_id).first()
    if user is None:
        return Invitation.objects.none()
    rows = Invitation.objects.pending_for(user).select_related(
        "user", "role", "base_role", "invited_by__claim"
    )
    places = ("team__organization", "team__claim", "organization__claim")
    return rows.select_related(*places).order_by("-pk")


def invited_address(request: HttpRequest) -> str:
    """Return the address whose invitation this browser has opened and that can still be accepted, or ""."""
    token = request.session.get(SESSION_KEY)
    if not token:
        return ""
    row = (
        Invitation.objects.pending()
        .filter(token_hash__in=hashes_of(token), expires_at__gt=timezone.now())
        .first()
    )
    return row.email if row else ""
