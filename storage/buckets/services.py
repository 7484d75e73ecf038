"""The buckets of an installation: which one takes new content, and the backend that opens each."""

import json
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Count, Sum
from django.utils import timezone

from common.crypto import random_text, unseal
from common.database.replica.routing import from_primary
from common.errors import DomainError, Invalid
from storage.backends.base import Backend
from storage.backends.check import check
from storage.backends.guarded import guarded
from storage.backends.settings import build_backend
from storage.backends.traced import traced
from storage.backends.transfer import Timeouts
from storage.models import Bucket

if TYPE_CHECKING:
    from storage.backends.s3 import S3Backend  # takes boto3 along

logger = logging.getLogger(__name__)

SEAL = "storage-bucket"
"""What credentials of buckets are encrypted for (`common.crypto`)."""
_REMEMBERED_S = 60.0
"""How long an opened backend serves: credentials may be changed by another process."""
_FOLDER_LENGTH = 12

_TEAMS_REMEMBERED_S = 5.0
"""How long a process goes by what it knows of a team: another one may give the team a bucket."""
_MOST_TEAMS = 10_000

_defaults: dict[str, Bucket] = {}
_of_teams: dict[int, tuple[float, Bucket | None]] = {}
_own_credentials: dict[int, bool] = {}
_opened: dict[tuple[int, str], tuple[float, Backend]] = {}


def forget() -> None:
    """Read rows and settings anew."""
    _defaults.clear()
    _of_teams.clear()
    _own_credentials.clear()
    _opened.clear()


def new_folder() -> str:
    """Return the name of a folder that no other installation, and no other bucket, has below the same prefix."""
    return random_text(_FOLDER_LENGTH).lower()


def default_bucket() -> Bucket | None:
    """Return the bucket that the settings name for new content, entering it when it is new; None: the data folder."""
    url = settings.STORAGE_URL
    if not url:
        return None
    if url not in _defaults:
        _defaults[url], _is_new = Bucket.objects.get_or_create(
            url=url, team=None, sealed_credentials="",
            defaults={"folder": new_folder()},
        )  # fmt: skip
    return _defaults[url]


def bucket_for(team_id: int | None) -> Bucket | None:
    """Return where new content of a team goes (TEAM-40): its own bucket, or as `default_bucket`; None: no team's."""
    if team_id is None:
        return default_bucket()
    known = _of_teams.get(team_id)
    if known is None or known[0] < time.monotonic():
        if len(_of_teams) >= _MOST_TEAMS:
            _of_teams.clear()
        with from_primary():
            known = time.monotonic() + _TEAMS_REMEMBERED_S, Bucket.objects.filter(team=team_id).first()
        _of_teams[team_id] = known
    return known[1] or default_bucket()


def settings_credentials(scheme: str) -> dict[str, str]:
    """Return what the settings say for buckets of a kind; empty: whatever the provider finds on this machine."""
    if scheme != urlsplit(settings.STORAGE_URL).scheme:
        return {}
    key, secret, file = settings.STORAGE_KEY, settings.STORAGE_SECRET, settings.STORAGE_CREDENTIALS
    given = {
        "s3": {"access_key": key, "secret_key": secret},
        "gs": {"service_account": file},
        "az": {"account_key": secret, "connection_string": file},
    }.get(scheme, {})
    return {name: value for name, value in given.items() if value}


def open_bucket(bucket: Bucket, part: str = "", timeouts: Timeouts | None = None) -> Backend:
    """Return what reads and writes a bucket, below the folder that is this installation's own.

    Args:
        bucket: The bucket.
        part: A folder in that folder for what is no blob; who lists blobs never sees it, nor the other way round.
        timeouts: How long the bucket may take.

    Raises:
        Invalid: its URL or the credentials cannot be right.
        Unavailable: the installation has another key than when its credentials were sealed.
    """
    parts, sealed = urlsplit(bucket.url), bucket.sealed_credentials
    credentials = json.loads(unseal(SEAL, sealed)) if sealed else settings_credentials(parts.scheme)
    path = "/".join([parts.path.rstrip("/"), bucket.folder, *([part] if part else [])])
    url = parts._replace(path=path).geturl()
    backend = build_backend(url, credentials, is_operators=not sealed, timeouts=timeouts)
    return guarded(traced(backend, parts.scheme), bucket.pk, is_operators=not sealed)


def is_of_team(bucket_id: int) -> bool:
    """Say whether a bucket was connected by a team, not named by the operator; fixed for each bucket."""
    if bucket_id not in _own_credentials:
        with from_primary():
            found = Bucket.objects.filter(pk=bucket_id).values_list("sealed_credentials", flat=True).first()
        _own_credentials[bucket_id] = bool(found)
    return _own_credentials[bucket_id]


def backend_of(bucket_id: int, part: str = "", timeouts: Timeouts | None = None) -> Backend:
    """Return what reads and writes a bucket, as `open_bucket`; opened once in a while."""
    known = _opened.get((bucket_id, part))
    if known is not None and known[0] > time.monotonic():
        return known[1]
    with from_primary():
        bucket = Bucket.objects.get(pk=bucket_id)
    backend = open_bucket(bucket, part, timeouts)
    _own_credentials[bucket_id] = bool(bucket.sealed_credentials)
    _opened[bucket_id, part] = (time.monotonic() + _REMEMBERED_S, backend)
    return backend


def count_contents() -> list[dict[str, Any]]:
    """Return what lies in each bucket, for backups, which hold none of it."""
    found = Bucket.objects.annotate(files=Count("blobs"), bytes=Sum("blobs__size_bytes", default=0)).filter(
        files__gt=0
    )
    return [{"where": str(bucket), "files": bucket.files, "bytes": bucket.bytes} for bucket in found]


def check_default_bucket() -> str:
    """Try what the settings' bucket must do, as `keep_check` does."""
    bucket = default_bucket()
    if bucket is None:
        return ""
    return keep_check(bucket, lambda opened: check(open_bucket(opened), is_operators=True))


def create_default_bucket() -> bool:
    """Create the settings' bucket where there is none yet; return whether there was none.

    Raises:
        Invalid: it is no bucket of S3, or of a server that speaks S3: others are created by their providers' tools.
        StorageUnavailable: the server does not answer, or refuses.
    """
    bucket = default_bucket()
    if bucket is None or urlsplit(bucket.url).scheme != "s3":
        raise Invalid("Only a bucket of S3 can be created here: RUNYARD_STORAGE_URL must begin with s3://.")
    return cast("S3Backend", open_bucket(bucket)).create_bucket()


def keep_check(bucket: Bucket, check_it: Callable[[Bucket], None]) -> str:
    """Try what a bucket must do, and keep the word with its row; returns what is wrong, "" for nothing.

    Args:
        bucket: Which.
        check_it: Tries it; raises a DomainError that says what is wrong.
    """
    try:
        check_it(bucket)
        bucket.check_error = ""
    except DomainError as error:
        bucket.check_error = error.message
    bucket.checked_at = timezone.now()
    bucket.save(update_fields=["checked_at", "check_error"])
    return bucket.check_error
