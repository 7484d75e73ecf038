"""A bucket of Google Cloud Storage.

Clients send whole files by signed URLs and parts through the server: Google puts objects together in another way than
the SDK's parts.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import google.auth
from google.api_core.client_options import ClientOptions
from google.api_core.exceptions import GoogleAPICallError, RetryError
from google.auth.credentials import Signing
from google.auth.exceptions import GoogleAuthError
from google.auth.transport.requests import AuthorizedSession
from google.cloud.exceptions import NotFound
from google.cloud.storage import Blob, Client
from google.cloud.storage.exceptions import DataCorruption, InvalidResponse
from google.cloud.storage.retry import DEFAULT_RETRY
from google.oauth2 import service_account
from requests.exceptions import RequestException

from common.errors import Invalid
from common.safe_http.pools import refusal_in
from common.safe_http.sessions import prepare
from storage.backends.base import ObjectInfo, ObjectMissing, SignedUpload, StorageUnavailable
from storage.backends.transfer import Timeouts, delete_each, disposition, require_md5, select_keys
from storage.backends.unsigned import NoSignedParts

_CREATE, _GET = "storage.objects.create", "storage.objects.get"
_DELETE, _LIST = "storage.objects.delete", "storage.objects.list"
_CHUNK_BYTES = 8 * 1024 * 1024
"""What is in memory at once of a file that goes up, or an object that comes down."""
_RETRY_S = 5
"""For how long Google's library goes on with failed requests, for each try but the first; it counts no tries."""
_SCOPES = ("https://www.googleapis.com/auth/devstorage.read_write",)


@dataclass(frozen=True, slots=True)
class GoogleBucket:
    """Which bucket it is, and how it is asked."""

    name: str
    prefix: str = ""
    """Before all keys; empty, or with a slash at its end."""
    endpoint: str = ""
    """Of a server that is not Google's."""
    is_kept_outside: bool = True
    """Whether only the public network is asked, and what the operator allowed."""


class GoogleBackend(NoSignedParts):
    """Asks Google by a service account's key, or by what the machine has: that signs no URLs, so clients get none."""

    def __init__(
        self, bucket: GoogleBucket, key: Mapping[str, str] | None = None, timeouts: Timeouts | None = None
    ) -> None:
        timeouts = timeouts or Timeouts()
        self.bucket = bucket
        self._credentials = _credentials(key)
        self.can_sign_uploads = self.can_sign_downloads = isinstance(self._credentials, Signing)
        session = AuthorizedSession(self._credentials)  # type: ignore[no-untyped-call] # Google's has no types
        prepare(session, is_kept_outside=bucket.is_kept_outside)
        options = ClientOptions(api_endpoint=bucket.endpoint) if bucket.endpoint else None
        client = Client(project=None, credentials=self._credentials, _http=session, client_options=options)
        self._bucket = client.bucket(bucket.name)
        self._patience: dict[str, Any] = {
            "timeout": (timeouts.connect_s, timeouts.read_s),
            "retry": DEFAULT_RETRY.with_predicate(_is_worth_a_retry).with_timeout(
                _RETRY_S * (timeouts.tries - 1)
            ),
        }

    def put(self, key: str, content: Path, *, md5: str) -> None:
        require_md5(content, md5)  # before an upload of hours; Google compares it once more at its end
        blob = self._blob(key)
        blob.md5_hash = md5
        with content.open("rb") as file, self._asking(_CREATE):
            blob.upload_from_file(file, size=content.stat().st_size, checksum=None, **self._patience)

    def read(self, key: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        found = self.info(key)
        if found is None:
            raise ObjectMissing(f"The bucket {self.bucket.name} has no such object.")
        end = found.size_bytes if length is None else min(found.size_bytes, start + length)
        return self._pieces(key, start, end)

    def _pieces(self, key: str, start: int, end: int) -> Iterator[bytes]:
        while start < end:
            last = min(end, start + _CHUNK_BYTES) - 1
            with self._asking(_GET):
                piece = self._blob(key).download_as_bytes(
                    start=start, end=last, raw_download=True, checksum=None, **self._patience
                )
            if len(piece) != last - start + 1:
                raise StorageUnavailable(f"The bucket {self.bucket.name} sent less than it has announced.")
            yield piece
            start += len(piece)

    def info(self, key: str) -> ObjectInfo | None:
        blob = self._blob(key)
        try:
            with self._asking(_GET):
                blob.reload(**self._patience)
        except ObjectMissing:
            return None
        return ObjectInfo(int(blob.size or 0), blob.md5_hash or "")

    def delete(self, keys: Collection[str]) -> None:
        delete_each(self._delete, keys)

    def _delete(self, key: str) -> None:
        try:
            with self._asking(_DELETE):
                self._blob(key).delete(**self._patience)
        except ObjectMissing:
            return

    def keys(self, older_than: datetime) -> Iterator[str]:
        with self._asking(_LIST):
            blobs = self._bucket.list_blobs(prefix=self.bucket.prefix, **self._patience)
            found = ((str(blob.name), blob.updated) for blob in blobs)
            yield from select_keys(found, self.bucket.prefix, older_than)

    def download_url(self, key: str, *, name: str, content_type: str, inline: bool, expires_s: int) -> str:
        return self._signed(
            key, "GET", expires_s,
            response_disposition=disposition(name, inline=inline), response_type=content_type,
        )  # fmt: skip

    def upload_url(self, key: str, *, md5: str, size_bytes: int | None, expires_s: int) -> SignedUpload:
        headers = {"x-goog-if-generation-match": "0"}  # an object that is there is never replaced
        if size_bytes is not None:
            headers["x-goog-content-length-range"] = f"{size_bytes},{size_bytes}"
        url = self._signed(key, "PUT", expires_s, content_md5=md5, headers=headers)
        return SignedUpload(url, {"Content-MD5": md5, **headers})

    def _signed(self, key: str, method: str, expires_s: int, **more: Any) -> str:
        if not self.can_sign_uploads:
            self.refuse()
        endpoint = self.bucket.endpoint or "https://storage.googleapis.com"
        url = self._blob(key).generate_signed_url(
            version="v4", expiration=timedelta(seconds=expires_s), method=method,
            api_access_endpoint=endpoint, credentials=self._credentials, **more,
        )  # fmt: skip
        return str(url)

    def _blob(self, key: str) -> Blob:
        return self._bucket.blob(self.bucket.prefix + key, chunk_size=_CHUNK_BYTES)

    @contextmanager
    def _asking(self, permission: str) -> Iterator[None]:
        """Raise what people understand."""
        try:
            yield
        except NotFound as error:
            if permission in {_CREATE, _LIST} or "bucket does not exist" in str(error):
                raise StorageUnavailable(f"The bucket {self.bucket.name} does not exist.") from error
            raise ObjectMissing(f"The bucket {self.bucket.name} has no such object.") from error
        except DataCorruption as error:
            raise Invalid(f"The bucket {self.bucket.name} got other bytes than were announced.") from error
        except (GoogleAPICallError, InvalidResponse) as error:
            why = _why(_status_of(error), permission)
            raise StorageUnavailable(f"The bucket {self.bucket.name} {why}.") from error
        except GoogleAuthError as error:
            why = refusal_in(error) or "the credentials do not hold"
            raise StorageUnavailable(f"The bucket {self.bucket.name} cannot be asked: {why}.") from error
        except (RetryError, RequestException, OSError) as error:
            why = refusal_in(error)
            said = f"is not asked: {why}" if why else f"does not answer ({type(error).__name__})"
            raise StorageUnavailable(f"The bucket {self.bucket.name} {said}.") from error


def _credentials(key: Mapping[str, str] | None) -> Any:
    """Return what requests are signed with; a service account's key signs them by itself, no server is asked for it."""
    try:
        if key is None:
            found, _project = google.auth.default(scopes=_SCOPES)
            return found
        own = service_account.Credentials.from_service_account_info(key, scopes=_SCOPES)  # type: ignore[no-untyped-call] # as above
    except GoogleAuthError as error:
        raise StorageUnavailable("This machine has no credentials of Google.") from error
    except ValueError:
        raise Invalid("The private key of the service account cannot be read.") from None
    return own.with_always_use_jwt_access(always_use_jwt_access=True)


def _is_worth_a_retry(error: Exception) -> bool:
    return not refusal_in(error) and bool(DEFAULT_RETRY._predicate(error))


def _status_of(error: GoogleAPICallError | InvalidResponse) -> int:
    return int(error.code or 0) if isinstance(error, GoogleAPICallError) else int(error.response.status_code)


def _why(status: int, permission: str) -> str:
    if status == 401:
        return "refuses the credentials: they do not hold, or the clock of this server is wrong"
    if status == 403:
        return f"refuses: the permission {permission} is missing"
    if status in {429, 500, 502, 503, 504}:
        return f"does not answer now (status {status})"
    return f"answered {status} to a request that needs {permission}"
