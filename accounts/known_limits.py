"""What is limited for people and their API keys."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from access.actor import Actor
from access.limits.registry import (
    REFUSED,
    Limit,
    LimitGroup,
    LimitUnit,
    Measure,
    Used,
    length_limit,
    register_limits,
)
from access.limits.request_rates import WINDOW_S, key_caller, user_caller
from accounts.api_keys import secrets, services
from accounts.lifecycle import names
from accounts.models import ApiKey
from accounts.profile import pictures
from accounts.profile import services as profiles
from common.rate_limits import spent

SENT_AGAIN = gettext_lazy("Returns 429 with Retry-After. SDKs wait and retry; no run data is lost.")

_BAD_KEY = gettext_lazy("Returns 429 instead of 401. A valid key always passes.")


def requests_of(what: str) -> Measure:
    """Return what measures the requests in the present minute: of the asking key, else of the account's busiest."""

    def measure(actor: Actor, _team: Any) -> Used | None:
        sources = _sources(actor)
        amounts = spent(what, list(sources), window_s=WINDOW_S) if sources else None
        if not amounts:
            return None
        amount, name = max(zip(amounts, sources.values(), strict=True), key=lambda pair: pair[0])
        return Used(amount, name if amount else "")

    return measure


def _sources(actor: Actor) -> dict[str, str]:
    """Return whose requests are counted for an actor, with a name for people."""
    if actor.key_id is not None:
        return {key_caller(actor.key_id): ""}
    if actor.user_id is None:
        return {}
    own = ApiKey.objects.filter(user_id=actor.user_id).values_list("pk", "label", "prefix")
    named = {key_caller(pk): label or f"{prefix}…" for pk, label, prefix in own}
    return {user_caller(actor.user_id): _("in browsers"), **named}


def _key_count(actor: Actor, _team: Any) -> Used:
    return Used(ApiKey.objects.filter(user_id=actor.lookup_id).count())


def register() -> None:
    """Tell the page of limits."""
    register_limits(
        Limit(
            "rest.requests", LimitGroup.REQUESTS,
            gettext_lazy("REST API requests, per API key or person in browsers"),
            lambda: settings.API_RATE, SENT_AGAIN, LimitUnit.PER_MINUTE, "RUNYARD_API_RATE", requests_of("rest"),
        ),
        Limit(
            "keys.refused_from_address", LimitGroup.REQUESTS,
            gettext_lazy("Invalid API keys tried from one IP address"),
            lambda: secrets.BAD_PER_ADDRESS,
            _BAD_KEY, LimitUnit.PER_MINUTE,
        ),
        Limit(
            "keys.refused", LimitGroup.REQUESTS, gettext_lazy("Attempts with an invalid API key"),
            lambda: secrets.BAD_PER_KEY,
            _BAD_KEY, LimitUnit.PER_MINUTE,
        ),
        Limit(
            "account.keys", LimitGroup.ACCOUNT, gettext_lazy("API keys of an account"), lambda: services.MAX_KEYS,
            gettext_lazy("No more can be created until some are deleted."), measure=_key_count,
        ),
        Limit(
            "account.addresses", LimitGroup.ACCOUNT, gettext_lazy("Email addresses of an account"),
            lambda: settings.ACCOUNT_MAX_EMAIL_ADDRESSES, REFUSED,
        ),
        Limit(
            "account.links", LimitGroup.ACCOUNT, gettext_lazy("Links on a profile"), lambda: profiles.MAX_LINKS,
            REFUSED,
        ),
        Limit(
            "account.picture", LimitGroup.ACCOUNT, gettext_lazy("Picture file"), lambda: pictures.MAX_BYTES,
            REFUSED, LimitUnit.BYTES,
        ),
        length_limit("name", gettext_lazy("Name of a person, team or organization"), lambda: names.MAX_LENGTH),
        length_limit("intro", gettext_lazy("Intro of a profile"), lambda: profiles.MAX_INTRO),
        Limit(
            "length.key_label", LimitGroup.LENGTHS, gettext_lazy("Name of an API key"), lambda: services.MAX_LABEL,
            gettext_lazy("The rest is cut off."), LimitUnit.CHARACTERS,
        ),
    )  # fmt: skip
