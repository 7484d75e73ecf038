"""Drafts: versions whose files are coming. Everything here can be asked again without harm."""

from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from access.actor import Actor
from access.engine import require
from artifacts.access import ArtifactAction
from artifacts.models import (
    LATEST,
    ClientId,
    Collection,
    CollectionKind,
    Membership,
    Output,
    Version,
    VersionState,
)
from artifacts.names import MAX_NAME, check_aliases, check_tags
from artifacts.versions.aliases import move_aliases
from artifacts.versions.collections import ensure_collection
from artifacts.versions.tags import add_version_tags
from artifacts.versions.texts import MAX_DESCRIPTION, check_metadata
from common.errors import Conflict, Gone, Invalid
from common.formats.lenient_json import clean_text
from runs.access import RunAction
from runs.models import Project, Run


@dataclass(frozen=True, slots=True)
class Given:
    """What a client says of the version it begins to log."""

    type_name: str
    name: str
    digest: str
    description: str = ""
    metadata: str = "{}"
    aliases: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    ttl_s: int | None = None
    history_step: int | None = None
    client_id: str = ""
    sequence_client_id: str = ""
    distributed_id: str = ""
    base: Version | None = None


@transaction.atomic
def begin_version(*, actor: Actor, project: Project, run: Run | None, given: Given) -> Version:
    """Return the draft to send files for; or the committed version that has the same files already.

    Raises:
        Invalid: a name, the metadata or the time to live cannot be stored.
        Conflict: the collection holds linked versions only.
    """
    require(actor, ArtifactAction.CREATE, project)
    if run is not None:
        require(actor, RunAction.LOG, run)
    aliases, tags = _checked(given)
    collection = ensure_collection(actor, project, given.type_name, given.name, CollectionKind.SEQUENCE)
    version = _known(collection, given)
    if version is None:
        version = _create(actor, collection, run, given)
    _name(version, given)
    if version.is_draft:
        _remember(version, aliases, tags)
    else:
        take_again(actor, version, run, aliases, tags)
    return version


def _checked(given: Given) -> tuple[list[str], list[str]]:
    check_metadata(given.metadata)
    if len(given.description) > MAX_DESCRIPTION:
        raise Invalid(f"A description may have at most {MAX_DESCRIPTION} characters.")
    if not 0 < len(given.digest) <= 64:
        raise Invalid("The digest of an artifact must have 1 to 64 characters.")
    if max(map(len, (given.client_id, given.sequence_client_id, given.distributed_id))) > MAX_NAME:
        raise Invalid(f"Client IDs and distributed IDs may have at most {MAX_NAME} characters.")
    return check_aliases([*given.aliases, LATEST]), check_tags(given.tags)


def _known(collection: Collection, given: Given) -> Version | None:
    """Return what this request means: asked before, logged by others together, or files that are there already."""
    versions = Version.objects.filter(collection=collection, deleted_at__isnull=True).select_related(
        "merged_into"
    )
    if given.client_id:
        named = versions.filter(
            client_ids__client_id=given.client_id, client_ids__project=collection.project_id
        )
        found = named.first()
        if found is not None:
            return found.merged_into or found
    if given.distributed_id:
        found = versions.filter(distributed_id=given.distributed_id, state=VersionState.DRAFT).first()
        if found is not None:
            return found
    return same_files(collection, given.digest)


def same_files(collection: Collection, digest: str) -> Version | None:
    """Return the live version of a collection that has this digest."""
    return Version.objects.live().filter(collection=collection, digest=digest).order_by("pk").first()


def _create(actor: Actor, collection: Collection, run: Run | None, given: Given) -> Version:
    return Version.objects.create(
        collection=collection,
        digest=clean_text(given.digest),
        description=clean_text(given.description),
        metadata_text=clean_text(given.metadata),
        ttl_s=given.ttl_s,
        history_step=given.history_step,
        run=run,
        created_by_id=run.user_id if run and run.user_id else actor.user_id,
        distributed_id=clean_text(given.distributed_id),
        base=given.base,
    )


def _name(version: Version, given: Given) -> None:
    if given.client_id:
        ClientId.objects.get_or_create(
            client_id=given.client_id,
            project_id=version.collection.project_id,
            defaults={"version": version, "sequence_client_id": given.sequence_client_id},
        )


def _remember(version: Version, aliases: list[str], tags: list[str]) -> None:
    version.draft_aliases = list(dict.fromkeys([*version.draft_aliases, *aliases]))
    version.draft_tags = list(dict.fromkeys([*version.draft_tags, *tags]))
    version.save(update_fields=["draft_aliases", "draft_tags", "updated_at"])


def take_again(actor: Actor, version: Version, run: Run | None, aliases: list[str], tags: list[str]) -> None:
    """Let a committed version have what its files were logged with once more (ART-1).

    The alias ``latest`` comes to it, too, as the last that was logged.
    """
    own = Membership.objects.select_related("collection", "version").get(
        version=version, collection=version.collection_id
    )
    move_aliases(actor, own, aliases)
    add_version_tags(actor, version, tags)
    if run is not None:
        Output.objects.get_or_create(run=run, version=version)


def drafts_for(actor: Actor, versions: QuerySet[Version]) -> list[Version]:
    """Return drafts that the actor may send files for, in a fixed number of queries, and count them as under way.

    Raises:
        NotFound: the actor may not see their project.
        Gone: one of them was given up, or its project was deleted.
        Conflict: one of them is committed.
    """
    found = list(versions.select_related("collection__project__team", "collection__type", "run"))
    for project in {version.collection.project_id: version.project for version in found}.values():
        require(actor, ArtifactAction.CREATE, project)
    for version in found:
        if version.collection.deleted_at is not None or version.deleted_at is not None:
            raise Gone(f"The artifact “{version.collection.name}” was deleted.")
        if not version.is_draft:
            raise Conflict(
                f"This version of the artifact “{version.collection.name}” is committed; its files cannot change."
            )
        if version.run is not None:
            require(actor, RunAction.LOG, version.run)
        elif version.created_by_id != actor.user_id:
            require(actor, ArtifactAction.UPDATE, version)
    Version.objects.filter(pk__in=[version.pk for version in found]).update(updated_at=timezone.now())
    return found
