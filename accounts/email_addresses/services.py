"""The addresses of a person, for programs: allauth's rules, mails and audit entries, as on the page (ACC-30 to ACC-34).

Each function takes the request, since allauth counts attempts by it and mails say where it came from.
"""

from allauth.account import app_settings
from allauth.account.forms import AddEmailForm
from allauth.account.internal.flows import manage_email
from allauth.account.models import EmailAddress
from allauth.core.internal import ratelimit
from allauth.utils import get_form_class
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import require, visible
from access.web.requests import set_actor
from accounts.access import AccountAction
from accounts.email_addresses import verification
from accounts.models import User
from common.errors import Conflict, Forbidden, Invalid, TooManyRequests


def emails_of(actor: Actor) -> QuerySet[EmailAddress]:
    """Return the actor's own addresses."""
    own = EmailAddress.objects.filter(user_id=actor.lookup_id)
    return visible(actor, AccountAction.MANAGE_EMAILS, own)


@transaction.atomic
def add_email(*, actor: Actor, user: User, email: str, request: HttpRequest) -> EmailAddress:
    """Add an address, and mail it the link that confirms it.

    Raises:
        Invalid: it is no address, there is one like it, or there are too many.
        Forbidden: a service account, which gets no mail.
    """
    require(actor, AccountAction.MANAGE_EMAILS, user)
    if user.is_service_account:
        raise Forbidden(_("Service accounts have no email address."), action=AccountAction.MANAGE_EMAILS)
    _begin(request, actor, user)
    form = get_form_class(app_settings.FORMS, "add_email", AddEmailForm)(data={"email": email}, user=user)
    if not form.is_valid():
        raise Invalid(" ".join(words for problems in form.errors.values() for words in problems))
    manage_email.add_email(request, form)
    return EmailAddress.objects.get(user=user, email=form.cleaned_data["email"])


@transaction.atomic
def send_link(*, actor: Actor, address: EmailAddress, request: HttpRequest) -> None:
    """Mail the link again.

    Raises:
        Conflict: the address is verified.
        TooManyRequests: the last mail is not three minutes old.
    """
    require(actor, AccountAction.MANAGE_EMAILS, address)
    if address.verified:
        raise Conflict(_("This address is verified already."))
    _begin(request, actor, address.user)
    verification.send_again(request, address, signup=False)


@transaction.atomic
def make_primary(*, actor: Actor, address: EmailAddress, request: HttpRequest) -> EmailAddress:
    """Let mail go to the address from now on; the old one and the new one are told (ACC-31).

    Raises:
        Conflict: it is not verified.
    """
    require(actor, AccountAction.MANAGE_EMAILS, address)
    _begin(request, actor, address.user)
    if address.primary:
        return address
    if not manage_email.mark_as_primary(request, address):
        raise Conflict(_("Only a verified address can be primary."))
    return address


@transaction.atomic
def delete_email(*, actor: Actor, address: EmailAddress, request: HttpRequest) -> None:
    """Delete an address.

    Raises:
        Conflict: it is the primary one (ACC-33).
    """
    require(actor, AccountAction.MANAGE_EMAILS, address)
    _begin(request, actor, address.user)
    if not manage_email.delete_email(request, address):
        raise Conflict(_("The primary address cannot be deleted. Make another address primary first."))


def _begin(request: HttpRequest, actor: Actor, user: User) -> None:
    """Tell allauth who asks, and count the attempt as the page does."""
    request.user = user
    set_actor(request, actor)
    if ratelimit.consume(request, app="allauth.account", action="manage_email", user=user) is None:
        raise TooManyRequests(_("Too many attempts. Wait a minute, then try again."), wait_s=60)
