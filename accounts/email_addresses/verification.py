"""An address that waits to be confirmed: another mail, another address, what a link is worth (ACC-20, ACC-34).

Allauth keeps the half-done sign-in in the session of the browser that signed up; a link that is opened there finishes
it, with a second factor where there is one, and in any other browser it only confirms. A sign-up with an address that
has an account made none, and waits alike, so that nobody learns whether an address is known.
"""

import math
import time
from dataclasses import dataclass
from enum import StrEnum

from allauth.account import app_settings
from allauth.account.internal.flows.email_verification import (
    get_address_for_login,
    send_verification_email_to_address,
)
from allauth.account.internal.flows.signup import send_unknown_account_mail
from allauth.account.internal.stagekit import stash_login
from allauth.account.models import EmailAddress, Login
from allauth.account.stages import EmailVerificationStage, LoginStageController
from allauth.core.internal import ratelimit
from django.core import signing
from django.core.cache import cache
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from access.audit.log import record
from access.web.requests import actor_of_user, address_of
from accounts.credentials import address_claims
from accounts.models import User
from accounts.sign_in import signup_policy
from common.errors import TooManyRequests

_LIMIT = {"app": "allauth.account", "action": "confirm_email"}
_CHANGES = "address_changes"
MOST_CHANGES = 3
"""How often one may name another address after one sign-up: each is a stranger's mailbox until it is confirmed."""


def stage_of(request: HttpRequest) -> EmailVerificationStage | None:
    """Return the half-done sign-in of this browser, if one waits for an address to be confirmed."""
    return LoginStageController.enter(request, EmailVerificationStage.key)


def address_of_login(login: Login) -> EmailAddress | None:
    """Return the address that the sign-in waits for, if there is one; without a user where no account was made."""
    if login.user is None or login.state.get("is_known"):
        return EmailAddress(user=None, email=login.email)
    return get_address_for_login(login)


def wait_s(request: HttpRequest, email: str) -> int:
    """Return in how many seconds the next mail can go to the address; 0 is now."""
    longest = 0.0
    for rate in ratelimit.get_rates(**_LIMIT):
        sent = cache.get(ratelimit.get_cache_key(request, **_LIMIT, rate=rate, key=email.lower()), [])
        if len(sent) >= rate.amount:
            longest = max(longest, sent[-1] + rate.duration - time.time())
    return math.ceil(longest)


def wait_text(seconds: int) -> str:
    """Say when the next mail can go."""
    if seconds > 60:
        minutes = math.ceil(seconds / 60)
        words = ngettext(
            "You can send another in %(n)d minute.", "You can send another in %(n)d minutes.", minutes
        )
        return words % {"n": minutes}
    words = ngettext(
        "You can send another in %(n)d second.", "You can send another in %(n)d seconds.", seconds
    )
    return words % {"n": seconds}


def send_again(request: HttpRequest, address: EmailAddress, *, signup: bool) -> None:
    """Send the mail again; to the owner of a known address the one that says so.

    Raises:
        TooManyRequests: the last one is not three minutes old.
    """
    if not send_verification_email_to_address(request, address, signup=signup):
        left = max(1, wait_s(request, address.email))
        raise TooManyRequests(wait_text(left), wait_s=left)


def can_change(login: Login) -> bool:
    """Whether another address can be named: nobody has ever signed in to the account, and not too often."""
    is_new = login.user is None or login.user.last_login is None
    return login.signup and is_new and login.state.get(_CHANGES, 0) < MOST_CHANGES


@transaction.atomic
def change_address(request: HttpRequest, login: Login, email: str) -> None:
    """Take another address for the one that was typed at sign-up, and mail it.

    The links that went to the former one end with it. A known address changes nothing; its owner is told.

    Raises:
        ValidationError: the policy keeps it out.
        TooManyRequests: a mail went to it a short while ago, or it was changed too often.
    """
    signup_policy.check_address(request, email)
    if not can_change(login):
        raise TooManyRequests(_("The address was changed too often. Sign up again."), wait_s=0)
    if ratelimit.consume(request, app="allauth.account", action="signup") is None:
        raise TooManyRequests(_("Too many attempts. Wait a minute, then try again."), wait_s=60)
    if left := wait_s(request, email):
        raise TooManyRequests(wait_text(left), wait_s=left)
    is_known = address_claims.is_taken(email) and address_claims.owner_of(email) != login.user
    login.state[_CHANGES] = login.state.get(_CHANGES, 0) + 1
    login.state["is_known"] = is_known
    login.email = email
    stash_login(request, login)
    if login.user is None and not is_known:
        ratelimit.consume(request, **_LIMIT, key=email.lower(), limit_get=True)
        send_unknown_account_mail(request, email)
        return
    if login.user is not None and not is_known:
        _replace_address(request, login.user, email)
    send_again(request, address_of_login(login) or EmailAddress(user=None, email=email), signup=True)


def _replace_address(request: HttpRequest, user: User, email: str) -> None:
    """A new row has a new number, which is what links are signed over."""
    before = user.email
    EmailAddress.objects.filter(user=user).delete()
    EmailAddress.objects.create(user=user, email=email, primary=True, verified=False)
    user.email = email
    user.save(update_fields=["email", "updated_at"])
    actor = actor_of_user(user, address=address_of(request))
    record(actor, "email.primary", user, after={"email": email, "instead_of": before})


class LinkState(StrEnum):
    """What the link of a mail is worth."""

    OPEN = "open"
    OTHER_ACCOUNT = "other_account"
    """Somebody else is signed in."""
    SPENT = "spent"
    EXPIRED = "expired"
    TAKEN = "taken"
    """Another account has confirmed the address first."""
    GONE = "gone"
    """The account has this address no more."""
    BROKEN = "broken"


STATUSES = {
    LinkState.OPEN: 200, LinkState.OTHER_ACCOUNT: 403, LinkState.SPENT: 410, LinkState.EXPIRED: 410,
    LinkState.TAKEN: 409, LinkState.GONE: 410, LinkState.BROKEN: 404,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Link:
    """A link that was mailed to confirm an address."""

    state: LinkState
    address: EmailAddress | None = None


def read_link(request: HttpRequest, key: str) -> Link:
    """Return what a link is worth in this browser; whoever holds a true one may know its address."""
    try:
        number = signing.loads(key, salt=app_settings.SALT)
    except signing.BadSignature:
        return Link(LinkState.BROKEN)
    address = EmailAddress.objects.select_related("user").filter(pk=number).first()
    if address is None:
        return Link(LinkState.GONE)
    return Link(_state_of(request, key, address), address)


def _state_of(request: HttpRequest, key: str, address: EmailAddress) -> LinkState:
    if address.verified:
        return LinkState.SPENT
    if request.user.is_authenticated and request.user.pk != address.user_id:
        return LinkState.OTHER_ACCOUNT
    if not address.can_set_verified():
        return LinkState.TAKEN
    try:
        signing.loads(
            key, salt=app_settings.SALT, max_age=app_settings.EMAIL_CONFIRMATION_EXPIRE_DAYS * 86400
        )
    except signing.SignatureExpired:
        return LinkState.EXPIRED
    return LinkState.OPEN
