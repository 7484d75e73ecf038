"""Where segments' bytes lie: files of the data folder, the database, the installation's bucket, or ClickHouse.

`settings.SEGMENT_STORE` says where new ones go, and the row of each where it lies. Content is written once and never
changed. What no row names is removed an hour later by `metrics.store.sweeping`, so that a reader that has just looked
into the index still finds it.
"""

import contextlib
import logging
import os
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from pathlib import Path
from typing import Protocol

from django.conf import settings
from django.db.models.functions import Length, Substr
from django.utils import timezone

from common.backups.deletion_lock import erasing
from common.errors import Invalid
from metrics.models import Segment, SegmentContent, SegmentStore
from metrics.store.clickhouse.storage import ClickHouseSegmentStorage
from metrics.store.segment_bucket import BucketSegmentStorage
from storage.backends.base import StorageUnavailable
from storage.buckets.services import default_bucket
from storage.filesystem import sync_folder
from storage.models import Bucket

logger = logging.getLogger(__name__)


class SegmentStorage(Protocol):
    """Stores bytes by name. All methods raise StorageUnavailable where a bucket or ClickHouse does not answer."""

    store: SegmentStore
    bucket_id: int | None

    def put(self, name: str, content: bytes, *, is_fresh: bool = True) -> None:
        """Store content; durable when this returns, or with the caller's transaction.

        Args:
            name: Never used before.
            content: All of it.
            is_fresh: Whether it will be read soon, so that a copy at hand is worth its room.
        """

    def read(self, name: str, start: int, length: int) -> bytes:
        """Return a part, perhaps from a copy at hand.

        Raises:
            FileNotFoundError: nothing of this name.
        """

    def read_stored(self, name: str, start: int, length: int) -> bytes:
        """Return a part as `read`, from where it lies and nowhere else."""

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

    store: SegmentStore = SegmentStore.FILES
    bucket_id: int | None = None

    def __init__(self) -> None:
        self.root = Path(settings.SEGMENT_ROOT)

    def _path(self, name: str) -> Path:
        return self.root / name[:2] / name

    def put(self, name: str, content: bytes, *, is_fresh: bool = True) -> None:
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

    def read_stored(self, name: str, start: int, length: int) -> bytes:
        """Read from the file."""
        return self.read(name, start, length)

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

    store: SegmentStore = SegmentStore.DATABASE
    bucket_id: int | None = None

    def put(self, name: str, content: bytes, *, is_fresh: bool = True) -> None:
        """Insert."""
        SegmentContent.objects.create(name=name, content=content, written_at=timezone.now())

    def read(self, name: str, start: int, length: int) -> bytes:
        """Read a part of the column."""
        rows = SegmentContent.objects.filter(name=name)
        part = rows.values_list(Substr("content", start + 1, max(1, length)), flat=True).first()
        if part is None:
            raise FileNotFoundError(name)
        return bytes(part)[:length]

    def read_stored(self, name: str, start: int, length: int) -> bytes:
        """Read a part of the column."""
        return self.read(name, start, length)

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


def _default_bucket_storage() -> SegmentStorage:
    bucket = default_bucket()
    if bucket is None:
        raise Invalid("Segments cannot lie in a bucket: RUNYARD_STORAGE_URL is not set.")
    return BucketSegmentStorage(bucket.pk)


STORAGES: dict[str, Callable[[], SegmentStorage]] = {
    "files": FileSegmentStorage,
    "database": DatabaseSegmentStorage,
    "bucket": _default_bucket_storage,
    "clickhouse": ClickHouseSegmentStorage,
}
"""By the words of RUNYARD_SEGMENTS."""


def configured_storage() -> SegmentStorage:
    """Return where new segments go.

    Raises:
        Invalid: into a bucket, and the settings name none.
    """
    return STORAGES[settings.SEGMENT_STORE]()


_WITHOUT_BUCKET: dict[SegmentStore, Callable[[], SegmentStorage]] = {
    SegmentStore.FILES: FileSegmentStorage,
    SegmentStore.DATABASE: DatabaseSegmentStorage,
    SegmentStore.CLICKHOUSE: ClickHouseSegmentStorage,
}


def storage_at(store: int, bucket_id: int | None) -> SegmentStorage:
    """Return the storage that a segment's row names."""
    if bucket_id is not None:
        return BucketSegmentStorage(bucket_id)
    return _WITHOUT_BUCKET[SegmentStore(store)]()


def storage_of(segment: Segment) -> SegmentStorage:
    """Return where a segment lies."""
    return storage_at(segment.store, segment.bucket_id)


def all_places() -> list[tuple[int, int | None]]:
    """Return, for `storage_at`, every place where segments may lie, or what is left of them: no buckets of teams."""
    own = Bucket.objects.filter(team=None, sealed_credentials="").order_by("pk")
    buckets = [(SegmentStore.BUCKET, pk) for pk in own.values_list("pk", flat=True)]
    clickhouse = [(SegmentStore.CLICKHOUSE, None)] if settings.CLICKHOUSE_URL else []
    return [(SegmentStore.FILES, None), (SegmentStore.DATABASE, None), *clickhouse, *buckets]


def discard(storage: SegmentStorage, names: Collection[str]) -> None:
    """Remove contents that no row names; what a bucket does not remove now, the sweep finds."""
    try:
        storage.delete(names)
    except StorageUnavailable as error:
        logger.warning("%d segments are left to the sweep: %s", len(names), error)
