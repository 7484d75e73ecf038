"""A container of Azure Blob Storage.

Clients get bytes by signed URLs and send them through the server: a PUT straight to Azure needs a header that would
switch the SDK to another way of uploading (`x-ms-blob-type`).
"""

import base64
import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from azure.core.exceptions import AzureError, HttpResponseError
from azure.core.pipeline.transport import RequestsTransport
from azure.storage.blob import BlobSasPermissions, ContainerClient, ContentSettings, generate_blob_sas
from requests import Session

from common.safe_http.pools import refusal_in
from common.safe_http.sessions import prepare
from storage.backends.base import ObjectInfo, ObjectMissing, StorageUnavailable
from storage.backends.transfer import Timeouts, delete_each, disposition, require_md5, select_keys
from storage.backends.unsigned import NoSignedUploads

logging.getLogger("azure.core.pipeline.policies.http_logging_policy").setLevel(
    logging.WARNING
)  # else: each request
_WRITE, _READ, _DELETE, _LIST = "write (w)", "read (r)", "delete (d)", "list (l)"
_BLOCK_BYTES = 8 * 1024 * 1024
"""What is in memory at once of a file that goes up, or an object that comes down; an object has at most ..."""
_MAX_BLOCKS = 50_000
_WHY = {
    "ContainerNotFound": "does not exist",
    "ContainerBeingDeleted": "is being deleted",
    "ContainerDisabled": "is disabled",
    "AccountIsDisabled": "refuses: its account is disabled",
    "InvalidAuthenticationInfo": "does not understand the credentials",
    "KeyBasedAuthenticationNotPermitted": "takes no account keys: its account forbids them",
    "AuthorizationSourceIPMismatch": "refuses the address of this server",
    "AuthorizationProtocolMismatch": "refuses http: the credentials ask for https",
    "AuthorizationServiceMismatch": "refuses: the credentials are not for blobs",
    "AuthorizationResourceTypeMismatch": "refuses: the credentials are not for containers and objects",
    "InvalidResourceName": "has a name that is not allowed",
    "OutOfRangeInput": "has a name that is not allowed",
}
_NOT_PERMITTED = {"AuthorizationPermissionMismatch", "InsufficientAccountPermissions"}


@dataclass(frozen=True, slots=True)
class AzureContainer:
    """Which container it is, and how it is asked."""

    account: str
    name: str
    prefix: str = ""
    """Before all keys; empty, or with a slash at its end."""
    endpoint: str = ""
    """Of the account, where it is not Azure's usual one."""
    is_kept_outside: bool = True
    """Whether only the public network is asked, and what the operator allowed."""


@dataclass(frozen=True, slots=True)
class AzureCredentials:
    """The key of the account, or a shared access signature of the container: one of both."""

    account_key: str = ""
    signature: str = ""

    def __repr__(self) -> str:
        return "AzureCredentials(…)"  # errors show the arguments of what has failed


class AzureBackend(NoSignedUploads):
    """Asks Azure by a key, or by a signature: with that, clients cannot be given narrower ones, and get no URLs."""

    def __init__(
        self, container: AzureContainer, credentials: AzureCredentials, timeouts: Timeouts | None = None
    ) -> None:
        timeouts = timeouts or Timeouts()
        self.container, self._key = container, credentials.account_key
        self.can_sign_downloads = bool(credentials.account_key)
        session = Session()
        prepare(session, is_kept_outside=container.is_kept_outside)
        self._client = ContainerClient(
            container.endpoint or f"https://{container.account}.blob.core.windows.net",
            container.name,
            credential=(
                {"account_name": container.account, "account_key": credentials.account_key}
                if credentials.account_key
                else credentials.signature
            ),
            transport=RequestsTransport(
                session=session,
                session_owner=False,
                connection_timeout=timeouts.connect_s,
                read_timeout=timeouts.read_s,
            ),
            retry_total=timeouts.tries - 1,
            initial_backoff=1,
            increment_base=1,
            max_single_put_size=_BLOCK_BYTES,
            max_block_size=_BLOCK_BYTES,
            max_single_get_size=_BLOCK_BYTES,
            max_chunk_get_size=_BLOCK_BYTES,
        )

    def put(self, key: str, content: Path, *, md5: str) -> None:
        require_md5(content, md5)  # Azure compares what is sent with what arrives, block by block
        size = content.stat().st_size
        about = ContentSettings("application/octet-stream", content_md5=bytearray(base64.b64decode(md5)))
        with content.open("rb") as file, self._asking(_WRITE):
            blob = self._client.get_blob_client(self.container.prefix + key)
            blob._config.max_block_size = max(_BLOCK_BYTES, -(-size // _MAX_BLOCKS))
            blob.upload_blob(file, length=size, overwrite=True, content_settings=about, validate_content=True)

    def read(self, key: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        if length == 0:
            return iter(())
        blob = self._client.get_blob_client(self.container.prefix + key)
        try:
            with self._asking(_READ, "InvalidRange"):
                answer = blob.download_blob(start, length)
        except _ExpectedError:  # it ends before this
            return iter(())
        return self._pieces(answer.chunks())

    def _pieces(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        with self._asking(_READ):
            yield from chunks

    def info(self, key: str) -> ObjectInfo | None:
        try:
            with self._asking(_READ):
                found = self._client.get_blob_client(self.container.prefix + key).get_blob_properties()
        except ObjectMissing:
            return None
        return ObjectInfo(found.size, base64.b64encode(found.content_settings.content_md5 or b"").decode())

    def delete(self, keys: Collection[str]) -> None:
        delete_each(self._delete, keys)

    def _delete(self, key: str) -> None:
        try:
            with self._asking(_DELETE):
                self._client.delete_blob(self.container.prefix + key, delete_snapshots="include")
        except ObjectMissing:
            return

    def keys(self, older_than: datetime) -> Iterator[str]:
        with self._asking(_LIST):
            blobs = self._client.list_blobs(name_starts_with=self.container.prefix)
            found = ((str(blob.name), blob.last_modified) for blob in blobs)
            yield from select_keys(found, self.container.prefix, older_than)

    def download_url(self, key: str, *, name: str, content_type: str, inline: bool, expires_s: int) -> str:
        if not self._key:
            self.refuse()
        blob = self._client.get_blob_client(self.container.prefix + key)
        signature = generate_blob_sas(
            self.container.account,
            self.container.name,
            self.container.prefix + key,
            account_key=self._key,
            permission=BlobSasPermissions(read=True),
            expiry=datetime.now(UTC) + timedelta(seconds=expires_s),  # no start: clocks differ
            content_disposition=disposition(name, inline=inline),
            content_type=content_type,
        )
        return f"{blob.url}?{signature}"

    @contextmanager
    def _asking(self, permission: str, *expected: str) -> Iterator[None]:
        """Raise what people understand; answers of the expected codes as `_ExpectedError`."""
        try:
            yield
        except HttpResponseError as error:
            code = getattr(error, "error_code", None) or error.status_code
            code = str(getattr(code, "value", code))
            if code in expected:
                raise _ExpectedError from error
            if code in {"BlobNotFound", "ResourceNotFound"}:
                raise ObjectMissing(f"The container {self.container.name} has no such object.") from error
            why = _why(code, str(error), permission)
            raise StorageUnavailable(f"The container {self.container.name} {why}.") from error
        except (
            AzureError,
            OSError,
            ValueError,
            TypeError,
        ) as error:  # the last: its code trips over some answers
            why = refusal_in(error)
            said = f"is not asked: {why}" if why else f"does not answer ({type(error).__name__})"
            raise StorageUnavailable(f"The container {self.container.name} {said}.") from error


class _ExpectedError(Exception):
    """An answer that the caller knows what to do with."""


def _why(code: str, text: str, permission: str) -> str:
    if code in _WHY:
        return _WHY[code]
    if code in _NOT_PERMITTED:
        return f"refuses: the permission {permission} is missing"
    if code in {"AuthenticationFailed", "NoAuthenticationInformation", "403"} or "authenticate" in text:
        return _why_not_authenticated(text)
    if code == "AuthorizationFailure":
        return f"refuses: the permission {permission} is missing, or its firewall keeps this server out"
    return f"answered {code} to a request that needs the permission {permission}"


def _why_not_authenticated(text: str) -> str:
    if "date header" in text.lower():
        return "refuses the time of the request: the clock of this server is wrong"
    if "time frame" in text:
        return "refuses the credentials: they have expired"
    return "refuses the signature: the key or shared access signature does not hold"
