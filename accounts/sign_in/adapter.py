"""How allauth makes users and mails here: our name space, our policy, our mail."""

from contextlib import nullcontext
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMultiAlternatives
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from access.audit.log import record
from access.web.requests import actor_of_user, address_of
from accounts.credentials import address_claims
from accounts.lifecycle.names import check_name
from accounts.lifecycle.services import add_user, is_taken
from accounts.mail import sending
from accounts.membership_policy import membership_policy
from accounts.models import User
from accounts.settings.preferences import in_language_of
from accounts.sign_in import signup_policy
from accounts.sign_in.reauthentication import asks_by_key, is_fresh
from accounts.sign_in.selectors import has_signed_in_from, user_of
from common.crypto import seal, unseal
from common.errors import DomainError, TooManyRequests

LOGIN_WAIT_S = 300
"""How long a name is closed to an address after five wrong passwords from there, as in allauth's own limits."""
_ANYWHERE = "login_failed_anywhere"
_GUESSES = {_ANYWHERE: "100/h/key"}
"""How many wrong passwords of a name all addresses have together: 2,400 a day of those who guess from many."""


def _too_many_guesses() -> TooManyRequests:
    message = _("Too many failed attempts to sign in. Wait five minutes, or reset your password.")
    return TooManyRequests(message, wait_s=LOGIN_WAIT_S)


def _at_own_address(value: Any) -> Any:
    """Return a URL of this server with the address that operators gave it; anything else as it is."""
    if not isinstance(value, str) or not value.startswith(("http://", "https://")):
        return value
    parts, own = urlsplit(value), urlsplit(settings.BASE_URL)
    return parts._replace(scheme=own.scheme, netloc=own.netloc).geturl()


def _is_known_here(request: HttpRequest, credentials: dict[str, Any]) -> bool:
    """Say whether the account has signed in from this address before, or is signed in."""
    user = user_of(credentials)
    return user is not None and (request.user == user or has_signed_in_from(user, address_of(request)))


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no type stubs
    """Hooks that allauth calls."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether strangers may make an account, or this one was invited (ACC-22)."""
        return signup_policy.may_sign_up(request)

    def is_email_verified(self, request: HttpRequest, email: str) -> bool:
        """Whether the address needs no confirmation: the invitation came by mail to it (TEAM-3)."""
        return bool(email) and email.lower() == membership_policy().invited_address(request)

    def clean_username(self, username: str, shallow: bool = False) -> str:  # noqa: FBT001, FBT002 - allauth's
        """Refuse what the name space refuses.

        Raises:
            ValidationError: shown beside the field.
        """
        try:
            check_name(username)
        except DomainError as error:
            raise ValidationError(error.message) from error
        if not shallow and is_taken(username):
            message = _("The name “%(name)s” is taken by another user, team or organization.")
            raise ValidationError(message, params={"name": username})
        return username

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:  # noqa: FBT001, FBT002
        """Save a person who signed up, with name and personal team, in one transaction."""
        user = super().save_user(request, user, form, commit=False)
        if not commit:
            return user
        add_user(user=user)
        record(actor_of_user(user, address=address_of(request)), "user.create", user)
        return user

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Answer 429 where allauth would show an error beside the form (ACC-23).

        What others guess elsewhere keeps nobody out where they have signed in before.

        Raises:
            TooManyRequests: too many wrong passwords, of the address, from there for the account, or for the account.
        """
        self._anywhere = None
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError as error:
            raise _too_many_guesses() from error
        name = super()._get_login_attempts_cache_key(request, **credentials)
        self._anywhere = ratelimit.consume(
            request, app="accounts", action=_ANYWHERE, config=_GUESSES, key=name
        )
        if self._anywhere is None and not _is_known_here(request, credentials):
            raise _too_many_guesses()

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign in; not into an account that was switched off after the password was given.

        Raises:
            ImmediateHttpResponse: with the page that says so.
        """
        if not user.is_active:
            raise ImmediateHttpResponse(self.respond_user_inactive(request, user))
        super().login(request, user)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count wrong passwords of a name by address, or anybody could keep its owner out."""
        name = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{name}:{ratelimit.get_ip(request)}"

    def _rollback_login_failed_rl_usage(self) -> None:
        """Count nothing of an attempt that succeeded."""
        super()._rollback_login_failed_rl_usage()
        if self._anywhere:
            self._anywhere.rollback()

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Begin anew after a password was reset."""
        super()._delete_login_attempts_cached_email(request, **credentials)
        name = super()._get_login_attempts_cache_key(request, **credentials)
        ratelimit.clear(request, app="accounts", action=_ANYWHERE, config=_GUESSES, key=name)

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Ask again in allauth's views when ours do: some minutes after the last sign-in."""
        required = super().is_reauthentication_required(app=app, **kwargs)
        return bool(required) and not asks_by_key(self.request) and not is_fresh(self.request)

    def add_message(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """Say on the next page what came of it; a program has heard it by then."""
        if not request.path.startswith("/api/"):
            super().add_message(request, *args, **kwargs)

    def can_delete_email(self, email_address: Any) -> bool:
        """Keep the primary address, always (ACC-33)."""
        return not email_address.primary

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address that the audit log names, too."""
        return address_of(request) or "0.0.0.0"  # noqa: S104 - a socket has none; written down, not bound

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Return to the section that it was changed from."""
        return reverse("accounts:security")

    def render_mail(
        self, template_prefix: str, email: str, context: dict[str, Any], headers: Any = None
    ) -> EmailMultiAlternatives:
        """Write a mail of two templates, as all of ours are."""
        return sending.render(template_prefix, email, context)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Queue it in the language of whom it is for; of a stranger only the browser's is known.

        Its links lead to RUNYARD_URL: allauth makes them of the host that the request names, which anyone can choose.
        """
        context = {name: _at_own_address(value) for name, value in context.items()}
        user = context.get("user") or address_claims.owner_of(email)
        with in_language_of(user) if user else nullcontext():
            sending.queue(self.render_mail(template_prefix, email, {"email": email, **context}))


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # as above
    """Secrets of second factors are stored encrypted."""

    def encrypt(self, text: str) -> str:
        """Seal with the installation's key."""
        return seal("second factor", text)

    def decrypt(self, encrypted_text: str) -> str:
        """Undo it."""
        return unseal("second factor", encrypted_text)

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Name this installation in the browser's dialog."""
        return {**super().get_public_key_credential_rp_entity(), "name": f"Runyard ({settings.BASE_URL})"}

    def generate_authenticator_name(self, user: User, type: Any) -> str:  # noqa: A002 - allauth's
        """Propose a name that says what it is."""
        return _("Passkey")
