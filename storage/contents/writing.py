"""Writing and removing stored content.

The bytes come first, then the row that names them; where they are removed, the row goes first.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from common.database.kept_queries import KeptQuery
from storage import filesystem
from storage.backends.base import StorageUnavailable
from storage.buckets.services import backend_of, bucket_for
from storage.contents import cache
from storage.models import Blob

logger = logging.getLogger(__name__)

Place = tuple[int | None, str]
"""Bucket, None for the data folder, and location."""
_AT_ONCE = 500


_in_folder = KeptQuery(lambda digest: Blob.objects.filter(bucket=None, digest=digest))
_in_bucket = KeptQuery(lambda bucket_id, digest: Blob.objects.filter(bucket=bucket_id, digest=digest))
_in_folder_at = KeptQuery(lambda location: Blob.objects.filter(bucket=None, location=location))
_in_bucket_at = KeptQuery(
    lambda bucket_id, location: Blob.objects.filter(bucket=bucket_id, location=location)
)


def stored_blob(bucket_id: int | None, digest: str) -> Blob | None:
    """Return the content of a digest in a bucket, None for the data folder, if it is there."""
    return _in_folder.first(digest) if bucket_id is None else _in_bucket.first(bucket_id, digest)


@dataclass(frozen=True, slots=True)
class PlacedContent:
    """Content in its lasting place, which no row names yet."""

    received: filesystem.ReceivedFile
    bucket_id: int | None
    location: str
    """"" where the same content was there already."""


def place(received: filesystem.ReceivedFile, team_id: int | None = None) -> PlacedContent:
    """Bring arrived content where new content of a team goes, or of no team; durable when this returns.

    Call it outside of a transaction.

    Raises:
        StorageUnavailable: the bucket does not take it; nothing is kept.
    """
    bucket = bucket_for(team_id)
    return place_in(received, bucket.pk if bucket is not None else None)


def place_in(received: filesystem.ReceivedFile, bucket_id: int | None) -> PlacedContent:
    """Bring arrived content to a bucket, None for the data folder; otherwise as `place`."""
    if stored_blob(bucket_id, received.digest) is not None:
        return PlacedContent(received, bucket_id, "")
    if bucket_id is None:
        return PlacedContent(received, None, filesystem.store(received))
    location = filesystem.new_location(received.digest)
    backend_of(bucket_id).put(location, received.path, md5=received.md5)
    cache.keep(bucket_id, location, received.path, received.size_bytes)
    return PlacedContent(received, bucket_id, location)


def is_bucket_used(team_id: int | None) -> bool:
    """Whether new content of a team, or of none, goes to a bucket."""
    return bucket_for(team_id) is not None


def drop_unless_named(place: Place) -> None:
    """Remove content whose transaction was undone: no row names it, so only the sweep of strays would find it."""
    bucket_id, location = place
    if location and not (
        _in_folder_at.first(location) if bucket_id is None else _in_bucket_at.first(bucket_id, location)
    ):
        delete([place])


def delete(places: Iterable[Place]) -> None:
    """Remove contents that no row names; what a bucket does not remove now, the sweep of strays finds."""
    of_buckets: dict[int, list[str]] = defaultdict(list)
    for bucket_id, location in places:
        if bucket_id is None:
            filesystem.delete(location)
        else:
            of_buckets[bucket_id].append(location)
    for bucket_id, locations in of_buckets.items():
        try:
            _delete_from(bucket_id, locations)
        except StorageUnavailable as error:
            logger.warning("%d objects are left to the sweep of strays: %s", len(locations), error)


def _delete_from(bucket_id: int, locations: list[str]) -> None:
    for location in locations:
        cache.drop(bucket_id, location)
    for start in range(0, len(locations), _AT_ONCE):
        backend_of(bucket_id).delete(locations[start : start + _AT_ONCE])
