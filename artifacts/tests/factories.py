"""Versions for tests, logged as clients log them: files held and pinned for a draft, a manifest, a commit."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from access.actor import SYSTEM, Actor
from artifacts.contents import hold, pin
from artifacts.drafts.commit import commit_version
from artifacts.drafts.manifests import announce_manifest, receive_manifest
from artifacts.drafts.services import Given, begin_version
from artifacts.drafts.uploads import receive_file
from artifacts.manifests.document import ManifestEntry, digest_of, write_manifest
from artifacts.models import Manifest, ManifestKind, Membership, Version
from runs.models import Project, Run
from storage.services import store_bytes


def md5_of(content: bytes) -> str:
    """Return the MD5 of bytes as the SDK writes it, in base64."""
    return b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()


def entries_for(
    files: Mapping[str, bytes], references: Mapping[str, str] | None = None
) -> list[ManifestEntry]:
    """Return what a manifest says of files, by path, and of references, address by path."""
    entries = [ManifestEntry(path, md5_of(content), len(content)) for path, content in files.items()]
    entries += [
        ManifestEntry(path, f"etag of {address}", None, reference=address)
        for path, address in (references or {}).items()
    ]
    return entries


def make_draft(
    project: Project,
    name: str = "model",
    files: Mapping[str, bytes] | None = None,
    *,
    type_name: str = "model",
    references: Mapping[str, str] | None = None,
    run: Run | None = None,
    by: Actor = SYSTEM,
    metadata: Mapping[str, Any] | None = None,
    aliases: Iterable[str] = (),
    tags: Iterable[str] = (),
    **given: Any,
) -> Version:
    """Return a draft whose files and manifest have come; or the committed version that has the same files.

    Args:
        files: Content by path.
        references: Address by path.
        by: Who logs it.
        given: Further fields of `Given`.
    """
    files = {"a.txt": b"hello\n"} if files is None else files
    entries = entries_for(files, references)
    wanted = Given(
        type_name=type_name, name=name, digest=given.pop("digest", digest_of(entries)),
        metadata=json.dumps(dict(metadata or {})), aliases=list(aliases), tags=list(tags), **given,
    )  # fmt: skip
    version = begin_version(actor=by, project=project, run=run, given=wanted)
    if version.is_draft:
        for path, content in files.items():
            send_file(version, path, content)
        send_manifest(version, write_manifest(entries), by=by)
    return version


def send_file(version: Version, path: str, content: bytes) -> None:
    """Upload a file of a draft."""
    with transaction.atomic():
        blob = store_bytes(content, version.project.team_id)
        receive_file({"v": version.pk, "n": path, "h": md5_of(content)}, blob)


def send_manifest(
    version: Version,
    document: bytes,
    *,
    kind: ManifestKind = ManifestKind.FULL,
    base: Version | None = None,
    by: Actor = SYSTEM,
) -> Manifest:
    """Upload a manifest of a draft."""
    manifest = announce_manifest(
        actor=by, version=version, kind=kind, name="wandb_manifest.json",
        digest=hashlib.md5(document, usedforsecurity=False).hexdigest(), base=base,
    )  # fmt: skip
    with transaction.atomic():
        receive_manifest({"m": manifest.pk}, store_bytes(document, version.project.team_id))
    manifest.refresh_from_db()
    return manifest


def make_version(
    project: Project, name: str = "model", files: Mapping[str, bytes] | None = None, **more: Any
) -> Version:
    """Return a committed version; what `make_draft` takes, this takes."""
    draft = make_draft(project, name, files, **more)
    return commit_version(actor=more.get("by", SYSTEM), version=draft)


def place_of(version: Version) -> Membership:
    """Return the place of a version in the collection that it was logged into."""
    return Membership.objects.select_related("collection__project__team", "version").get(
        version=version, collection=version.collection_id
    )


def hold_bytes(project: Project, content: bytes, *, pinned_by: Version | None = None) -> int:
    """Let a project hold bytes, and a draft keep them; returns the key of the content."""
    with transaction.atomic():
        content_row = hold(project, store_bytes(content, project.team_id))
        if pinned_by is not None:
            pin(pinned_by.pk, [content_row.pk])
    return content_row.pk
