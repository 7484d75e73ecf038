"""The data folder, the processes, and the servers behind them."""

import os
import re
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's names

from common.errors import Invalid
from config.checks.docs import DOCS
from config.env import HOME, env
from metrics.store.clickhouse.servers import address_of
from storage.buckets.services import open_bucket
from storage.models import Bucket

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
POSTGRESQL_SCHEMES = {"postgres", "postgresql", "pgsql", "psql"}
REDIS_SCHEMES = ("redis", "rediss", "unix")


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


def check_replica(**_: Any) -> list[CheckMessage]:
    """Only PostgreSQL has standbys; whether it is one of this database is tried by `manage.py doctor`."""
    if not settings.REPLICA_URL:
        return []
    schemes = {urlsplit(url).scheme for url in (settings.DATABASE_URL, settings.REPLICA_URL)}
    if schemes <= POSTGRESQL_SCHEMES:
        return []
    return [
        Error(
            "RUNYARD_DATABASE_REPLICA_URL is given, but it or RUNYARD_DATABASE_URL does not name PostgreSQL.",
            hint=f"Such as postgres://user:password@standby:5432/runyard, for both. {DOCS}#data",
            id="runyard.E024",
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
