"""What follows from what allauth does: the audit log, mails that it does not send, teams from groups."""

import logging
from contextlib import suppress
from typing import Any

from allauth.account import signals as account
from allauth.account.internal.flows.email_verification import send_verification_email_to_address
from allauth.account.models import EmailAddress
from allauth.mfa import signals as mfa
from allauth.socialaccount import signals as social
from django.conf import settings
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.core.cache import cache
from django.http import HttpRequest
from redis.exceptions import RedisError

from access.actor import SYSTEM, Actor
from access.audit.log import record
from access.web.requests import actor_of, actor_of_user, address_of
from accounts.credentials.sessions import note_session
from accounts.mail import sending
from accounts.membership_policy import membership_policy
from accounts.models import SignInProvider, User
from accounts.sign_in import providers, reauthentication
from accounts.sign_in.security import begin_activity
from accounts.sign_in.selectors import user_of
from accounts.sign_in.sso import slug_of, store_address

logger = logging.getLogger(__name__)


def _record(request: HttpRequest, action: str, user: User, **after: Any) -> None:
    record(actor_of(request), action, user, after=after)


def _email_added(request: HttpRequest, user: User, email_address: EmailAddress, **_: Any) -> None:
    _record(request, "email.add", user, email=email_address.email)
    sending.send("accounts/email/email_added", user, {"added_email": email_address.email})


def _email_confirmed(request: HttpRequest, email_address: EmailAddress, **_: Any) -> None:
    _record(request, "email.verify", email_address.user, email=email_address.email)


def _email_removed(request: HttpRequest, user: User, email_address: EmailAddress, **_: Any) -> None:
    _record(request, "email.delete", user, email=email_address.email)


def _email_changed(
    request: HttpRequest,
    user: User,
    from_email_address: EmailAddress | None,
    to_email_address: EmailAddress,
    **_: Any,
) -> None:
    """Tell the new address, too; allauth tells the old one (ACC-31)."""
    old = from_email_address.email if from_email_address else ""
    _record(request, "email.primary", user, email=to_email_address.email, instead_of=old)
    context = {"from_email": old, "to_email": to_email_address.email}
    sending.send("account/email/email_changed", user, context, address=to_email_address.email)


def _connected(request: HttpRequest, sociallogin: Any, **_: Any) -> None:
    _record(request, "sign_in_method.add", sociallogin.user, provider=slug_of(sociallogin))
    store_address(request, sociallogin)


def _disconnected(request: HttpRequest, socialaccount: Any, **_: Any) -> None:
    _record(request, "sign_in_method.remove", socialaccount.user, provider=socialaccount.provider)


def _password(action: str) -> Any:
    def note(request: HttpRequest, user: User, **_: Any) -> None:
        _record(request, action, user)

    return note


def _factor(action: str) -> Any:
    def note(request: HttpRequest, user: User, authenticator: Any, **_: Any) -> None:
        _record(request, action, user, type=str(authenticator.type))

    return note


def _signed_in(request: HttpRequest, user: User, sociallogin: Any = None, **_: Any) -> None:
    by = {"provider": slug_of(sociallogin)} if sociallogin is not None else {}
    record(actor_of_user(user, address=address_of(request)), "user.sign_in", user, after=by)
    if sociallogin is not None:
        _update_groups(user, sociallogin)
    if settings.ACCOUNT_EMAIL_VERIFICATION != "mandatory":  # else allauth has sent it and let nobody in
        address = EmailAddress.objects.filter(user=user, primary=True, verified=False).first()
        if address is not None:
            send_verification_email_to_address(request, address)  # at most one in three minutes (ACC-34)


def _signed_out(request: HttpRequest, user: User, **_: Any) -> None:
    record(actor_of_user(user, address=address_of(request)), "user.sign_out", user)


def _failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    """Note a wrong password of somebody there is; what else is typed may be a password in the wrong field."""
    user = user_of(credentials)
    if user is not None and request is not None:
        record(Actor(address=address_of(request)), "user.sign_in_failed", user)


def _update_groups(user: User, sociallogin: Any) -> None:
    provider = providers.provider_of(slug_of(sociallogin))
    if provider is None or not provider.groups_claim:
        return
    sent = sociallogin.account.extra_data
    claims = {**(sent.get("id_token") or {}), **(sent.get("userinfo") or {})}
    groups = claims.get(provider.groups_claim)
    if groups is None:  # not sent, which says nothing about groups
        reason = (
            "too many groups"
            if provider.groups_claim in claims.get("_claim_names", {})
            else "no scope or mapping"
        )
        logger.warning(
            "The sign-in provider %s sent no “%s” for %s (%s): the teams of groups stay as they are.",
            provider.slug, provider.groups_claim, user, reason,
        )  # fmt: skip
        _record_missing_groups(provider, user, reason)
        return
    named = [groups] if isinstance(groups, str) else groups
    membership_policy().groups_named(user, provider.slug, frozenset(str(group) for group in named))


def _record_missing_groups(provider: SignInProvider, user: User, reason: str) -> None:
    """Let operators find it in the audit log, once a day for each provider."""
    key = f"sign-in-groups-missing:{provider.slug}"
    with suppress(RedisError):
        if not cache.add(key, "yes", 86_400):
            return
    after = {"provider": provider.slug, "claim": provider.groups_claim, "reason": reason}
    record(SYSTEM, "sign_in.groups_missing", user, after=after)


_RECEIVERS = [
    (user_logged_in, begin_activity),
    (user_logged_in, reauthentication.begin),
    (account.email_added, _email_added),
    (account.email_confirmed, _email_confirmed),
    (account.email_removed, _email_removed),
    (account.email_changed, _email_changed),
    (account.user_logged_in, _signed_in),
    (account.user_logged_in, note_session),
    (account.password_changed, note_session),
    (account.password_set, note_session),
    (account.user_logged_out, _signed_out),
    (user_login_failed, _failed),
    (account.password_changed, _password("password.change")),
    (account.password_set, _password("password.set")),
    (account.password_reset, _password("password.reset")),
    (social.social_account_added, _connected),
    (social.social_account_removed, _disconnected),
    (mfa.authenticator_added, _factor("second_factor.add")),
    (mfa.authenticator_removed, _factor("second_factor.remove")),
    (mfa.authenticator_reset, _factor("second_factor.reset")),
]


def listen() -> None:
    """Connect all of it; called in ``AppConfig.ready``."""
    for signal, receiver in _RECEIVERS:
        signal.connect(receiver, weak=False, dispatch_uid=f"accounts.{id(receiver)}")
