"""How people come in through other providers (ACC-21), and whose account that opens.

The rule against taking over accounts: a provider opens an account that it did not open before only if

1. it says that it verified the address (``email_verified`` is true, or the operator wrote that it vouches for the
   addresses of its domains), and the address is of a domain that it may bring; and
2. the account has proven that it owns the same address, too. An unproven address may have been typed by somebody who
   waits for its owner to come, with API keys already made.

Everyone else gets an account of their own. An account that only entered the address loses it to whoever proves it.
"""

import re
import unicodedata
from typing import Any

from allauth.account.adapter import get_adapter as account_adapter
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from access.audit.log import record
from access.web.requests import actor_of, actor_of_user
from accounts.credentials import address_claims
from accounts.lifecycle.names import MAX_LENGTH, check_name
from accounts.lifecycle.services import add_user, is_taken
from accounts.models import ProviderKind, SignInProvider, User
from accounts.sign_in import providers, signup_policy
from common.errors import DomainError, NotFound

PROVEN = "proven_addresses"
"""In what is kept of a connected account, beside the provider's own words."""
ASKED = "unproven_addresses"
"""In a session: the addresses of a first sign-in for which another account in use was pointed out."""
_ROOM = 6
"""Characters left for a number behind a name that is taken."""


def slug_of(login: SocialLogin) -> str:
    """Return which provider a login came through."""
    return str(login.account.provider)


def vouched_addresses(login: SocialLogin) -> list[str]:
    """Return the addresses that the provider may prove, in lower case."""
    provider = providers.provider_of(slug_of(login))
    if provider is None:
        return []
    return [
        address.email.lower()
        for address in login.email_addresses
        if provider.takes(address.email) and (address.verified or provider.vouches_for_email)
    ]


def _normalize(login: SocialLogin) -> None:
    """Take nothing for verified but the truth: some providers send the text “false”."""
    for address in login.email_addresses:
        address.verified = str(address.verified).lower() == "true"
    vouched = vouched_addresses(login)
    for address in login.email_addresses:
        address.verified = address.email.lower() in vouched


def name_from(*texts: str) -> str:
    """Make a name of the first text that yields one: what a provider calls somebody, or their address."""
    for text in texts:
        plain = unicodedata.normalize("NFKD", text.partition("@")[0]).encode("ascii", "ignore").decode()
        name = re.sub(r"[^A-Za-z0-9_.-]+", "-", plain).strip("-_.")[: MAX_LENGTH - _ROOM]
        if name:
            return name
    return ""


def is_free(name: str) -> bool:
    """Whether somebody may have it."""
    try:
        return bool(check_name(name)) and not is_taken(name)
    except DomainError:
        return False


def free_name(wish: str) -> str:
    """Return the wish, or the next to it that nobody has."""
    candidates = [wish, *(f"{wish or 'person'}-{number}" for number in range(2, 1000))]
    return next(filter(is_free, candidates), "")


class SocialAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no type stubs
    """Hooks that allauth calls."""

    def get_requests_session(self) -> Any:
        """Return what asks identity providers: it ends in time, whatever they do."""
        from common.safe_http.sessions import BoundedSession  # takes requests along

        return BoundedSession()

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> Any:
        """Return the providers as allauth's apps; the rows of its own table are not used."""
        apps: list[SocialApp] = [providers.app_of(row) for row in providers.enabled_providers()]
        if provider:
            apps = [app for app in apps if provider in {app.provider, app.provider_id}]
        return [app for app in apps if not client_id or app.client_id == client_id]

    def get_app(self, request: HttpRequest, provider: str, client_id: str | None = None) -> SocialApp:
        """Return one of them.

        Raises:
            NotFound: no provider has this slug, or it is switched off.
        """
        try:
            return super().get_app(request, provider, client_id)
        except SocialApp.DoesNotExist:
            raise NotFound(_("This sign-in provider doesn’t exist.")) from None

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[User, str] | None:
        """Return whose account a new login opens, by the rule above."""
        _normalize(sociallogin)
        for address in vouched_addresses(sociallogin):
            owner = address_claims.account_for(address)
            if owner is not None and owner.is_active:
                return owner, address
        return None

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Keep out whom the provider's row keeps out.

        Raises:
            ImmediateHttpResponse: with the page that says so.
        """
        provider = providers.provider_of(slug_of(sociallogin))
        addresses = [address.email for address in sociallogin.email_addresses]
        if provider is None or (provider.domains and not any(map(provider.takes, addresses))):
            raise ImmediateHttpResponse(_refused(request, provider, "domain"))
        _note_addresses(sociallogin)
        if sociallogin.is_existing or sociallogin.state.get("process") == "connect":
            return
        _release_addresses(request, provider, sociallogin)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Whether a first login makes an account: a company's provider decides itself, GitHub takes anybody."""
        provider = providers.provider_of(slug_of(sociallogin))
        if provider is None or not provider.makes_accounts:
            return False
        return provider.kind == ProviderKind.OIDC or signup_policy.may_sign_up(request)

    def is_auto_signup_allowed(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Ask for a name where the obvious one is taken: it is in every address and never changes."""
        return is_free(sociallogin.user.username)

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:
        """Propose name and address."""
        user: User = super().populate_user(request, sociallogin, data)
        user.username = name_from(data.get("username") or "", data.get("email") or "", data.get("name") or "")
        user.display_name = str(data.get("name") or "")[:120]
        return user

    def get_signup_form_initial_data(self, sociallogin: SocialLogin) -> dict[str, Any]:
        """Propose the next name that is free."""
        initial: dict[str, Any] = super().get_signup_form_initial_data(sociallogin)
        return initial | {"username": free_name(initial["username"])}

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """Make the person of a first login, with name and personal team, in one transaction."""
        user: User = sociallogin.user
        with transaction.atomic():
            user.set_unusable_password()
            if form:
                account_adapter().save_user(request, user, form)
            else:
                add_user(user=user)
            sociallogin.save(request)
            record(actor_of_user(user), "user.create", user, after={"provider": slug_of(sociallogin)})
        return user

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: SocialAccount) -> str:
        """Return to the section that lists it."""
        return reverse(
            "accounts:github" if socialaccount.provider == providers.GITHUB else "accounts:security"
        )

    def send_notification_mail(self, template: str, user: User, context: dict[str, Any]) -> None:
        """Name the provider in the mail as its button does."""
        provider = providers.provider_of(context["account"].provider)
        name = provider.name if provider else context["account"].provider
        super().send_notification_mail(template, user, {**context, "provider": name, "user": user})


def _release_addresses(request: HttpRequest, provider: SignInProvider, login: SocialLogin) -> None:
    """Take addresses that a provider proves from accounts that only entered them.

    Where no mail is sent no one can verify an address, so an account in use may be the same person's: then they are
    asked first. The second attempt in the same browser goes on.

    Raises:
        ImmediateHttpResponse: with the page that asks.
    """
    proven = vouched_addresses(login)
    rows = address_claims.unproven(proven).select_related("user")
    is_in_use = any(row.primary and row.user.last_login for row in rows)
    if is_in_use and request.session.pop(ASKED, None) != proven:
        request.session[ASKED] = proven
        raise ImmediateHttpResponse(_refused(request, provider, "unproven"))
    address_claims.release(rows, f"verified by {provider.slug}")


def _note_addresses(login: SocialLogin) -> None:
    """Keep which addresses the provider proves: GitHub leaves private ones out of what it says of a person."""
    login.account.extra_data[PROVEN] = vouched_addresses(login)
    if login.account.pk:
        login.account.save(update_fields=["extra_data"])


def _refused(request: HttpRequest, provider: SignInProvider | None, reason: str) -> Any:
    context = {"provider": provider, "reason": reason}
    return render(request, "socialaccount/refused.html", context, status=403)


def store_address(request: HttpRequest, login: SocialLogin) -> None:
    """Add the addresses that a newly connected provider proves (ACC-32), unless others have proven them."""
    user = login.user
    for address in vouched_addresses(login):
        if address_claims.owner_of(address) not in {None, user}:
            continue
        row, _made = EmailAddress.objects.get_or_create(user=user, email=address)
        row.set_verified()
        record(actor_of(request), "email.add", user, after={"email": address, "provider": slug_of(login)})
