"""Rows of artifacts as the plain fields of GraphQL objects. What costs a query of its own has a resolver instead."""

import mimetypes
from base64 import b64decode
from typing import Any

from artifacts.models import Alias, ArtifactType, Collection, CollectionKind, Entry, Membership, Version
from artifacts.versions.time_to_live import FOR_EVER, INHERITED
from runs.models import Project
from wandb_api.graphql.batch_loading import Siblings
from wandb_api.graphql.global_ids import to_id
from wandb_api.graphql.nodes import project_node

VERSION, COLLECTION, MEMBERSHIP, TYPE, ALIAS = (
    "Artifact", "ArtifactCollection", "ArtifactCollectionMembership", "ArtifactType", "ArtifactAlias",
)  # fmt: skip
MANIFEST, ENTRY, TAG = "ArtifactManifest", "ArtifactFile", "Tag"
_STATES = {"draft": "PENDING", "committed": "COMMITTED", "merged": "DELETED"}


def type_node(row: ArtifactType, project: Project) -> dict[str, Any]:
    """Return a type of a project."""
    return {
        "row": row,
        "project_row": project,
        "id": to_id(TYPE, row.pk),
        "name": row.name,
        "description": row.description or None,
        "createdAt": row.created_at,
    }


def collection_node(row: Collection) -> dict[str, Any]:
    """Return a collection, a sequence or a portfolio; its type and project are loaded."""
    is_sequence = row.kind == CollectionKind.SEQUENCE
    type_ = type_node(row.type, row.project)
    return {
        "row": row,
        "__typename": "ArtifactSequence" if is_sequence else "ArtifactPortfolio",
        "id": to_id(COLLECTION, row.pk),
        "name": row.name,
        "description": row.description or None,
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
        "state": "READY" if row.deleted_at is None else "DELETED",
        "project": project_node(row.project),
        "defaultArtifactType": type_,
        "type": type_,
        "digestAlgorithm": "MANIFEST_MD5",
    }


def tag_nodes(rows: Any) -> list[dict[str, Any]]:
    """Return tags of a version or a collection."""
    return [{"id": to_id(TAG, row.pk), "name": row.name, "tagCategoryName": ""} for row in rows]


def alias_node(row: Alias, collection: Collection) -> dict[str, Any]:
    """Return an alias; its membership is loaded."""
    return {"id": to_id(ALIAS, row.pk), "alias": row.name, "artifactCollection": collection_node(collection)}


def aliases_at(place: Membership) -> list[dict[str, Any]]:
    """Return the aliases of a version in one collection: its number is one of them, as SDKs up to 0.16 want it."""
    collection = collection_node(place.collection)
    given = [(to_id(ALIAS, alias.pk), alias.name) for alias in place.aliases.all()]
    named = [*given, (to_id(MEMBERSHIP, place.pk), place.label)]
    return [{"id": pk, "alias": name, "artifactCollection": collection} for pk, name in named]


def membership_node(
    place: Membership, siblings: Siblings | None = None, *, is_source_hidden: bool = False
) -> dict[str, Any]:
    """Return the place of a version in a collection, read by `artifacts.selectors.with_versions`."""
    return {
        "row": place,
        "id": to_id(MEMBERSHIP, place.pk),
        "versionIndex": place.index,
        "createdAt": place.created_at,
        "aliases": aliases_at(place),
        "artifactCollection": collection_node(place.collection),
        "artifact": version_node(place.version, siblings, at=place, is_source_hidden=is_source_hidden),
    }


def version_node(
    version: Version,
    siblings: Siblings | None = None,
    *,
    at: Membership | None = None,
    is_source_hidden: bool = False,
) -> dict[str, Any]:
    """Return a version, whose places, tags, run and manifest are loaded.

    Args:
        version: The row.
        siblings: Other versions of the answer.
        at: The place by which the reader came to it, for the aliases there.
        is_source_hidden: The reader may not see where it was logged: the place stands for that, too.
    """
    places = list(version.memberships.all()) if not version.is_draft else []
    own = next((place for place in places if place.collection_id == version.collection_id), None)
    if own is not None:
        own.collection = version.collection  # which is loaded with more than those it is linked into
    if is_source_hidden and at is not None:
        own = at
    collection = own.collection if own else version.collection
    siblings = siblings or Siblings()
    siblings.add(version.collection.project.team_id)
    shown = {place.pk: place for place in (own, at) if place is not None}
    return {
        "row": version,
        "siblings": siblings,
        "is_source_hidden": is_source_hidden,
        "id": to_id(VERSION, version.pk),
        "artifactSequence": {**collection_node(collection), "__typename": "ArtifactSequence"},
        "versionIndex": own.index if own else None,
        "artifactType": type_node(collection.type, collection.project),
        "description": version.description or None,
        "tags": tag_nodes(version.tags.all()),
        "historyStep": version.history_step,
        "state": "DELETED" if version.deleted_at else _STATES[version.state],
        "size": version.size_bytes,
        "digest": version.digest,
        "digestAlgorithm": "MANIFEST_MD5",
        "commitHash": str(version.manifest_id) if version.manifest_id else None,
        "fileCount": version.file_count + version.reference_count,
        "createdAt": version.committed_at or version.created_at,
        "updatedAt": version.updated_at,
        "aliases": [alias for place in shown.values() for alias in aliases_at(place)],
    }


def ttl_of(version: Version, inherited_s: int) -> tuple[int, bool]:
    """Return (seconds as SDKs read them, whether they are inherited)."""
    if version.ttl_s is None:
        return inherited_s or INHERITED, True
    return version.ttl_s or FOR_EVER, False


def _hex_of(digest: str) -> str:
    """Return a file's MD5 in hexadecimal, as addresses have it; empty where a client sent none."""
    try:
        return b64decode(digest).hex()
    except ValueError:
        return ""


def entry_node(entry: Entry) -> dict[str, Any]:
    """Return one file of a version, or a reference of it."""
    is_file = entry.content_id is not None
    return {
        "row": entry,
        "id": to_id(ENTRY, entry.pk),
        "name": entry.path,
        "displayName": entry.path,
        "sizeBytes": entry.size_bytes or 0,
        "size": entry.size_bytes or 0,
        "storagePath": f"wandb_artifacts/{entry.version_id}/{_hex_of(entry.digest)}" if is_file else None,
        "mimetype": mimetypes.guess_type(entry.path)[0] or "application/octet-stream",
        "updatedAt": None,
        "digest": entry.digest,
        "md5": entry.digest if is_file else None,
    }
