"""Segments in the installation's bucket, beside the folder of its blobs; copies of fresh ones are kept on the disk."""

import os
from collections.abc import Collection, Iterator
from datetime import datetime

from metrics.models import SegmentStore
from storage.backends.base import ObjectMissing, StorageUnavailable
from storage.backends.transfer import Timeouts
from storage.buckets.services import backend_of
from storage.contents import cache
from storage.filesystem import Incoming

FOLDER = "segments"
"""In the installation's folder: neither the sweep of blobs nor that of segments sees what is not its own."""
_TIMEOUTS = Timeouts(connect_s=3, read_s=15, tries=2)
"""Shorter than for files: somebody looks at a chart, or a post waits for what it is compared with."""
_LARGEST_COPY = 16 * 1024 * 1024


class BucketSegmentStorage:
    """Objects of a bucket. Made where the database may be asked; then threads that may not can use it, too."""

    store: SegmentStore = SegmentStore.BUCKET

    def __init__(self, bucket_id: int) -> None:
        self.bucket_id: int | None = bucket_id
        self._bucket_id = bucket_id
        self._backend = backend_of(bucket_id, FOLDER, _TIMEOUTS)

    def put(self, name: str, content: bytes, *, is_fresh: bool = True) -> None:
        """Send it by way of a temporary file, with its digest; what is fresh is soon merged, and looked at."""
        with Incoming() as incoming:
            received = incoming.finish(content)
            self._backend.put(_key(name), received.path, md5=received.md5)
            if is_fresh:
                cache.keep(self._bucket_id, _copy(name), received.path, received.size_bytes, _LARGEST_COPY)

    def read(self, name: str, start: int, length: int) -> bytes:
        """Read from the copy where there is one, else ask the bucket."""
        path = cache.kept(self._bucket_id, _copy(name))
        if path is not None:
            try:
                with path.open("rb") as file:
                    return os.pread(file.fileno(), length, start)
            except FileNotFoundError:  # it made room for another
                pass
        return self.read_stored(name, start, length)

    def read_stored(self, name: str, start: int, length: int) -> bytes:
        """Ask the bucket for the part alone."""
        try:
            content = b"".join(self._backend.read(_key(name), start, length))
        except ObjectMissing:
            raise FileNotFoundError(name) from None
        if len(content) != length:
            raise StorageUnavailable("The bucket gives less of a segment than was stored in it.")
        return content

    def size(self, name: str) -> int:
        """Ask the bucket."""
        info = self._backend.info(_key(name))
        if info is None:
            raise FileNotFoundError(name)
        return info.size_bytes

    def delete(self, names: Collection[str]) -> None:
        """Delete copies and objects."""
        for name in names:
            cache.drop(self._bucket_id, _copy(name))
        self._backend.delete([_key(name) for name in names])

    def names(self, older_than: datetime) -> Iterator[str]:
        """List the objects."""
        for key in self._backend.keys(older_than):
            yield key.rpartition("/")[2]


def _key(name: str) -> str:
    return f"{name[:2]}/{name}"


def _copy(name: str) -> str:
    """Return the location of its copy, which is none of a blob."""
    return f"{FOLDER}/{name}"
