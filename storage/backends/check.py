"""Whether a bucket does all that it will be asked to."""

import base64
import hashlib
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from common.errors import DomainError
from common.safe_http.deadlines import Deadline
from storage.backends.base import Backend, SignedUpload, StorageUnavailable

_PROBE = b"Runyard checks whether it may write, read, list and delete here. This can be deleted."
_WAIT_S = 30
_EXPIRES_S = 3600
"""Longer than clocks may differ."""


def check(backend: Backend, *, is_operators: bool = False) -> None:
    """Write, read, list and remove a probe, by every way that clients will take, too.

    Args:
        backend: What to check.
        is_operators: As for `storage.backends.settings.build_backend`.

    Raises:
        StorageUnavailable: it cannot be used; says which permission is missing, or what else.
        Invalid: it does something, but not what was asked.
    """
    key = f"00/00/probe-{secrets.token_hex(8)}"
    try:
        _check_server(backend, key)
        if backend.can_sign_downloads:
            _check_download(backend, key, is_operators=is_operators)
        backend.delete([key])
        if backend.info(key) is not None:
            raise StorageUnavailable("The bucket still has what was deleted.")
        if backend.can_sign_uploads:
            _check_upload(backend, key, is_operators=is_operators)
        if backend.can_sign_parts:
            _check_parts(backend, f"{key}-parts", is_operators=is_operators)
    finally:
        with suppress(DomainError):  # what went wrong before is what matters
            backend.delete([key, f"{key}-parts"])


def _check_server(backend: Backend, key: str) -> None:
    with _file(_PROBE) as (path, md5):
        backend.put(key, path, md5=md5)
    found = backend.info(key)
    if found is None or found.size_bytes != len(_PROBE):
        raise StorageUnavailable("The bucket does not have what was written.")
    if b"".join(backend.read(key)) != _PROBE:
        raise StorageUnavailable("The bucket has other bytes than were written.")
    if b"".join(backend.read(key, 8, 6)) != _PROBE[8:14]:
        raise StorageUnavailable("The bucket does not give parts of objects (Range).")
    if key not in backend.keys(datetime.now(UTC) + timedelta(days=1)):
        raise StorageUnavailable("The bucket does not list what was written.")


def _check_download(backend: Backend, key: str, *, is_operators: bool) -> None:
    url = backend.download_url(
        key, name="probe.txt", content_type="text/plain", inline=False, expires_s=_EXPIRES_S
    )
    _headers, content = _ask("GET", SignedUpload(url), is_operators=is_operators)
    if content != _PROBE:
        raise StorageUnavailable("The bucket gives other bytes by a signed URL than were written.")


def _check_upload(backend: Backend, key: str, *, is_operators: bool) -> None:
    upload = backend.upload_url(key, md5=_md5(_PROBE), size_bytes=len(_PROBE), expires_s=_EXPIRES_S)
    _ask("PUT", upload, _PROBE, is_operators=is_operators)
    if backend.info(key) is None:
        raise StorageUnavailable("The bucket does not have what was sent by a signed URL.")


def _check_parts(backend: Backend, key: str, *, is_operators: bool) -> None:
    upload_id = backend.begin_parts(key)
    try:
        part = backend.part_url(key, upload_id, 1, md5=_md5(_PROBE), expires_s=_EXPIRES_S)
        headers, _content = _ask("PUT", part, _PROBE, is_operators=is_operators)
        backend.complete_parts(key, upload_id, [(1, str(headers.get("ETag", "")))])
    finally:
        backend.give_up_parts(key, upload_id)


def _ask(
    method: str, signed: SignedUpload, content: bytes | None = None, *, is_operators: bool
) -> tuple[Mapping[str, str], bytes]:
    """Do what a client will do, and return the answer's headers and content, which is cut where it is too long.

    Raises:
        StorageUnavailable: the bucket refuses, cannot be reached, or takes too long.
    """
    from requests import RequestException, Session
    from urllib3.exceptions import HTTPError

    from common.safe_http.pools import refusal_in
    from common.safe_http.sessions import prepare

    with Deadline(_WAIT_S), Session() as session:
        prepare(session, is_kept_outside=not is_operators)
        try:
            answer = session.request(
                method, signed.url, data=content, headers=dict(signed.headers), timeout=_WAIT_S,
                allow_redirects=False, stream=True,
            )  # fmt: skip
            answered = answer.raw.read(2 * len(_PROBE), decode_content=True)
        except (RequestException, HTTPError) as error:
            why = refusal_in(error) or type(error).__name__
            raise StorageUnavailable(f"The bucket cannot be reached by signed URLs: {why}.") from error
    if answer.status_code >= 300:
        raise StorageUnavailable(
            f"The bucket refuses signed URLs: {method} was answered with {answer.status_code}."
        )
    return answer.headers, answered


@contextmanager
def _file(content: bytes) -> Iterator[tuple[Path, str]]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        yield Path(file.name), _md5(content)


def _md5(content: bytes) -> str:
    return base64.b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()
