"""System checks of the configuration: `manage.py check` explains a bad installation before it hurts."""

import os
import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's names

from common.errors import Invalid
from common.safe_http.addresses import networks_of
from config.env import HOME, env
from metrics.store.clickhouse.servers import address_of
from storage.buckets.services import open_bucket
from storage.models import Bucket

DOCS = "docs/operate/configure.md"
SECRET_KEY_MIN_LENGTH = 32
METRICS_TOKEN_MIN_LENGTH = 32
CRASH_TIMEOUT_MIN_S = 60
INVITATION_MAX_DAYS = 365
DELETED_KEPT_MAX_DAYS = 3650
BILLING_GRACE_MAX_H = 168
EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
EMAIL_SCHEMES = (
    "smtp",
    "smtps",
    "smtp+tls",
    "smtp+ssl",
    "consolemail",
    "filemail",
    "memorymail",
    "dummymail",
)
SEGMENT_STORES = ("files", "database", "bucket", "clickhouse")
SIGNUP_RULES = ("open", "invitation")
REDIS_SCHEMES = ("redis", "rediss", "unix")

Check = Callable[..., Sequence[CheckMessage]]


def check_url(**_: Any) -> list[CheckMessage]:
    """RUNYARD_URL is what browsers and SDKs use."""
    where = f"{DOCS}#address"
    try:
        url = urlsplit(settings.BASE_URL)
        fine = url.scheme in ("http", "https") and url.hostname and url.port != 0
        bare = url.path in ("", "/") and not url.query and not url.fragment
    except ValueError:
        fine = bare = False
    if not fine:
        hint = f"Give scheme and host as people open it, such as https://runyard.example.com. {where}"
        return [Error("RUNYARD_URL is not a URL.", hint=hint, id="runyard.E001")]
    if not bare:
        hint = f"Runyard answers at the root of a host name; give the address without a path. {where}"
        return [Error("RUNYARD_URL has more than scheme, host and port.", hint=hint, id="runyard.E002")]
    return []


def check_home(**_: Any) -> list[CheckMessage]:
    """The data folder, or the nearest folder above it that exists, must be writable."""
    folder = HOME
    while not folder.exists():
        folder = folder.parent
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        return []
    return [
        Error(
            f"The data folder {HOME} cannot be written by this user.",
            hint=f"Change its owner, or give another folder as RUNYARD_HOME. {DOCS}#data",
            id="runyard.E003",
        )
    ]


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


def check_web_processes(**_: Any) -> list[CheckMessage]:
    """SQLite has one writer at a time; several web processes only queue for it."""
    several = env.int("WEB_CONCURRENCY", default=1) > 1
    if not several or not settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        return []
    return [
        Warning(
            "WEB_CONCURRENCY asks for several web processes on SQLite.",
            hint=f"SQLite takes one writer at a time. Use PostgreSQL (RUNYARD_DATABASE_URL). {DOCS}#data",
            id="runyard.W001",
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


def check_metrics_token(**_: Any) -> list[CheckMessage]:
    """It opens /metrics to whoever has it, and nothing slows down guessing; a header carries no blanks in it."""
    token = settings.METRICS_TOKEN
    if not token or re.fullmatch(rf"[!-~]{{{METRICS_TOKEN_MIN_LENGTH},}}", token):
        return []
    least = f"fewer than {METRICS_TOKEN_MIN_LENGTH} characters"
    wrong = least if len(token) < METRICS_TOKEN_MIN_LENGTH else "characters that a header cannot carry"
    hint = f"`openssl rand -hex 32` makes a good one; leave it out to answer only operators. {DOCS}#log-and-metrics"
    return [Error(f"RUNYARD_METRICS_TOKEN has {wrong}.", hint=hint, id="runyard.E012")]


def check_port(**_: Any) -> list[CheckMessage]:
    """A port is a port."""
    if 0 < settings.PORT < 65536:
        return []
    return [
        Error(f"RUNYARD_PORT is {settings.PORT}.", hint=f"Give 1 to 65535. {DOCS}#address", id="runyard.E006")
    ]


def check_email_url(**_: Any) -> list[CheckMessage]:
    """A URL that cannot be read would lose mail silently."""
    given = env.str("RUNYARD_EMAIL_URL", default="")
    if not given:
        return []
    try:
        url = urlsplit(given)
        needs_host = url.scheme.startswith("smtp")
        fine = url.scheme in EMAIL_SCHEMES and (not needs_host or (url.hostname and url.port != 0))
    except ValueError:
        fine = False
    if fine:
        return []
    return [
        Error(
            "RUNYARD_EMAIL_URL is not a mail server's URL.",
            hint=f"Such as smtp+tls://user:password@mail.example.com:587. {DOCS}#mail",
            id="runyard.E007",
        )
    ]


def check_database(**_: Any) -> list[CheckMessage]:
    """Other databases may migrate, but nothing is tested on them."""
    engine = settings.DATABASES["default"]["ENGINE"]
    if engine.endswith((".sqlite3", ".postgresql")):
        return []
    return [
        Error(
            "RUNYARD_DATABASE_URL names neither PostgreSQL nor SQLite.",
            hint=f"Such as postgres://user:password@host:5432/runyard. {DOCS}#data",
            id="runyard.E009",
        )
    ]


def check_redis_url(**_: Any) -> list[CheckMessage]:
    """Celery, Channels and the cache must all understand it."""
    try:
        fine = urlsplit(settings.REDIS_URL).scheme in REDIS_SCHEMES
    except ValueError:
        fine = False
    if fine:
        return []
    return [
        Error(
            "RUNYARD_REDIS_URL is not a Redis URL.",
            hint=f"Such as redis://127.0.0.1:6379/0, rediss://… or unix:///path/redis.sock. {DOCS}#data",
            id="runyard.E008",
        )
    ]


def check_allowed_hosts(**_: Any) -> list[CheckMessage]:
    """Listening for the network while answering only to names of this machine helps nobody."""
    default_url = not env.str("RUNYARD_URL", default="")
    if settings.HOST not in EVERY_ADDRESS or not default_url or env.list("RUNYARD_ALLOWED_HOSTS", default=[]):
        return []
    return [
        Warning(
            f"RUNYARD_HOST is {settings.HOST}, but only names of this machine are answered.",
            hint=f"Give the address that people open as RUNYARD_URL. {DOCS}#address",
            id="runyard.W002",
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


def check_segments(**_: Any) -> list[CheckMessage]:
    """Packed metrics go to one of four places, and to a bucket or ClickHouse only where there is one."""
    needed = {
        "bucket": ("RUNYARD_STORAGE_URL", settings.STORAGE_URL),
        "clickhouse": ("RUNYARD_CLICKHOUSE_URL", settings.CLICKHOUSE_URL),
    }
    name, value = needed.get(settings.SEGMENT_STORE, ("", "none is needed"))
    if not value:
        text = f"RUNYARD_SEGMENTS is {settings.SEGMENT_STORE}, but there is no {name}."
        return [Error(text, hint=f"Give its address as {name}. {DOCS}#data", id="runyard.E011")]
    if settings.SEGMENT_STORE in SEGMENT_STORES:
        return []
    hint = f"Give one of {', '.join(SEGMENT_STORES)}. {DOCS}#data"
    return [Error(f"RUNYARD_SEGMENTS is {settings.SEGMENT_STORE!r}.", hint=hint, id="runyard.E011")]


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


def check_allowed_networks(**_: Any) -> list[CheckMessage]:
    """What is no network would be found only when a webhook is sent."""
    try:
        networks_of(tuple(settings.ALLOWED_NETWORKS))
    except ValueError as error:
        hint = f"Give networks such as 10.0.0.0/8,fd12:3456::/32. {DOCS}#alerts"
        return [Error(f"RUNYARD_ALLOWED_NETWORKS: {error}.", hint=hint, id="runyard.E016")]
    return []


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


def check_frame_ancestors(**_: Any) -> list[CheckMessage]:
    """What is no site would make browsers ignore the policy, or say more than it seems to."""
    site = re.compile(r"https?://((\*\.)?[a-zA-Z0-9.-]+|\[[0-9a-fA-F:]+\])(:(\d+|\*))?")
    hint = f"Give sites such as https://jupyter.example.com,http://localhost:8888. {DOCS}#address"
    return [
        Error(
            f"RUNYARD_FRAME_ANCESTORS has {given!r}, which is not a valid site.", hint=hint, id="runyard.E020"
        )
        for given in settings.FRAME_ANCESTORS
        if not site.fullmatch(given)
    ]


def check_storage(**_: Any) -> list[CheckMessage]:
    """Files would be refused one by one; whether the bucket answers is tried by `manage.py check_storage`."""
    url = settings.STORAGE_URL
    if not url:
        return []
    try:
        open_bucket(Bucket(url=url, folder="check"))
    except (Invalid, ValueError) as error:
        hint = f"Such as s3://bucket/prefix?region=eu-west-1. {DOCS}#data"
        return [Error(f"RUNYARD_STORAGE_URL or its credentials: {error}", hint=hint, id="runyard.E021")]
    return []


def check_clickhouse(**_: Any) -> list[CheckMessage]:
    """Whether it answers is tried by `manage.py prepare_clickhouse`."""
    hint = f"Such as http://user:password@first:8123,second:8123/runyard. {DOCS}#data"
    try:
        if settings.CLICKHOUSE_URL:
            address_of(settings.CLICKHOUSE_URL)
    except ValueError as error:
        return [Error(f"RUNYARD_CLICKHOUSE_URL: {error}.", hint=hint, id="runyard.E022")]
    if re.fullmatch(r"[\w.-]*", settings.CLICKHOUSE_CLUSTER):
        return []
    message = f"RUNYARD_CLICKHOUSE_CLUSTER is {settings.CLICKHOUSE_CLUSTER!r}, which is no name of a cluster."
    return [Error(message, hint=hint, id="runyard.E022")]


ALL: list[Check] = [
    check_url,
    check_home,
    check_crash_timeout,
    check_web_processes,
    check_secret_key,
    check_metrics_token,
    check_port,
    check_email_url,
    check_database,
    check_redis_url,
    check_allowed_hosts,
    check_frame_ancestors,
    check_support_contact,
    check_invitation_days,
    check_segments,
    check_deleted_kept_days,
    check_signup,
    check_providers,
    check_allowed_networks,
    check_slack,
    check_billing_grace,
    check_stripe,
    check_storage,
    check_clickhouse,
]
