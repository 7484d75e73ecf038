"""Fixtures of buckets that tests of several apps ask for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from storage.buckets import services
from tests.fakes.folder_bucket import FakeProvider


@pytest.fixture
def bucket(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProvider]:
    """Let new content go to a bucket, and return who holds it."""
    provider = FakeProvider(tmp_path / "provider")
    monkeypatch.setattr(services, "build_backend", provider.build)
    settings.BLOB_ROOT, settings.STORAGE_CACHE_FOLDER = tmp_path / "blobs", tmp_path / "cache"
    settings.STORAGE_URL = "s3://files/runyard?region=eu-west-1"
    services.forget()
    yield provider
    services.forget()
