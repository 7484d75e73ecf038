"""Logging artifacts: drafts, manifests, files, the commit; and using them."""

from typing import Any

from access.actor import Actor
from artifacts.access import ArtifactAction
from artifacts.drafts.commit import commit_version
from artifacts.drafts.manifests import PURPOSE as MANIFEST_PURPOSE
from artifacts.drafts.manifests import announce_manifest
from artifacts.drafts.parts import complete_parts, give_up_parts
from artifacts.drafts.services import Given, begin_version
from artifacts.drafts.uploads import FileSpec, UploadAddress, addresses_for
from artifacts.lineage.services import use_version
from artifacts.models import Manifest, ManifestKind, Version
from common.errors import Invalid, NotFound
from ingest.services import team_for
from runs.access import RunAction
from runs.models import Project, Run
from runs.projects.services import ensure_project
from runs.selectors import get_run_by_any_name
from storage.buckets.services import bucket_for
from storage.signed_urls import tickets
from storage.team_buckets.selectors import address_of
from wandb_api.artifacts.nodes import ENTRY, MANIFEST, VERSION, version_node
from wandb_api.graphql.bindings import mutation, query, root
from wandb_api.graphql.context import Context, Info
from wandb_api.graphql.global_ids import from_id, to_id
from wandb_api.resolvers.artifacts.rows import (
    shown_node,
    tag_names,
    ttl_given,
    version_of_client,
    version_with_id,
)

_ALGORITHM = "MANIFEST_MD5"
_DEFAULT_REGION = "default"
"""As SDKs name it where none was chosen."""


def _run(actor: Actor, given: dict[str, Any]) -> Run:
    """Return the run that an input names; what was offline and is synced names neither entity nor project."""
    entity = given["entityName"] or team_for(actor, None).name
    return get_run_by_any_name(actor, entity, given["projectName"] or "uncategorized", given["runName"])


def _project_and_run(actor: Actor, given: dict[str, Any]) -> tuple[Project, Run | None]:
    if given.get("runName"):
        run = _run(actor, given)
        return run.project, run
    team = team_for(actor, given["entityName"])
    return ensure_project(actor=actor, team=team, name=given["projectName"] or "uncategorized"), None


@root(mutation, "createArtifact", ArtifactAction.CREATE)
def resolve_create_artifact(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Begin a version, or find the one with the same files."""
    actor = info.context.actor
    if input["digestAlgorithm"] != _ALGORITHM:
        raise Invalid(f"The digest algorithm must be {_ALGORITHM}, not {input['digestAlgorithm']}.")
    names = [input.get("artifactCollectionName"), *(input.get("artifactCollectionNames") or [])]
    project, run = _project_and_run(actor, input)
    _check_region(project, input.get("storageRegion"))
    given = Given(
        type_name=input["artifactTypeName"],
        name=next(filter(None, names), ""),
        digest=input["digest"],
        description=input.get("description") or "",
        metadata=_metadata(input.get("metadata")),
        aliases=[alias["alias"] for alias in input.get("aliases") or []],
        tags=tag_names(input.get("tags")),
        ttl_s=ttl_given(input.get("ttlDurationSeconds")),
        history_step=input.get("historyStep"),
        client_id=input.get("clientID") or "",
        sequence_client_id=input.get("sequenceClientID") or "",
        distributed_id=input.get("distributedID") or "",
    )
    version = begin_version(actor=actor, project=project, run=run, given=given)
    return {
        "artifact": shown_node(info.context.actor, version),
        "clientMutationId": input.get("clientMutationId"),
    }


def _check_region(project: Project, named: str | None) -> None:
    """Refuse a region in which the project's files would not be stored.

    Raises:
        Invalid: there is no such region here.
    """
    if not named or named == _DEFAULT_REGION:
        return
    own = address_of(bucket_for(project.team_id)).region
    if named != own:
        here = " or ".join(filter(None, [_DEFAULT_REGION, own]))
        raise Invalid(f"invalid storageRegion: {named[:64]}. Files of this project are stored in {here}.")


def _metadata(text: str | None) -> str:
    """Return what is stored; SDKs up to 0.16 send ``null`` for none."""
    return "{}" if text in {None, "", "null"} else str(text)


def _upload(context: Context, manifest: Manifest) -> dict[str, Any]:
    path = tickets.put_path(
        MANIFEST_PURPOSE, m=manifest.pk, **{tickets.TEAM: manifest.version.project.team_id},
        **tickets.requested_by(context.actor),
    )  # fmt: skip
    file = {
        "id": to_id(MANIFEST, manifest.pk),
        "name": manifest.name,
        "displayName": manifest.name,
        "directUrl": context.absolute(path),
        "uploadUrl": context.absolute(path),
        "uploadHeaders": [],
    }
    return {"artifactManifest": {"id": to_id(MANIFEST, manifest.pk), "file": file}}


@root(mutation, "createArtifactManifest", ArtifactAction.CREATE)
def resolve_create_artifact_manifest(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Announce a manifest, and say where it is sent to."""
    actor = info.context.actor
    version = version_with_id(actor, input["artifactID"])
    manifest = announce_manifest(
        actor=actor,
        version=version,
        kind=ManifestKind(str(input["type"] or "FULL").lower()),
        name=input["name"],
        digest=input["digest"],
        base=_base(actor, input),
    )
    return _upload(info.context, manifest)


def _base(actor: Actor, input: dict[str, Any]) -> Version | None:
    """Return the version that a manifest changes, which the actor may download: its files become those of the draft."""
    return version_with_id(actor, input["baseArtifactID"]) if input.get("baseArtifactID") else None


@root(mutation, "updateArtifactManifest", ArtifactAction.CREATE)
def resolve_update_artifact_manifest(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Give an announced manifest its digest, and say where it is sent to."""
    actor = info.context.actor
    rows = Manifest.objects.select_related("version__collection__project__team")
    manifest = rows.filter(pk=from_id(MANIFEST, input["artifactManifestID"])).first()
    if manifest is None:
        raise NotFound("This manifest doesn’t exist, or its artifact was committed.")
    manifest = announce_manifest(
        actor=actor,
        version=version_with_id(actor, to_id(VERSION, manifest.version_id)),
        kind=ManifestKind(manifest.kind),
        name=manifest.name,
        digest=input.get("digest") or "",
        base=_base(actor, input),
        known=manifest,
    )
    return _upload(info.context, manifest)


@root(mutation, "createArtifactFiles", ArtifactAction.CREATE)
def resolve_create_artifact_files(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Say where each file goes, in the order of the request; null for what the project holds already."""
    asked = [
        FileSpec(
            from_id(VERSION, spec["artifactID"]),
            spec["name"],
            spec.get("md5") or spec.get("digest") or "",
            [(part["partNumber"], part["hexMD5"]) for part in spec.get("uploadPartsInput") or []],
        )
        for spec in input["artifactFiles"]
    ]
    addresses = addresses_for(actor=info.context.actor, files=asked)
    nodes = {address.version.pk: version_node(address.version) for address in addresses}
    edges = [
        {"node": _address_node(info.context, address, nodes[address.version.pk])} for address in addresses
    ]
    return {"files": {"edges": edges}}


def _absolute(context: Context, url: str) -> str:
    """Return a bucket's URL as it is, signed, and a path of ours with the name that the client knows us by."""
    return context.absolute(url) if url.startswith("/") else url


def _address_node(context: Context, address: UploadAddress, version: dict[str, Any]) -> dict[str, Any]:
    parts = [
        {"partNumber": number, "uploadUrl": _absolute(context, url)} for number, url in address.part_urls
    ]
    url = address.put_url or (address.part_urls[0][1] if address.part_urls else "")
    return {
        "id": to_id(ENTRY, 0),
        "name": address.path,
        "displayName": address.path,
        "storagePath": address.path,
        "uploadUrl": _absolute(context, url) if url else None,  # null means to SDKs that the bytes are there
        "uploadHeaders": [f"{name}:{value}" for name, value in address.headers.items()],
        "uploadMultipartUrls": {"uploadID": address.upload_key, "uploadUrlParts": parts} if parts else None,
        "artifact": version,
    }


@root(mutation, "completeMultipartUploadArtifact", ArtifactAction.CREATE)
def resolve_complete_multipart_upload(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Put the parts of a file together, or drop them."""
    actor, version = info.context.actor, version_with_id(info.context.actor, input["artifactID"])
    if input["completeMultipartAction"] == "Abort":
        give_up_parts(actor=actor, version=version, key=input["uploadID"])
        return {"digest": None}
    parts = [(part["partNumber"], part["hexMD5"]) for part in input["completedParts"]]
    return {"digest": complete_parts(actor=actor, version=version, key=input["uploadID"], parts=parts)}


@root(mutation, "commitArtifact", ArtifactAction.CREATE)
def resolve_commit_artifact(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Make a draft a version with a number."""
    actor = info.context.actor
    version = commit_version(actor=actor, version=version_with_id(actor, input["artifactID"]))
    return {"artifact": shown_node(info.context.actor, version)}


@root(mutation, "useArtifact", RunAction.LOG)
def resolve_use_artifact(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Record that a run uses a version."""
    actor = info.context.actor
    run = _run(actor, input)
    version = version_with_id(actor, input["artifactID"])
    use_version(actor=actor, run=run, version=version, used_as=input.get("usedAs") or "")
    return {"artifact": shown_node(info.context.actor, version)}


@root(query, "clientIDMapping", ArtifactAction.VIEW)
def resolve_client_id_mapping(_: Any, info: Info, clientID: str) -> dict[str, Any] | None:
    """Return the id of the version that a client named itself; null when it was never created."""
    version = version_of_client(info.context.actor, clientID)
    return None if version is None else {"serverID": to_id(VERSION, version.pk)}
