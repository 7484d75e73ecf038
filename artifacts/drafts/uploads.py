"""Where the files of drafts go: to addresses that expire, one for each file that the project does not hold yet."""

import binascii
import secrets
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from access.actor import Actor
from artifacts.contents import contents_named, hold_all, pin
from artifacts.drafts.direct_uploads import (
    announce,
    arrived_among,
    begin_parts,
    direct_bucket_id,
    sign,
    sign_part,
)
from artifacts.drafts.services import drafts_for
from artifacts.models import Content, DirectUpload, PartsUpload, Pin, Version
from common.errors import Conflict, DomainError, Gone, Invalid, NotFound
from runs.models import RefusedFile
from storage.buckets.services import backend_of
from storage.file_names import MAX_NAME, check_file_name
from storage.models import Blob
from storage.parts import MAX_PARTS, check_number
from storage.quota import require_quota
from storage.signed_urls import tickets

PURPOSE = "artifact-file"
MAX_FILES = 10_000
"""In one request."""


@dataclass(frozen=True, slots=True)
class FileSpec:
    """A file that a client wants to send."""

    version_pk: int
    path: str
    md5: str
    parts: Sequence[tuple[int, str]] = ()
    """Number and hexadecimal MD5 of each, if it would send it in parts."""


@dataclass(frozen=True, slots=True)
class UploadAddress:
    """Where the file goes: nowhere if the project has it, to one address, or its parts to several.

    An address is a path of this server, or a bucket's absolute URL with the headers to send there.
    """

    version: Version
    path: str
    put_url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    upload_key: str = ""
    part_urls: Sequence[tuple[int, str]] = field(default=())


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a request for addresses comes to, before any of them is signed."""

    actor: Actor
    drafts: dict[int, Version]
    held: set[tuple[int, str]]
    direct: dict[tuple[int, str], DirectUpload]
    """The files that go straight to a bucket, by draft and digest."""
    again: list[DirectUpload]
    """Those of them that clients ask about again."""


def addresses_for(*, actor: Actor, files: Sequence[FileSpec]) -> list[UploadAddress]:
    """Return where each of the files goes, in their order; what the project holds already is kept for the draft.

    Raises:
        Invalid: a name or a digest cannot be, or they are too many.
        NotFound: there is no such draft.
        Forbidden: the team may store no more.
        StorageUnavailable: the bucket that takes them does not answer.
    """
    if len(files) > MAX_FILES:
        raise Invalid(f"At most {MAX_FILES} files can be announced at once; these are {len(files)}.")
    named = [(file, check_file_name(file.path)) for file in files]
    for file in files:
        check_md5(file.md5)
    plan = _plan(actor, named)
    here = {(each.upload.version_id, each.upload.md5) for each in arrived_among(plan.again)}
    return [_address(plan, here, file, path) for file, path in named]


@transaction.atomic
def _plan(actor: Actor, named: Sequence[tuple[FileSpec, str]]) -> _Plan:
    files = [file for file, _path in named]
    pks = {file.version_pk for file in files}
    rows = Version.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=pks).order_by("pk")
    drafts = {version.pk: version for version in drafts_for(actor, rows)}
    if len(drafts) < len(pks):
        raise NotFound("This artifact doesn’t exist, or you don’t have access to it.")
    held = _already_here(drafts.values(), files)
    wanted: dict[int, list[tuple[Version, str, str]]] = defaultdict(list)
    for file, path in named:
        if (file.version_pk, file.md5) not in held:
            draft = drafts[file.version_pk]
            wanted[draft.project.team_id].append((draft, path, file.md5))
    plan = _Plan(actor, drafts, held, {}, [])
    for team_id, some in wanted.items():
        if (bucket_id := direct_bucket_id(team_id)) is not None:
            require_quota(team_id)  # no ticket asks it of what passes the server
            announced = announce(bucket_id, some)
            plan.direct.update(announced.uploads)
            plan.again.extend(announced.again)
    return plan


def check_md5(md5: str) -> str:
    """Return the digest if it is one.

    Raises:
        Invalid: not the base64 of an MD5.
    """
    try:
        size = len(b64decode(md5, validate=True))
    except (binascii.Error, ValueError):
        size = 0
    if size != 16 or len(md5) != 24:
        raise Invalid(f"“{md5[:64]}” is not an MD5 digest in base64.")
    return md5


def _in_base64(md5_hex: str) -> str:
    """Return a digest as buckets take it.

    Raises:
        Invalid: not an MD5 in hexadecimal.
    """
    try:
        return check_md5(b64encode(bytes.fromhex(md5_hex)).decode())
    except ValueError:
        raise Invalid(f"“{md5_hex[:64]}” is not an MD5 digest in hexadecimal.") from None


def _already_here(drafts: Iterable[Version], files: Sequence[FileSpec]) -> set[tuple[int, str]]:
    """Return (draft, digest) of what the drafts' projects hold, having pinned it."""
    found = set()
    for draft in drafts:
        wanted = {file.md5 for file in files if file.version_pk == draft.pk}
        named = contents_named(draft.collection.project_id, wanted)
        keys = [key for key, _size in named.values()]
        pin(draft.pk, keys)
        # the collector may have been faster: what is pinned now stays
        kept = set(Content.objects.filter(pk__in=Pin.objects.filter(version=draft).values("content_id"))
                   .filter(md5__in=list(named)).values_list("md5", flat=True)) if named else set()  # fmt: skip
        found |= {(draft.pk, md5) for md5 in kept}
    return found


def _address(plan: _Plan, here: set[tuple[int, str]], file: FileSpec, path: str) -> UploadAddress:
    draft, key = plan.drafts[file.version_pk], (file.version_pk, file.md5)
    if key in plan.held or key in here:
        return UploadAddress(draft, path)
    if len(file.parts) > MAX_PARTS:
        raise Invalid(f"A file can have at most {MAX_PARTS} parts; this one has {len(file.parts)}.")
    direct = plan.direct.get(key)
    if direct is not None and not (file.parts and not backend_of(direct.bucket_id).can_sign_parts):
        return _straight(draft, file, path, direct)
    if file.parts:
        return _in_parts(plan.actor, draft, file, path)
    return UploadAddress(
        draft, path, tickets.put_path(PURPOSE, **_ticket(plan.actor, draft, path), h=file.md5)
    )


def _straight(draft: Version, file: FileSpec, path: str, upload: DirectUpload) -> UploadAddress:
    """Return the address of a file in its bucket, or those of its parts."""
    if not file.parts:
        signed = sign(upload)
        return UploadAddress(draft, path, signed.url, signed.headers)
    upload = begin_parts(upload)
    addresses = [
        (number, sign_part(upload, check_number(number), _in_base64(md5)).url) for number, md5 in file.parts
    ]
    return UploadAddress(draft, path, upload_key=upload.key, part_urls=addresses)


def _ticket(actor: Actor, draft: Version, path: str) -> dict[str, Any]:
    """Return what the tickets of a file and of its parts have in common: their digests (``h``) differ."""
    return {"v": draft.pk, "n": path, tickets.TEAM: draft.project.team_id, **tickets.requested_by(actor)}


def _in_parts(actor: Actor, draft: Version, file: FileSpec, path: str) -> UploadAddress:
    upload, _ = PartsUpload.objects.get_or_create(
        version=draft, md5=file.md5, defaults={"key": secrets.token_hex(16), "path": path}
    )
    addresses = [
        (
            number,
            tickets.part_path(PURPOSE, upload.key, check_number(number), md5, **_ticket(actor, draft, path)),
        )
        for number, md5 in file.parts
    ]
    return UploadAddress(draft, path, upload_key=upload.key, part_urls=addresses)


def receive_file(ticket: dict[str, Any], blob: Blob) -> Content:
    """Take a file that arrived by ticket; part of the upload's transaction.

    Raises:
        Invalid: other bytes than were announced.
        Conflict: its version is committed.
        Gone: its draft was given up.
    """
    [taken] = receive_files([(ticket, blob)])
    if isinstance(taken, DomainError):
        raise taken
    return Content.objects.get(pk=taken)


def receive_files(uploads: Sequence[tuple[dict[str, Any], Blob]]) -> list[int | DomainError]:
    """Take files that arrived together, in a fixed number of statements for each draft.

    Returns the key of each one's content, or why it is not taken: see `receive_file`.
    """
    pks = {ticket["v"] for ticket, _blob in uploads}
    # locked, or a commit that ends meanwhile would leave the pin behind, and nobody collects what is pinned
    rows = Version.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=pks).order_by("pk")
    drafts = {version.pk: version for version in rows.select_related("collection__project")}
    refusals = [_refusal(ticket, blob, drafts.get(ticket["v"])) for ticket, blob in uploads]
    held: dict[tuple[int, str], int] = {}
    for draft in drafts.values():
        taken = [
            (ticket, blob)
            for (ticket, blob), refusal in zip(uploads, refusals, strict=True)
            if refusal is None and ticket["v"] == draft.pk
        ]
        contents = hold_all(draft.project, [blob for _ticket, blob in taken])
        pin(draft.pk, contents.values())
        if draft.run_id is not None:
            names = {name_on_run(draft, ticket["n"]) for ticket, _blob in taken}
            RefusedFile.objects.filter(run=draft.run_id, name__in=names).delete()
        held |= {(draft.pk, md5): pk for md5, pk in contents.items()}
    return [
        refusal or held[ticket["v"], blob.md5]
        for (ticket, blob), refusal in zip(uploads, refusals, strict=True)
    ]


def _refusal(ticket: dict[str, Any], blob: Blob, draft: Version | None) -> DomainError | None:
    if blob.md5 != ticket["h"]:
        return Invalid(
            f"The MD5 digest of “{ticket['n']}” is {blob.md5}, not {ticket['h']} as announced. It may have been cut off"
            " or changed while it was read."
        )
    if draft is None or draft.deleted_at is not None:
        return Gone(f"The draft of the file “{ticket['n']}” was given up.")
    if not draft.is_draft:
        return Conflict("This version is committed; its files cannot change.")
    return None


def name_on_run(version: Version, path: str) -> str:
    """Return how the page of the run that logs a version names a file of it."""
    return f"{version.collection.name}/{path}"[:MAX_NAME]
