"""What the audit log says of accounts."""

from collections.abc import Mapping
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from access.audit.values import Field, action_labels, register_fields, show_time
from access.audit.words import register_kind, register_words
from accounts.access import AccountAction
from accounts.api_keys import scopes
from accounts.models import ProfileAudience, SignInProvider

ACCOUNTS = {
    "user.create": _("Created an account"),
    "user.sign_in": _("Signed in"),
    "user.sign_in_failed": _("Failed to sign in"),
    "user.sign_out": _("Signed out"),
    "session.end": _("Ended sessions"),
    "password.change": _("Changed a password"),
    "password.set": _("Set a password"),
    "password.reset": _("Reset a password by email"),
    "second_factor.add": _("Added a second factor"),
    "second_factor.remove": _("Removed a second factor"),
    "second_factor.reset": _("Generated new recovery codes"),
    "email.add": _("Added an email address"),
    "email.verify": _("Verified an email address"),
    "email.delete": _("Removed an email address"),
    "email.primary": _("Chose the primary email address"),
    "sign_in_method.add": _("Connected a sign-in method"),
    "sign_in_method.remove": _("Disconnected a sign-in method"),
    "sign_in.groups_missing": _("Signed in through a provider that sent no groups"),
    AccountAction.UPDATE: _("Changed a profile"),
    AccountAction.SET_ACTIVE: _("Activated or deactivated an account"),
    AccountAction.DELETE: _("Deleted an account"),
    "account.merge": _("Merged another account into this one"),
    "account.merge_away": _("Merged an account into another"),
    "account.set_operator": _("Changed operator rights"),
    "account.impersonate": _("Started acting as another user"),
    "account.impersonate_end": _("Stopped acting as another user"),
    "password.send_reset": _("Sent a password reset email"),
    "second_factor.reset_all": _("Removed all second factors"),
}
KEYS = {
    AccountAction.CREATE_KEY: _("Created an API key"),
    AccountAction.RENAME_KEY: _("Renamed an API key"),
    AccountAction.DELETE_KEY: _("Deleted an API key"),
    "api_key.limit": _("Changed the permissions or expiry of an API key"),
}
INSTALLATION = {
    "sign_in_provider.save": _("Changed a sign-in provider"),
    "sign_in_provider.delete": _("Deleted a sign-in provider"),
    "outbox.read": _("Read an email in the outbox"),
    "outbox.retry": _("Resent an email from the outbox"),
    "outbox.delete": _("Deleted an email from the outbox"),
    "installation.change_settings": _("Changed the installation’s settings"),
    "group_mapping.save": _("Changed which team a sign-in provider’s group joins"),
    "group_mapping.delete": _("Unlinked a sign-in provider’s group from a team"),
    "group_mapping.refuse": _("Rejected a sign-in provider’s group for a team"),
}


FACTORS = {"totp": _("Authenticator app"), "webauthn": _("Passkey"), "recovery_codes": _("Recovery codes")}


def register() -> None:
    """Tell the audit log."""
    _register_fields()
    register_words("account", _("Accounts and sign-in"), ACCOUNTS)
    register_words("key", _("API keys"), KEYS)
    register_words("installation", _("Installation"), INSTALLATION)
    register_kind("accounts.User", _("Person"))
    register_kind("accounts.ApiKey", _("API key"))
    register_kind("accounts.SignInProvider", _("Sign-in provider"))
    register_kind("accounts.OutboxMail", _("Email"))


def _register_fields() -> None:
    register_fields(
        {
            "username": _("Username"), "operator": pgettext_lazy("person", "Operator"), "active": _("Active"),
            "email": _("Email"),
            "instead_of": _("Instead of"), "to": _("To"), "count": _("Sessions"), "reason": _("Reason"),
            "until": Field(_("Until"), show=show_time), "merged": _("Merged account"), "moved": _("Moved"),
            "into": _("Merged into"), "provider": Field(_("Sign-in provider"), choices=_providers),
            "claim": _("Groups claim"),
            "type": Field(_("Second factor"), choices=FACTORS), "types": Field(_("Second factors"), choices=FACTORS),
            "profile_visible_to": Field(_("Profile visible to"), choices=dict(ProfileAudience.choices)),
            "display_name": _("Display name"), "institution": _("Institution"), "location": _("Location"),
            "bio": _("Bio"), "intro": _("Intro"), "links": Field(_("Links"), show=_links),
            "picture": Field(_("Picture"), show=_picture),
        }
    )  # fmt: skip
    register_fields(
        {
            "owner": _("Owner"), "label": _("Name"), "scopes": Field(_("Permissions"), show=_scopes),
            "expires_at": Field(_("Expires"), show=show_time),
        },
        scope="accounts.ApiKey",
    )  # fmt: skip
    changed = {"changed": Field(_("Changed"), choices=_provider_fields)}
    register_fields(changed, scope="accounts.SignInProvider")
    register_fields(
        {
            "signup": Field(_("Sign-up"), choices={"open": _("Open"), "invitation": _("By invitation only")}),
            "signup_domains": _("Domains"), "support_contact": _("Support contact"),
            "announcement": _("Announcement"), "text": _("Text"), "until": Field(_("Until"), show=show_time),
            "severity": Field(
                _("Severity"),
                choices={"info": _("Information"), "warning": _("Warning"), "danger": _("Outage")},
            ),
        },
        scope="installation.change_settings",
    )  # fmt: skip


def _providers() -> dict[str, str]:
    return {"github": "GitHub"} | dict(SignInProvider.objects.values_list("slug", "name"))


def _provider_fields() -> dict[str, str]:
    """Return what the page of a provider calls its fields, in English as all of the admin."""
    return {field.name: capfirst(str(field.verbose_name)) for field in SignInProvider._meta.concrete_fields}


def _links(links: Any, _values: Mapping[str, Any]) -> str:
    return ", ".join(link["label"] or link["url"] for link in links) or "–"


def _picture(digest: Any, _values: Mapping[str, Any]) -> str:
    return gettext("Changed") if digest else gettext("Removed")


def _scopes(granted: Any, _values: Mapping[str, Any]) -> str:
    """Name a ready-made reach, else the actions themselves."""
    reach, labels = scopes.reach_of(granted), action_labels()
    return str(reach.label) if reach else ", ".join(str(labels.get(action, action)) for action in granted)
