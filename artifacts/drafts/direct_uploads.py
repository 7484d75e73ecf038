"""Files of drafts that clients send straight to a bucket, past the server (ART-7).

A signed address takes one content only: its MD5 is a part of the signature, and no two addresses name the same object.
Nobody tells the server that a file has come, so the commit asks the bucket for what its manifest names: what is
missing or another content is refused, and what the ledger counts is the size that the bucket says.
"""

import secrets
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from django.conf import settings
from django.db import transaction

from artifacts.contents import contents_named, hold_all, pin
from artifacts.models import DirectUpload, Version, VersionState
from common.errors import Invalid
from storage.backends.base import Backend, ObjectInfo, SignedUpload
from storage.buckets.services import backend_of, bucket_for
from storage.filesystem import new_location
from storage.models import Blob

_AT_ONCE = 500
_ASKED_AT_ONCE = 32
"""Requests to a bucket under way: 10,000 files are looked up in seconds."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """A file that its bucket holds."""

    upload: DirectUpload
    info: ObjectInfo


def direct_bucket_id(team_id: int) -> int | None:
    """Return the bucket to which clients send files of a team themselves; None where the server takes them."""
    bucket = bucket_for(team_id)
    return bucket.pk if bucket is not None and backend_of(bucket.pk).can_sign_uploads else None


@dataclass(frozen=True, slots=True)
class Announced:
    """The uploads of some files."""

    uploads: dict[tuple[int, str], DirectUpload] = field(default_factory=dict)
    """By draft and MD5."""
    again: list[DirectUpload] = field(default_factory=list)
    """Those that were announced before: some of the files may have come."""


def announce(bucket_id: int, files: Iterable[tuple[Version, str, str]]) -> Announced:
    """Return the uploads of some files (draft, path, MD5) to a bucket; call in a transaction.

    What was announced when the team had another bucket goes to this one instead.
    """
    wanted = {(draft.pk, md5): path for draft, path, md5 in files}
    rows = DirectUpload.objects.filter(version__in={version_id for version_id, _md5 in wanted})
    elsewhere = rows.exclude(bucket=bucket_id).values_list("pk", "version_id", "md5")
    if gone := [pk for pk, version_id, md5 in elsewhere if (version_id, md5) in wanted]:
        DirectUpload.objects.filter(pk__in=gone).delete()
    new = [
        DirectUpload(
            version_id=version_id, bucket_id=bucket_id, location=new_location(b64decode(md5).hex()), md5=md5, path=path,
            key=secrets.token_hex(16),
        )
        for (version_id, md5), path in wanted.items()
    ]  # fmt: skip
    DirectUpload.objects.bulk_create(new, ignore_conflicts=True, batch_size=_AT_ONCE)
    uploads = {key: row for row in rows.iterator() if (key := (row.version_id, row.md5)) in wanted}
    keys = {row.key for row in new}
    return Announced(uploads, [row for row in uploads.values() if row.key not in keys])


def begin_parts(upload: DirectUpload) -> DirectUpload:
    """Let a file come in parts; call outside of a transaction, since the bucket is asked."""
    if upload.parts_id:
        return upload
    backend = backend_of(upload.bucket_id)
    parts_id = backend.begin_parts(upload.location)
    if not DirectUpload.objects.filter(pk=upload.pk, parts_id="").update(parts_id=parts_id):
        backend.give_up_parts(upload.location, parts_id)  # another request was faster
    upload.refresh_from_db(fields=["parts_id"])
    return upload


def sign(upload: DirectUpload) -> SignedUpload:
    """Return where a whole file goes."""
    return backend_of(upload.bucket_id).upload_url(
        upload.location, md5=upload.md5, size_bytes=None, expires_s=settings.TICKET_UPLOAD_S
    )


def sign_part(upload: DirectUpload, number: int, md5: str) -> SignedUpload:
    """Return where a part of a file goes; its MD5 is in base64."""
    return backend_of(upload.bucket_id).part_url(
        upload.location, upload.parts_id, number, md5=md5, expires_s=settings.TICKET_UPLOAD_S
    )


def arrived_among(uploads: Sequence[DirectUpload]) -> list[Arrived]:
    """Return those of some files that their buckets hold, as they were announced; asks for many at once.

    Raises:
        StorageUnavailable: a bucket does not answer.
        Invalid: a bucket holds another content than was announced.
    """
    backends: Mapping[int, Backend] = {pk: backend_of(pk) for pk in {each.bucket_id for each in uploads}}
    with ThreadPoolExecutor(_ASKED_AT_ONCE) as pool:
        infos = list(pool.map(lambda each: backends[each.bucket_id].info(each.location), uploads))
    found = [Arrived(upload, info) for upload, info in zip(uploads, infos, strict=True) if info is not None]
    for upload, info in ((each.upload, each.info) for each in found):
        if info.md5 and info.md5 != upload.md5:
            raise Invalid(f"The MD5 digest of “{upload.path}” is {info.md5}, not {upload.md5} as announced.")
    return found


def take_arrived(version: Version, md5s: Iterable[str]) -> None:
    """Hold for a draft what its manifest names and has come straight to a bucket, and enter the sizes.

    What the project came to hold meanwhile is left to the sweep of strays. Call outside of a transaction.

    Raises:
        StorageUnavailable: a bucket does not answer.
        Invalid: a bucket holds another content than was announced.
    """
    uploads = list(DirectUpload.objects.filter(version=version))
    if uploads:
        named = set(md5s)
        held = contents_named(version.collection.project_id, named)
        _hold(
            version, arrived_among([each for each in uploads if each.md5 in named and each.md5 not in held])
        )


@transaction.atomic
def _hold(version: Version, arrived: Sequence[Arrived]) -> None:
    # locked, or a commit that ends meanwhile would leave the pins behind, and nobody collects what is pinned
    drafts = Version.objects.select_for_update(of=("self",), no_key=True).filter(pk=version.pk)
    if not drafts.filter(state=VersionState.DRAFT, deleted_at=None).exists():
        return
    held = contents_named(version.collection.project_id, [each.upload.md5 for each in arrived])
    new = [each for each in arrived if each.upload.md5 not in held]
    blobs = Blob.objects.bulk_create(
        (
            Blob(
                bucket_id=each.upload.bucket_id, md5=each.upload.md5, size_bytes=each.info.size_bytes,
                location=each.upload.location,
            )
            for each in new
        ),
        batch_size=_AT_ONCE,
    )  # fmt: skip
    pin(version.pk, hold_all(version.project, blobs).values())
    for start in range(0, len(new), _AT_ONCE):
        taken = [each.upload.pk for each in new[start : start + _AT_ONCE]]
        DirectUpload.objects.filter(pk__in=taken).delete()


def awaited(bucket_id: int, locations: Iterable[str]) -> list[str]:
    """Return those of some locations at which drafts expect files."""
    rows = DirectUpload.objects.filter(bucket=bucket_id, location__in=list(locations))
    return list(rows.values_list("location", flat=True))
