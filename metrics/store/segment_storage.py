"""Where segments' bytes lie: files of the data folder, or the database where no folder is shared by all processes.

Content is written once and never changed. What no row names is removed an hour later by
`metrics.store.compaction.sweep`, so that a reader that has just looked into the index still finds it.
"""

import contextlib
import os
from collections.abc import Collection, Iterable
from datetime import datetime
from pathlib import Path
from typing import Protocol

from django.conf import settings
from django.db.models.functions import Length, Substr
from django.utils import timezone

from common.backups.deletion_lock import erasing
from metrics.models import SegmentContent
from storage.filesystem import sync_folder


class SegmentStorage(Protocol):
    """Stores bytes by name."""

    def put(self, name: str, content: bytes) -> None:
        """Store content; durable when this returns, or with the caller's transaction."""

    def read(self, name: str, start: int, length: int) -> bytes:
        """Return a part.

        Raises:
            FileNotFoundError: nothing of this name.
        """

    def size(self, name: str) -> int:
        """Return the length of a content.

        Raises:
            FileNotFoundError: nothing of this name.
        """

    def delete(self, names: Collection[str]) -> None:
        """Remove contents; a missing one is as good as a removed one."""

    def names(self, older_than: datetime) -> Iterable[str]:
        """Return what was written before a time."""


class FileSegmentStorage:
    """Files below settings.SEGMENT_ROOT, in folders by the first letters of their names."""

    def __init__(self) -> None:
        self.root = Path(settings.SEGMENT_ROOT)

    def _path(self, name: str) -> Path:
        return self.root / name[:2] / name

    def put(self, name: str, content: bytes) -> None:
        """Write beside the place, flush to the disk, move there."""
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".part")
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
        sync_folder(path.parent)

    def read(self, name: str, start: int, length: int) -> bytes:
        """Read from the file."""
        file = os.open(self._path(name), os.O_RDONLY)
        try:
            return os.pread(file, length, start)
        finally:
            os.close(file)

    def size(self, name: str) -> int:
        """Ask the file system."""
        return self._path(name).stat().st_size

    def delete(self, names: Collection[str]) -> None:
        """Unlink; what a backup still reads is left to the sweep."""
        with erasing() as allowed:
            if allowed:
                for name in names:
                    self._path(name).unlink(missing_ok=True)

    def names(self, older_than: datetime) -> Iterable[str]:
        """Walk the folders; what a killed writer left counts, too."""
        for path in self.root.glob("*/*"):
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime < older_than.timestamp():
                    yield path.name


class DatabaseSegmentStorage:
    """Rows of `SegmentContent`; every column read is a statement of its own, so charts are slower than from files."""

    def put(self, name: str, content: bytes) -> None:
        """Insert."""
        SegmentContent.objects.create(name=name, content=content, written_at=timezone.now())

    def read(self, name: str, start: int, length: int) -> bytes:
        """Read a part of the column."""
        rows = SegmentContent.objects.filter(name=name)
        part = rows.values_list(Substr("content", start + 1, max(1, length)), flat=True).first()
        if part is None:
            raise FileNotFoundError(name)
        return bytes(part)[:length]

    def size(self, name: str) -> int:
        """Ask the database."""
        length = SegmentContent.objects.filter(name=name).values_list(Length("content"), flat=True).first()
        if length is None:
            raise FileNotFoundError(name)
        return int(length)

    def delete(self, names: Collection[str]) -> None:
        """Delete the rows."""
        SegmentContent.objects.filter(name__in=names).delete()

    def names(self, older_than: datetime) -> Iterable[str]:
        """List the names."""
        return SegmentContent.objects.filter(written_at__lt=older_than).values_list("name", flat=True)


def configured_storage() -> SegmentStorage:
    """Return what settings.SEGMENT_STORE names."""
    return DatabaseSegmentStorage() if settings.SEGMENT_STORE == "database" else FileSegmentStorage()
