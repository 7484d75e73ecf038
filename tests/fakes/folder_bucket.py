"""A bucket in a folder, which fails on demand; what real providers answer is tested in `storage/tests/backends`."""

import base64
import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from storage.backends.base import ObjectInfo, ObjectMissing, StorageUnavailable
from storage.backends.settings import FOLDER
from storage.backends.unsigned import NoSignedUploads

PIECE = 1000
"""Bytes in which objects are read: few, so that tests see several."""


@dataclass
class FakeProvider:
    """Holds the buckets of a test in a folder, by name."""

    root: Path
    is_down: bool = False
    damage: bytes | None = None
    """What is read in place of an object."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """What was asked for: name of the method, and key."""

    def build(self, url: str, _credentials: Any, **_more: Any) -> "FolderBackend":
        """Return the backend of an address, in place of `storage.backends.settings.build_backend`."""
        parts = urlsplit(url)
        return FolderBackend(self, self.root / parts.netloc / parts.path.strip("/") / FOLDER)

    def objects(self) -> dict[str, bytes]:
        """Return everything in all buckets, by path."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }


class FolderBackend(NoSignedUploads):
    """The objects below one prefix."""

    can_sign_downloads = True

    def __init__(self, provider: FakeProvider, root: Path) -> None:
        self._provider, self._root = provider, root

    def _ask(self, method: str, key: str = "") -> Path:
        self._provider.asked.append((method, key))
        if self._provider.is_down:
            raise StorageUnavailable("The bucket does not answer.")
        return self._root / key

    def put(self, key: str, content: Path, *, md5: str) -> None:
        """Store."""
        path, data = self._ask("put", key), content.read_bytes()
        assert base64.b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode() == md5
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def read(self, key: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Open now, yield later."""
        path = self._ask("read", key)
        if not path.is_file():
            raise ObjectMissing(f"There is no object {key}.")
        data = path.read_bytes() if self._provider.damage is None else self._provider.damage
        part = data[start:] if length is None else data[start : start + length]
        return (part[place : place + PIECE] for place in range(0, len(part), PIECE))

    def info(self, key: str) -> ObjectInfo | None:
        """Look."""
        path = self._ask("info", key)
        return ObjectInfo(path.stat().st_size, "") if path.is_file() else None

    def delete(self, keys: Collection[str]) -> None:
        """Remove."""
        for key in keys:
            self._ask("delete", key).unlink(missing_ok=True)

    def keys(self, older_than: datetime) -> Iterator[str]:
        """List."""
        root = self._ask("keys")
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.stat().st_mtime < older_than.timestamp():
                yield path.relative_to(root).as_posix()

    def download_url(self, key: str, *, name: str, content_type: str, inline: bool, expires_s: int) -> str:
        """Sign."""
        self._ask("download_url", key)
        return f"https://bucket.example/{key}?name={name}&type={content_type}&inline={inline}&s={expires_s}"
