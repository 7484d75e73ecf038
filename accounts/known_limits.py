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
from access.limits.request_rates import WINDOW_S, key_caller, keys_caller, user_caller
from accounts.api_keys import secrets, services
from accounts.lifecycle import names
from accounts.models import ApiKey
from accounts.profile import pictures
from accounts.profile import services as profiles
from common.budgets.heavy_work import processor_seconds
from common.rate_limits import spent

SENT_AGAIN = gettext_lazy("Returns 429 with Retry-After. SDKs wait and retry; no run data is lost.")

_SEND_LESS = gettext_lazy("Returns 413; send less at once.")
_BAD_KEY = gettext_lazy("Returns 429 instead of 401. A valid key always passes.")


def requests_of(what: str) -> Measure:
    """Return what measures requests in the present minute: those by keys for a key, else the more used of both."""

    def measure(actor: Actor, _team: Any) -> Used | None:
        if actor.user_id is None:
            return None
        callers = [keys_caller(actor.user_id), user_caller(actor.user_id)]
        amounts = spent(what, callers, window_s=WINDOW_S)
        if not amounts:
            return None
        by_keys, in_browsers = amounts
        if actor.key_id is not None:
            return Used(by_keys)
        if by_keys >= in_browsers:
            return Used(by_keys, _busiest_key(what, actor.user_id) if by_keys else "")
        return Used(in_browsers, _("in browsers"))

    return measure


def _busiest_key(what: str, user_id: int) -> str:
    """Return what the key is called that most requests come with."""
    keys = list(ApiKey.objects.filter(user_id=user_id).values_list("pk", "label", "prefix"))
    amounts = spent(what, [key_caller(pk) for pk, _label, _prefix in keys], window_s=WINDOW_S)
    if not amounts:  # the keys were deleted
        return ""
    _amount, (_pk, label, prefix) = max(zip(amounts, keys, strict=True))
    return label or f"{prefix}…"


def _processor_time(actor: Actor, _team: Any) -> Used | None:
    return Used(processor_seconds(user_caller(actor.user_id))) if actor.user_id is not None else None


def _key_count(actor: Actor, _team: Any) -> Used:
    return Used(ApiKey.objects.filter(user_id=actor.lookup_id).count())


def register() -> None:
    """Tell the page of limits."""
    register_limits(
        Limit(
            "rest.requests", LimitGroup.REQUESTS,
            gettext_lazy("REST API requests of an account: by its API keys, and in browsers"),
            lambda: settings.API_RATE, SENT_AGAIN, LimitUnit.PER_MINUTE, "RUNYARD_API_RATE", requests_of("rest"),
        ),
        Limit(
            "rest.bytes", LimitGroup.REQUESTS, gettext_lazy("A request to the REST API"),
            lambda: settings.REST_MAX_BYTES, _SEND_LESS, LimitUnit.BYTES, "RUNYARD_REST_MAX_MIB",
        ),
        Limit(
            "requests.other_bytes", LimitGroup.REQUESTS,
            gettext_lazy("A form, and a REST request that creates or changes a run"),
            lambda: settings.BODY_MAX_BYTES, _SEND_LESS, LimitUnit.BYTES, "RUNYARD_BODY_MAX_MIB",
        ),
        Limit(
            "requests.decoded_bytes", LimitGroup.REQUESTS,
            gettext_lazy("Memory for the decoded JSON of a request, and of all requests of a web process"),
            lambda: settings.DECODED_MAX_BYTES, _SEND_LESS, LimitUnit.BYTES, "RUNYARD_DECODED_MAX_MIB",
        ),
        Limit(
            "requests.seconds", LimitGroup.REQUESTS, gettext_lazy("Processor time of a page or REST request"),
            lambda: settings.REQUEST_MAX_S, gettext_lazy("The request fails with an error; request less at once."),
            LimitUnit.SECONDS, "RUNYARD_REQUEST_MAX_S",
        ),
        Limit(
            "requests.processor", LimitGroup.REQUESTS,
            gettext_lazy("Processor time of an account or address per minute, in seconds"),
            lambda: settings.PROCESSOR_RATE,
            gettext_lazy("Searching, sorting and previews return 429 until the minute is over."),
            LimitUnit.PER_MINUTE, "RUNYARD_PROCESSOR_RATE", _processor_time,
        ),
        Limit(
            "requests.decoder_bytes", LimitGroup.FILES, gettext_lazy("Memory to decode a file or picture for a page"),
            lambda: settings.DECODER_BYTES, gettext_lazy("The page says so; the file can still be downloaded."),
            LimitUnit.BYTES, "RUNYARD_DECODER_MIB",
        ),
        Limit(
            "requests.streams", LimitGroup.REQUESTS,
            gettext_lazy("Exports sent to one address at the same time, per web process"),
            lambda: settings.STREAMS_EACH, gettext_lazy("Returns 429; try again when one has ended."),
            setting="RUNYARD_STREAMS_EACH",
        ),
        Limit(
            "requests.all_streams", LimitGroup.REQUESTS,
            gettext_lazy("Exports sent at the same time, per web process"),
            lambda: settings.STREAMS_MAX, gettext_lazy("Returns 429; try again when one has ended."),
            setting="RUNYARD_STREAMS_MAX",
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
