"""What the installation lets people do, what it keeps, and whom it pays and tells."""

import re
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's names

from config.checks.docs import DOCS
from config.env import env

SECRET_KEY_MIN_LENGTH = 32
CRASH_TIMEOUT_MIN_S = 60
INVITATION_MAX_DAYS = 365
DELETED_KEPT_MAX_DAYS = 3650
BILLING_GRACE_MAX_H = 168
SIGNUP_RULES = ("open", "invitation")


def check_crash_timeout(**_: Any) -> list[CheckMessage]:
    """SDKs send a heartbeat every 30 s at most; below two of them healthy runs are called crashed."""
    if settings.CRASH_TIMEOUT_S >= CRASH_TIMEOUT_MIN_S:
        return []
    return [
        Error(
            f"RUNYARD_CRASH_TIMEOUT_S is {settings.CRASH_TIMEOUT_S}, less than {CRASH_TIMEOUT_MIN_S}.",
            hint=f"The SDK gives a sign of life every 30 s; 300 is a good value. {DOCS}#limits",
            id="runyard.E004",
        )
    ]


def check_secret_key(**_: Any) -> list[CheckMessage]:
    """Sessions, tickets and API keys all rest on it, and on former ones for as long as they are accepted."""
    if all(
        len(key) >= SECRET_KEY_MIN_LENGTH for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    ):
        return []
    return [
        Error(
            f"RUNYARD_SECRET_KEY, or a former one, has fewer than {SECRET_KEY_MIN_LENGTH} characters.",
            hint=f"Leave it out to have one created in the data folder, or set a long random one. {DOCS}#address",
            id="runyard.E005",
        )
    ]


def check_support_contact(**_: Any) -> list[CheckMessage]:
    """Shown as a link: an address or a URL."""
    contact = settings.SUPPORT_CONTACT
    if not contact or re.fullmatch(r"(https?://\S+|mailto:\S+|[^@\s]+@[^@\s]+)", contact):
        return []
    return [
        Warning(
            "RUNYARD_SUPPORT_CONTACT is neither an email address nor a URL.",
            hint=f"{DOCS}#people",
            id="runyard.W003",
        )
    ]


def check_invitation_days(**_: Any) -> list[CheckMessage]:
    """A link that has ended before it arrives invites nobody; one that never ends lies in old mailboxes."""
    if 0 < settings.INVITATION_DAYS <= INVITATION_MAX_DAYS:
        return []
    return [
        Error(
            f"RUNYARD_INVITATION_DAYS is {settings.INVITATION_DAYS}.",
            hint=f"Give 1 to {INVITATION_MAX_DAYS}; 14 is a good value. {DOCS}#people",
            id="runyard.E010",
        )
    ]


def check_deleted_kept_days(**_: Any) -> list[CheckMessage]:
    """A negative number would purge what is deleted tomorrow; a huge one overflows dates."""
    if 0 <= settings.DELETED_KEPT_DAYS <= DELETED_KEPT_MAX_DAYS:
        return []
    return [
        Error(
            f"RUNYARD_DELETED_KEPT_DAYS is {settings.DELETED_KEPT_DAYS}.",
            hint=f"Give 0 to {DELETED_KEPT_MAX_DAYS}; 7 is a good value. {DOCS}#limits",
            id="runyard.E013",
        )
    ]


def check_signup(**_: Any) -> list[CheckMessage]:
    """A word that is none would be read as "by invitation"."""
    found: list[CheckMessage] = []
    if settings.SIGNUP not in SIGNUP_RULES:
        hint = f"Give one of {', '.join(SIGNUP_RULES)}. {DOCS}#people"
        found.append(Error(f"RUNYARD_SIGNUP is {settings.SIGNUP!r}.", hint=hint, id="runyard.E014"))
    if env.str("RUNYARD_SIGNUP_OPEN", default=""):
        hint = f"Give RUNYARD_SIGNUP=open or RUNYARD_SIGNUP=invitation instead. {DOCS}#people"
        found.append(Warning("RUNYARD_SIGNUP_OPEN has a new name.", hint=hint, id="runyard.W004"))
    return found


def check_providers(**_: Any) -> list[CheckMessage]:
    """A client without its issuer would be a button that leads nowhere."""
    hint = f"Give the issuer URL of the provider as RUNYARD_OIDC_ISSUER. {DOCS}#people"
    return [
        Error("RUNYARD_OIDC_CLIENT_ID is given without an issuer URL.", hint=hint, id="runyard.E015")
        for provider in settings.SIGN_IN_PROVIDERS
        if provider["kind"] == "oidc" and not re.match(r"https?://\S+", provider["issuer"])
    ]


def check_slack(**_: Any) -> list[CheckMessage]:
    """A client id without its secret connects nothing."""
    if bool(settings.SLACK_CLIENT_ID) == bool(settings.SLACK_CLIENT_SECRET):
        return []
    hint = f"Both are on the page of your Slack app, under Basic Information. {DOCS}#alerts"
    message = "Of RUNYARD_SLACK_CLIENT_ID and RUNYARD_SLACK_CLIENT_SECRET only one is given."
    return [Error(message, hint=hint, id="runyard.E017")]


def check_billing_grace(**_: Any) -> list[CheckMessage]:
    """A period that is closed too late keeps everybody waiting for the invoice."""
    if 0 <= settings.BILLING_GRACE_H <= BILLING_GRACE_MAX_H:
        return []
    hint = f"Give hours from 0 to {BILLING_GRACE_MAX_H}; 6 is a good value. {DOCS}#billing"
    return [Error(f"RUNYARD_BILLING_GRACE_H is {settings.BILLING_GRACE_H}.", hint=hint, id="runyard.E018")]


def check_stripe(**_: Any) -> list[CheckMessage]:
    """Cards are charged with all three keys of one account, or with none."""
    given = {
        "RUNYARD_STRIPE_SECRET_KEY": settings.STRIPE_SECRET_KEY,
        "RUNYARD_STRIPE_PUBLISHABLE_KEY": settings.STRIPE_PUBLISHABLE_KEY,
        "RUNYARD_STRIPE_WEBHOOK_SECRET": settings.STRIPE_WEBHOOK_SECRET,
    }
    missing = [name for name, value in given.items() if not value]
    if len(missing) in {0, len(given)}:
        return []
    hint = f"They are in Stripe's dashboard under Developers; without any, banks transfer what is due. {DOCS}#billing"
    message = f"Of the three variables for Stripe these are missing: {', '.join(missing)}."
    return [Error(message, hint=hint, id="runyard.E019")]
