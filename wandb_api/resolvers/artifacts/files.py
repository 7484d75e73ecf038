"""Files of versions, and their manifests: named to whoever sees the version, given to whoever may download it."""

from typing import Any

from django.db.models import Q, QuerySet

from access.actor import Actor
from artifacts.access import ArtifactAction, require_for
from artifacts.models import Entry, Version
from artifacts.selectors import entries_of, versions_seen
from common.errors import NotFound
from storage.signed_urls import tickets
from wandb_api.artifacts.nodes import MANIFEST, entry_node
from wandb_api.graphql.bindings import artifact_type, manifest_file_type, membership_type
from wandb_api.graphql.context import Info
from wandb_api.graphql.global_ids import to_id
from wandb_api.graphql.pagination import page_of

Node = dict[str, Any]
_MAX_PAGE = 10_000
MANIFEST_NAME = "wandb_manifest.json"


def _page(version: Version, info: Info, entries: QuerySet[Entry], given: dict[str, Any]) -> Node:
    """Return a page of files; the right to download is asked for once, with the first address."""
    asked: list[bool] = []

    def allow() -> None:
        if not asked:
            require_for(info.context.actor, ArtifactAction.DOWNLOAD, version)
            asked.append(True)

    def node(entry: Entry) -> Node:
        return {**entry_node(entry), "address": lambda: _address(info, entry, allow)}

    page = page_of(entries, node, after=given.get("after"), first=given.get("first"), most=_MAX_PAGE)
    return {**page, "totalCount": entries.count()}


def _address(info: Info, entry: Entry, allow: Any) -> str:
    """Return where the file is downloaded from: SDKs take a reference from where it says."""
    allow()
    if entry.content is None:
        return entry.reference
    name = entry.path
    return info.context.absolute(
        tickets.get_path(
            entry.content.blob, name=name, content_type=entry_node(entry)["mimetype"], download=True
        )
    )


@artifact_type.field("files")
def resolve_files(version: Node, info: Info, **given: Any) -> Node:
    """Return a page of a version's files and references by path."""
    row: Version = version["row"]
    return _page(row, info, entries_of(row, given.get("names")), given)


@membership_type.field("files")
def resolve_membership_files(place: Node, info: Info, **given: Any) -> Node:
    """Return a page of the files of the version at this place."""
    row: Version = place["row"].version
    return _page(row, info, entries_of(row, given.get("names")), given)


@artifact_type.field("filesByManifestEntries")
def resolve_files_by_entries(version: Node, info: Info, **given: Any) -> Node:
    """Return all the named files on one page."""
    row: Version = version["row"]
    wanted = [entry["name"] for entry in given.get("entries") or []]
    entries = entries_of(row, wanted) if wanted else entries_of(row)
    return _page(row, info, entries, {"first": _MAX_PAGE})


@artifact_type.field("currentManifest")
def resolve_manifest(version: Node, info: Info) -> Node | None:
    """Return the manifest of a committed version; null of a draft."""
    row: Version = version["row"]
    if row.manifest_id is None:
        return None
    file = {"row": row, "id": to_id(MANIFEST, row.manifest_id), "name": MANIFEST_NAME, "displayName": MANIFEST_NAME,
            "uploadUrl": None, "uploadHeaders": []}  # fmt: skip
    return {"id": to_id(MANIFEST, row.manifest_id), "file": file}


@manifest_file_type.field("directUrl")
def resolve_manifest_url(file: Node, info: Info) -> str:
    """Return where the manifest is downloaded from; while it is announced, where it is sent to."""
    if "directUrl" in file:
        return str(file["directUrl"])
    row: Version = file["row"]
    require_for(info.context.actor, ArtifactAction.DOWNLOAD, row)
    if row.manifest is None:
        raise NotFound("This version has no manifest any more.")
    return info.context.absolute(
        tickets.get_path(
            row.manifest.blob, name=MANIFEST_NAME, content_type="application/json", download=True
        )
    )


def entry_with_digest(actor: Actor, birth: Version, digest: str, name: str) -> Entry | None:
    """Return a live entry that has this digest, in a version or in one that took the file over from it.

    One that the actor may download comes first: anybody can say of a file of theirs that it came first with a version.
    """
    rows = Entry.objects.filter(version__in=Version.objects.live(), digest=digest, content__isnull=False)
    rows = rows.filter(Q(version=birth) | Q(birth_version_id=birth.pk)).select_related(
        "content__blob", "version"
    )
    allowed = rows.filter(version__in=versions_seen(actor, ArtifactAction.DOWNLOAD))
    return (
        allowed.filter(path__endswith=name).first()
        or allowed.first()
        or rows.filter(version=birth).first()
        or rows.first()
    )
