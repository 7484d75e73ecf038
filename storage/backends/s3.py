"""A bucket of Amazon S3, or of a server that speaks its protocol.

Whoever holds a signed URL can send only the bytes it was made for: MD5 and size are part of the signature. boto3 and
nothing smaller, because no other client signs headers and lists parts (docs/develop/decisions/storage.md).
"""

import base64
import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

from common.errors import Invalid
from common.safe_http.pools import keep_deadlines, keep_outside
from storage.backends.base import ObjectInfo, ObjectMissing, SignedUpload, StorageUnavailable
from storage.backends.s3_errors import code_of, error_of, failure_of
from storage.backends.transfer import (
    PIECE_BYTES,
    Timeouts,
    delete_each,
    disposition,
    require_md5,
    select_keys,
)

_PUT, _GET, _DELETE, _LIST = "s3:PutObject", "s3:GetObject", "s3:DeleteObject", "s3:ListBucket"
_CREATE = "s3:CreateBucket"
_LIST_PARTS, _ABORT = "s3:ListMultipartUploadParts", "s3:AbortMultipartUpload"
_LARGEST_PUT = 256 * 1024 * 1024
"""Bytes that the server sends in one request. No bucket takes more than 5 GiB, and a lost connection costs them all."""
_PART_BYTES = 16 * 1024 * 1024
_MAX_PARTS = 10_000
_FIRST_REGION = "us-east-1"
"""The only one whose name CreateBucket does not take."""
_session_lock = Lock()
"""Clients may be shared between threads, but not made by several at once."""
_MD5 = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class S3Credentials:
    """Keys of a bucket."""

    access_key: str
    secret_key: str
    session_token: str = ""

    def __repr__(self) -> str:
        return "S3Credentials(…)"  # errors show the arguments of what has failed


@dataclass(frozen=True, slots=True)
class S3Bucket:
    """Which bucket it is, and how it is asked."""

    name: str
    prefix: str = ""
    """Before all keys; empty, or with a slash at its end."""
    region: str = _FIRST_REGION
    endpoint: str = ""
    """Of a server that is not Amazon's."""
    has_own_host: bool = False
    """Whether its name is part of the host's (virtual-hosted style) and not of the path."""
    is_kept_outside: bool = True
    """Whether only the public network is asked, and what the operator allowed."""


class S3Backend:
    """Asks S3 by keys, or by what the machine has (environment, instance role) if none are given."""

    can_sign_uploads = True
    can_sign_parts = True
    can_sign_downloads = True

    def __init__(
        self, bucket: S3Bucket, credentials: S3Credentials | None = None, timeouts: Timeouts | None = None
    ) -> None:
        self.bucket = bucket
        with self._asking(_GET):  # also reads the machine's settings, which may be wrong
            self._client = _client(bucket, credentials, timeouts or Timeouts())

    def create_bucket(self) -> bool:
        """Create the bucket where there is none; return whether there was none.

        Raises:
            StorageUnavailable: it does not answer, refuses, or the name is another account's.
        """
        with suppress(_ExpectedError), self._asking(_LIST, "404", "NoSuchBucket"):
            self._client.head_bucket(Bucket=self.bucket.name)
            return False
        region = self.bucket.region
        where = (
            {} if region == _FIRST_REGION else {"CreateBucketConfiguration": {"LocationConstraint": region}}
        )
        with suppress(_ExpectedError), self._asking(_CREATE, "BucketAlreadyOwnedByYou"):
            self._client.create_bucket(Bucket=self.bucket.name, **where)
        return True

    def put(self, key: str, content: Path, *, md5: str) -> None:
        with content.open("rb") as file:
            size = content.stat().st_size
            if size > _LARGEST_PUT:
                require_md5(content, md5)
                self._put_in_parts(key, file, max(_PART_BYTES, -(-size // _MAX_PARTS)))
                return
            with self._asking(_PUT):
                self._client.put_object(**self._at(key), Body=file, ContentLength=size, ContentMD5=md5)

    def _put_in_parts(self, key: str, file: BinaryIO, part_bytes: int) -> None:
        upload_id = self.begin_parts(key)
        parts: list[tuple[int, str]] = []
        try:
            while piece := file.read(part_bytes):
                digest = hashlib.md5(piece, usedforsecurity=False)
                with self._asking(_PUT):
                    answer = self._client.upload_part(
                        **self._at(key), UploadId=upload_id, PartNumber=len(parts) + 1, Body=piece,
                        ContentMD5=base64.b64encode(digest.digest()).decode(),
                    )  # fmt: skip
                parts.append((len(parts) + 1, str(answer["ETag"])))
            self._complete(key, upload_id, parts)
        except BaseException:
            with suppress(StorageUnavailable):  # the first error is the one to tell
                self.give_up_parts(key, upload_id)
            raise

    def read(self, key: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        if length == 0:
            return iter(())
        part = {} if not start and length is None else {"Range": _range(start, length)}
        try:
            with self._asking(_GET, "InvalidRange", "416"):
                answer = self._client.get_object(**self._at(key), **part)
        except _ExpectedError:  # it ends before this
            return iter(())
        is_part = answer["ResponseMetadata"]["HTTPStatusCode"] == 206
        return self._pieces(answer["Body"], *((0, None) if is_part or not part else (start, length)))

    def _pieces(self, body: Any, start: int, length: int | None) -> Iterator[bytes]:
        """Yield what comes; of a server that knows no ranges, only what was wanted."""
        with body, self._asking(_GET):
            for piece in body.iter_chunks(PIECE_BYTES):
                kept = piece[start : None if length is None else start + length]
                start = max(0, start - len(piece))
                length = None if length is None else length - len(kept)
                if kept:
                    yield kept
                if length == 0:
                    return

    def info(self, key: str) -> ObjectInfo | None:
        try:
            with self._asking(_GET):
                answer = self._client.head_object(**self._at(key))
        except ObjectMissing:
            self._require_bucket()
            return None
        tag = answer.get("ETag", "").strip('"').lower()
        is_md5 = bool(_MD5.fullmatch(tag)) and answer.get("ServerSideEncryption", "AES256") == "AES256"
        md5 = base64.b64encode(bytes.fromhex(tag)).decode() if is_md5 else ""
        return ObjectInfo(answer["ContentLength"], md5)

    def _require_bucket(self) -> None:
        """Tell a missing bucket from a missing object: answers to HEAD have no body that says which."""
        try:
            with self._asking(_LIST):
                self._client.head_bucket(Bucket=self.bucket.name)
        except ObjectMissing:
            raise StorageUnavailable(f"The bucket {self.bucket.name} does not exist.") from None

    def delete(self, keys: Collection[str]) -> None:
        delete_each(self._delete, keys)

    def _delete(self, key: str) -> None:
        try:
            with self._asking(_DELETE):
                self._client.delete_object(**self._at(key))
        except ObjectMissing:
            return

    def keys(self, older_than: datetime) -> Iterator[str]:
        pages = self._client.get_paginator("list_objects_v2")
        with self._asking(_LIST):
            for page in pages.paginate(Bucket=self.bucket.name, Prefix=self.bucket.prefix):
                found = ((each["Key"], each["LastModified"]) for each in page.get("Contents", ()))
                yield from select_keys(found, self.bucket.prefix, older_than)

    def download_url(self, key: str, *, name: str, content_type: str, inline: bool, expires_s: int) -> str:
        answer = {
            "ResponseContentDisposition": disposition(name, inline=inline),
            "ResponseContentType": content_type,
        }
        return self._signed("get_object", self._at(key) | answer, expires_s)

    def upload_url(self, key: str, *, md5: str, size_bytes: int | None, expires_s: int) -> SignedUpload:
        size = {} if size_bytes is None else {"ContentLength": size_bytes}
        url = self._signed("put_object", self._at(key) | {"ContentMD5": md5} | size, expires_s)
        return SignedUpload(url, {"Content-MD5": md5})

    def begin_parts(self, key: str) -> str:
        with self._asking(_PUT):
            return str(self._client.create_multipart_upload(**self._at(key))["UploadId"])

    def part_url(self, key: str, upload_id: str, number: int, *, md5: str, expires_s: int) -> SignedUpload:
        part = {"UploadId": upload_id, "PartNumber": number, "ContentMD5": md5}
        return SignedUpload(
            self._signed("upload_part", self._at(key) | part, expires_s), {"Content-MD5": md5}
        )

    def complete_parts(self, key: str, upload_id: str, parts: Sequence[tuple[int, str]]) -> None:
        parts = sorted((number, tag.strip('"').lower()) for number, tag in parts)
        if len({number for number, _tag in parts}) < max(len(parts), 1):
            raise Invalid("Name each part of the file once.")
        try:
            present = self._parts(key, upload_id)
        except _ExpectedError:
            if self.info(key) is not None:  # put together already: the answer was lost
                return
            raise Invalid("This upload in parts was completed, given up, or removed as abandoned.") from None
        for number, tag in parts:
            if number not in present:
                raise Invalid(f"Part {number} of this file has not been uploaded.")
            if tag not in present[number]:
                found = present[number][-1]
                raise Invalid(f"Part {number} has the ETag {found}, not {tag[:64]}. Upload it again.")
        self._complete(key, upload_id, parts)

    def _parts(self, key: str, upload_id: str) -> dict[int, list[str]]:
        """Return the ETags by number; SeaweedFS lists a part that came again as often as it came."""
        found: dict[int, list[str]] = {}
        pages = self._client.get_paginator("list_parts")
        with self._asking(_LIST_PARTS, "NoSuchUpload"):
            for page in pages.paginate(**self._at(key), UploadId=upload_id):
                for part in page.get("Parts", ()):
                    found.setdefault(part["PartNumber"], []).append(part["ETag"].strip('"').lower())
        return found

    def _complete(self, key: str, upload_id: str, parts: Sequence[tuple[int, str]]) -> None:
        named = {"Parts": [{"PartNumber": number, "ETag": tag} for number, tag in parts]}
        try:
            with self._asking(_PUT, "EntityTooSmall"):
                self._client.complete_multipart_upload(
                    **self._at(key), UploadId=upload_id, MultipartUpload=named
                )
        except _ExpectedError:
            raise Invalid("A part of this file is too small: all but the last need 5 MiB.") from None

    def give_up_parts(self, key: str, upload_id: str) -> None:
        try:
            with self._asking(_ABORT, "NoSuchUpload"):
                self._client.abort_multipart_upload(**self._at(key), UploadId=upload_id)
        except (_ExpectedError, ObjectMissing):
            return

    def _at(self, key: str) -> dict[str, Any]:
        return {"Bucket": self.bucket.name, "Key": self.bucket.prefix + key}

    def _signed(self, operation: str, parameters: dict[str, Any], expires_s: int) -> str:
        with self._asking(_GET):
            url = self._client.generate_presigned_url(operation, Params=parameters, ExpiresIn=expires_s)
        return str(url)

    @contextmanager
    def _asking(self, permission: str, *expected: str) -> Iterator[None]:
        """Raise what people understand; answers of the expected codes as `_ExpectedError`."""
        try:
            yield
        except ClientError as error:
            if code_of(error) in expected:
                raise _ExpectedError from error
            raise error_of(error, self.bucket.name, permission) from error
        except (BotoCoreError, HTTPClientError, OSError, ValueError, KeyError) as error:
            raise failure_of(error, self.bucket.name) from error


def _follow_no_redirect(context: dict[str, Any], **_: Any) -> None:
    """Say that a request was redirected already, so that boto3 does not: signed URLs would still name the wrong region.

    Following them it also asks without an end a server that redirects everything.
    """
    context["s3_redirect"] = {**context.get("s3_redirect", {}), "redirected": True}


@cache
def _session() -> Any:
    """Return what has read the description of S3: 0.3 s for the first client, 10 ms for the others."""
    return boto3.session.Session()


class _ExpectedError(Exception):
    """An answer that the caller knows what to do with."""


def _range(start: int, length: int | None) -> str:
    return f"bytes={start}-" if length is None else f"bytes={start}-{start + length - 1}"


def _client(bucket: S3Bucket, credentials: S3Credentials | None, timeouts: Timeouts) -> Any:
    """Return a client, which many threads may use.

    Checksums only where S3 demands them: servers that are not Amazon's refuse the newer ones.
    """
    config = Config(
        signature_version="s3v4",
        connect_timeout=timeouts.connect_s,
        read_timeout=timeouts.read_s,
        retries={"mode": "standard", "total_max_attempts": timeouts.tries},
        max_pool_connections=32,
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        ignore_configured_endpoint_urls=True,
        s3={"addressing_style": "virtual" if bucket.has_own_host else "path"},
        proxies={} if bucket.is_kept_outside else None,
    )
    keys = {} if credentials is None else {
        "aws_access_key_id": credentials.access_key,
        "aws_secret_access_key": credentials.secret_key,
        "aws_session_token": credentials.session_token or None,
    }  # fmt: skip
    with _session_lock:
        client = _session().client(
            "s3", region_name=bucket.region, endpoint_url=bucket.endpoint or None, config=config, **keys
        )
    client.meta.events.register("before-parameter-build.s3", _follow_no_redirect)
    manager = client._endpoint.http_session._manager
    (keep_outside if bucket.is_kept_outside else keep_deadlines)(manager)
    return client
