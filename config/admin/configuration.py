"""The effective configuration, as operators see it: every variable, every part, every version; no secret."""

import os
import platform
import re
import shutil
import sqlite3
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from urllib.parse import urlsplit

import redis
from django.conf import settings
from django.db import connection

from common.server.health import measured_parts
from config.env import ROOT

HIDDEN = re.compile(r"SECRET|TOKEN|PASSWORD|HEADERS|_KEY\b")
_DOCUMENTED = re.compile(r"^\| `(RUNYARD_\w+)` \|[^|]*\|([^|]*)\|", re.MULTILINE)
_PACKAGES = ("Django", "django-allauth", "celery", "channels", "uvicorn", "wandb")
GIB = 2**30


@dataclass(frozen=True, slots=True)
class ShownVariable:
    """One variable, as it may be shown."""

    name: str
    value: str
    default: str
    is_given: bool
    meaning: str


def all_settings() -> dict[str, Any]:
    """Return what the page shows."""
    return {
        "variables": variables(), "unknown": unknown(), "parts": measured_parts(), "versions": versions(),
        "places": data_locations(),
    }  # fmt: skip


def variables() -> list[ShownVariable]:
    """Return every variable that was read, by name."""
    known = sorted((name, held) for name, held in settings.ENVIRONMENT.items() if name.startswith("RUNYARD_"))
    return [
        ShownVariable(
            name, shown(name, held.value), shown(name, held.default), held.is_given, meanings().get(name, "")
        )
        for name, held in known
    ]


def unknown() -> list[str]:
    """Return variables that somebody gave and nothing reads: most often mistyped."""
    given = {name.removesuffix("_FILE") for name in os.environ if name.startswith("RUNYARD_")}
    return sorted(given - set(settings.ENVIRONMENT) - {"RUNYARD_TEST_REDIS"})


def shown(name: str, value: Any) -> str:
    """Return a value without what is secret in it."""
    if HIDDEN.search(name):
        return "set, hidden" if value else "not set"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return without_password(str(value)) if value not in ("", None) else "none"


def without_password(text: str) -> str:
    """Return a URL without user and password; other text as it is."""
    if "@" not in text or "://" not in text:
        return text
    parts = urlsplit(text)
    return parts._replace(netloc=f"***@{parts.netloc.rpartition('@')[2]}").geturl()


@cache
def meanings() -> dict[str, str]:
    """Return what docs/operate/configure.md says of each variable, without its markup."""
    page = ROOT / "docs" / "operate" / "configure.md"
    text = page.read_text() if page.exists() else ""
    plain = {name: re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", words) for name, words in _DOCUMENTED.findall(text)}
    return {name: words.replace("`", "").strip() for name, words in plain.items()}


def versions() -> list[tuple[str, str]]:
    """Return what is installed."""
    found = [
        ("Python", platform.python_version()),
        (connection.display_name, _database_version()),
        ("Redis", _redis_version()),
    ]
    for package in ("runyard", *_PACKAGES):
        try:
            found.append((package, version(package)))
        except PackageNotFoundError:
            continue
    return found


def _database_version() -> str:
    if connection.vendor == "sqlite":
        return sqlite3.sqlite_version
    return ".".join(map(str, connection.get_database_version()))


def _redis_version() -> str:
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2) as client:
            return str(client.info("server")["redis_version"])
    except redis.RedisError:
        return "does not answer"


def data_locations() -> list[tuple[str, str]]:
    """Return where data lies and how much room is left."""
    disk = shutil.disk_usage(settings.DATA_FOLDER)
    room = f"{disk.free / GIB:.1f} GiB of {disk.total / GIB:.0f} GiB free"
    is_sent = not str(settings.EMAIL_BACKEND).endswith("OutboxBackend")
    bucket = settings.STORAGE_URL.partition("?")[0]
    segments = {
        "database": "in the database",
        "bucket": f"in the bucket {bucket}",
        "clickhouse": without_password(settings.CLICKHOUSE_URL),
    }.get(settings.SEGMENT_STORE, str(settings.SEGMENT_ROOT))
    return [
        ("Data folder", f"{settings.DATA_FOLDER} ({room})"),
        ("Database", without_password(settings.DATABASE_URL)),
        ("Files", bucket or str(settings.BLOB_ROOT)),
        ("Packed metrics", segments),
        ("Redis", without_password(settings.REDIS_URL) if settings.REDIS_URL_GIVEN else "embedded"),
        ("Mail", getattr(settings, "EMAIL_HOST", "") if is_sent else "kept in the outbox"),
    ]  # fmt: skip
