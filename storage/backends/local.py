"""The data folder, as a place of bytes like any other; `storage.filesystem` does the work."""

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from storage import filesystem
from storage.backends.base import ObjectInfo, ObjectMissing, StorageUnavailable
from storage.backends.transfer import md5_of, pieces_of, require_md5
from storage.backends.unsigned import NoSignedUploads


class LocalBackend(NoSignedUploads):
    """Keeps objects below `settings.BLOB_ROOT`. Its URLs are the server's own (`storage.signed_urls`)."""

    can_sign_downloads = False

    def put(self, key: str, content: Path, *, md5: str) -> None:
        require_md5(content, md5)
        target = filesystem.path_of(key)
        with _using_folder(), filesystem.Incoming() as incoming:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(content, incoming.path)
            with incoming.path.open("rb") as copied:
                os.fsync(copied.fileno())
            incoming.path.rename(target)
            filesystem.sync_folder(target.parent)

    def read(self, key: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        if self.info(key) is None:
            raise ObjectMissing("The data folder has no such object.")
        return self._pieces(key, start, length)

    def _pieces(self, key: str, start: int, length: int | None) -> Iterator[bytes]:
        with _using_folder():
            yield from pieces_of(filesystem.path_of(key), start, length)

    def info(self, key: str) -> ObjectInfo | None:
        path = filesystem.path_of(key)
        with _using_folder():
            try:
                return ObjectInfo(path.stat().st_size, md5_of(path))
            except FileNotFoundError:
                return None

    def delete(self, keys: Collection[str]) -> None:
        with _using_folder():
            for key in keys:
                filesystem.delete(key)

    def keys(self, older_than: datetime) -> Iterator[str]:
        with _using_folder():
            yield from filesystem.locations(older_than.timestamp())

    def download_url(
        self, key: str, *, name: str, content_type: str, inline: bool, expires_s: int
    ) -> NoReturn:
        self.refuse()


@contextmanager
def _using_folder() -> Iterator[None]:
    """Raise what callers of all backends know: a disk may be full, read-only, or gone."""
    try:
        yield
    except FileNotFoundError as error:
        raise ObjectMissing("The data folder has no such object.") from error
    except OSError as error:
        raise StorageUnavailable(f"The data folder cannot be used: {error.strerror}.") from error
