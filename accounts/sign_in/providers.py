"""The sign-in providers there are: rows that operators keep in the admin, and those given by the environment."""

from urllib.parse import quote

from allauth.socialaccount.models import SocialApp
from django.conf import settings

from accounts.models import ProviderKind, SignInProvider

GITHUB = "github"


def _from_environment() -> list[SignInProvider]:
    """Return the providers that settings name; they are never stored."""
    found = []
    for given in settings.SIGN_IN_PROVIDERS:
        secret = given.get("secret", "")
        provider = SignInProvider(**{name: value for name, value in given.items() if name != "secret"})
        provider.secret = secret
        found.append(provider)
    return found


def enabled_providers() -> list[SignInProvider]:
    """Return those that can be used, by name; a row goes before what the environment says of the same slug."""
    rows = {row.slug: row for row in _from_environment()}
    rows |= {row.slug: row for row in SignInProvider.objects.all()}
    return sorted((row for row in rows.values() if row.is_enabled), key=lambda row: row.name.lower())


def provider_of(slug: str) -> SignInProvider | None:
    """Return an enabled provider."""
    return next((row for row in enabled_providers() if row.slug == slug), None)


def callback_url(provider: SignInProvider) -> str:
    """Return the address that the provider must be told."""
    if provider.kind == ProviderKind.GITHUB:
        return f"{settings.BASE_URL}/accounts/github/login/callback/"
    return f"{settings.BASE_URL}/accounts/oidc/{quote(provider.slug)}/login/callback/"


def app_of(provider: SignInProvider) -> SocialApp:
    """Return the object that allauth works with; it is never stored, as tokens are not."""
    secret = provider.secret
    if provider.kind == ProviderKind.GITHUB:
        return SocialApp(provider=GITHUB, name=provider.name, client_id=provider.client_id, secret=secret)
    more = {"server_url": provider.issuer.rstrip("/"), "oauth_pkce_enabled": True}
    if not secret:  # a public client, which PKCE alone protects, has no header to put a secret in
        more["token_auth_method"] = "client_secret_post"  # noqa: S105 - the name of a method
    return SocialApp(
        provider="openid_connect",
        provider_id=provider.slug,
        name=provider.name,
        client_id=provider.client_id,
        secret=secret,
        settings=more,
    )
