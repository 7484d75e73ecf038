"""Manifests of drafts: announced, uploaded, and read together at the commit."""

from typing import Any

from django.db import transaction

from access.actor import Actor
from artifacts.access import ArtifactAction, require_for
from artifacts.contents import hold, pin
from artifacts.drafts.services import drafts_for
from artifacts.manifests.document import (
    MAX_BYTES,
    ManifestEntry,
    check_entries,
    digest_of,
    read_manifest,
)
from artifacts.manifests.ids import to_version_id
from artifacts.models import Entry, Manifest, ManifestKind, Version
from common.errors import Conflict, Gone, Invalid, TooLarge
from common.formats.lenient_json import clean_text
from storage.contents.reading import content_of
from storage.models import Blob

PURPOSE = "artifact-manifest"
MAX_MANIFESTS = 10_000


@transaction.atomic
def announce_manifest(
    *,
    actor: Actor,
    version: Version,
    kind: ManifestKind,
    name: str,
    digest: str,
    base: Version | None,
    known: Manifest | None = None,
) -> Manifest:
    """Return the manifest of a draft that a client is going to upload.

    A draft has one full or incremental manifest, however often it is announced, and one patch for each announcement:
    several writers send theirs at once. ``known`` is announced anew, with its digest.
    """
    if base is not None:
        require_for(actor, ArtifactAction.DOWNLOAD, base)
    [version] = drafts_for(actor, Version.objects.select_for_update(of=("self",)).filter(pk=version.pk))
    found = known or _announced(version, kind)
    if found is None:
        return Manifest.objects.create(
            version=version, kind=kind, base=base, name=clean_text(name)[:128], digest=clean_text(digest)[:64]
        )
    found.base, found.digest = base or found.base, clean_text(digest)[:64]
    found.save(update_fields=["base", "digest", "updated_at"])
    return found


def _announced(version: Version, kind: ManifestKind) -> Manifest | None:
    rows = Manifest.objects.filter(version=version)
    if kind != ManifestKind.PATCH:
        return rows.filter(kind=kind).first()
    if rows.count() >= MAX_MANIFESTS:
        raise Invalid(f"A distributed artifact can have at most {MAX_MANIFESTS} manifests.")
    return None


def receive_manifest(ticket: dict[str, Any], blob: Blob) -> None:
    """Take a manifest that arrived by ticket; part of the upload's transaction.

    Raises:
        Conflict: its version is committed.
        Gone: its draft was given up.
        TooLarge: too large to be read.
    """
    if blob.size_bytes > MAX_BYTES:
        raise TooLarge(f"A manifest may have at most {MAX_BYTES} bytes; this one has {blob.size_bytes}.")
    manifest = Manifest.objects.filter(pk=ticket["m"]).select_related("version__collection__project").first()
    if manifest is None:
        raise Gone("The draft of this manifest was committed or given up.")
    version = Version.objects.select_for_update().get(pk=manifest.version_id)
    if not version.is_draft:
        raise Conflict("This version is committed; its manifest cannot change.")
    content = hold(manifest.version.project, blob)
    pin(version.pk, [content.pk])
    manifest.content = content
    manifest.save(update_fields=["content", "updated_at"])


def manifests_of(version: Version) -> list[Manifest]:
    """Return what a draft's writers have sent."""
    rows = Manifest.objects.filter(version=version, content__isnull=False)
    return list(rows.select_related("content__blob", "base").order_by("pk"))


def entries_of(version: Version, manifests: list[Manifest]) -> tuple[dict[str, ManifestEntry], str]:
    """Return what a draft consists of, and its digest: its one manifest, or its base and patches put together.

    Raises:
        Invalid: a manifest is missing or cannot be read, or together they make no version.
        Gone: the base was removed meanwhile, and its entries with it.
    """
    kinds = {manifest.kind for manifest in manifests}
    if not manifests:
        raise Invalid("The manifest of this artifact has not been uploaded; upload it before the commit.")
    whole = [manifest for manifest in manifests if manifest.kind == ManifestKind.FULL]
    if whole and ManifestKind.PATCH not in kinds:
        return _read(whole[-1]), version.digest
    base = next((manifest.base for manifest in manifests if manifest.base is not None), version.base)
    if base is not None and base.purge_began_at is not None:
        raise Gone("The version that this artifact changes was removed; log all of its files anew.")
    entries = entries_in(base) if base is not None else {}
    for manifest in manifests:
        entries.update(_read(manifest))
    check_entries(entries)
    return entries, digest_of(entries.values())


def _read(manifest: Manifest) -> dict[str, ManifestEntry]:
    if manifest.content is None:
        return {}
    return read_manifest(content_of(manifest.content.blob).read_bytes())


def entries_in(version: Version) -> dict[str, ManifestEntry]:
    """Return what a committed version consists of."""
    rows = Entry.objects.filter(version=version).values_list(
        "path", "digest", "size_bytes", "reference", "extra", "birth_version_id"
    )
    return {
        path: ManifestEntry(path, digest, size, reference, extra, to_version_id(birth) if birth else "")
        for path, digest, size, reference, extra, birth in rows.iterator(chunk_size=5000)
    }
