"""Buckets of every kind, as an operator's, which may lie on this machine."""

import base64
import hashlib
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from storage.backends.base import Backend
from storage.backends.settings import build_backend
from storage.backends.transfer import Timeouts
from tests.fakes.buckets import Bucket, BucketServer

TIMEOUTS = Timeouts(connect_s=30, read_s=120, tries=2)
"""As patient as a busy machine needs."""
QUICK = Timeouts(connect_s=2, read_s=1, tries=1)
"""Where no answer comes."""
NO_OTHERS: Mapping[str, str] = MappingProxyType({})
REMOTE = ["moto", "seaweedfs", "azurite", "gcs"]
S3 = ["moto", "seaweedfs"]
STRICT = ["seaweedfs", "azurite"]
"""Those that check signatures."""


class Store:
    """A backend, and how tests fill it."""

    def __init__(
        self, backend: Backend, folder: Path, server: BucketServer | None, bucket: Bucket | None
    ) -> None:
        self.backend, self._folder, self._server, self._bucket = backend, folder, server, bucket

    @property
    def server(self) -> BucketServer:
        assert self._server, "the data folder has no server"
        return self._server

    @property
    def bucket(self) -> Bucket:
        assert self._bucket, "the data folder is no bucket"
        return self._bucket

    def other(
        self, prefix: str = "", credentials: Mapping[str, str] = NO_OTHERS, timeouts: Timeouts = TIMEOUTS
    ) -> Backend:
        """Return a backend of the same bucket: of another prefix, by other credentials, or less patient."""
        bucket = self.bucket.below(prefix) if prefix else self.bucket
        return build_backend(
            bucket.url, {**bucket.credentials, **credentials}, is_operators=True, timeouts=timeouts
        )

    def put(self, content: bytes, key: str = "", backend: Backend | None = None) -> str:
        """Write an object and return its key."""
        key = key or new_key()
        (backend or self.backend).put(key, self.file(content), md5=md5(content))
        return key

    def file(self, content: bytes) -> Path:
        path = self._folder / secrets.token_hex(8)
        path.write_bytes(content)
        return path


def new_key() -> str:
    return f"ab/cd/{secrets.token_hex(16)}"


def md5(content: bytes) -> str:
    return base64.b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()


def hexadecimal(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


@pytest.fixture
def store_of(
    bucket_servers: Callable[[str], BucketServer], tmp_path: Path, settings: object
) -> Callable[[str], Store]:
    """Return what makes an empty store of a kind."""
    settings.BLOB_ROOT = tmp_path / "blobs"  # type: ignore[attr-defined] # pytest-django's wrapper takes any

    def make(kind: str) -> Store:
        if kind == "local":
            return Store(build_backend("", {}), tmp_path, None, None)
        server = bucket_servers(kind)
        bucket = server.shared_bucket.below(secrets.token_hex(4))
        backend = build_backend(bucket.url, bucket.credentials, is_operators=True, timeouts=TIMEOUTS)
        return Store(backend, tmp_path, server, bucket)

    return make


@pytest.fixture(params=["local", *REMOTE])
def store(request: pytest.FixtureRequest, store_of: Callable[[str], Store]) -> Store:
    """Return an empty store: all kinds, unless the test says which."""
    return store_of(request.param)
