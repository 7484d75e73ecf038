"""What an archive holds of the artifacts of a project: what is said of them, their manifests, and each content once."""

from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from access.actor import Actor
from access.engine import can, visible
from artifacts.access import ArtifactAction
from artifacts.models import Collection, Content, Entry, Membership, Output, Use, Version
from artifacts.pages.addresses import path_of
from artifacts.selectors import collections_of, memberships_of, versions_seen
from common.formats.strict_json import strict_text
from exports.archive.writer import Archive
from runs.access import RunAction
from runs.models import Project, Run
from storage.contents.reading import content_of
from teams.models import Team

_AT_ONCE = 500


def write_artifacts(archive: Archive, actor: Actor, project: Project, place: str) -> None:
    """Write the artifacts of a project that the actor may see, and their files where they may download them."""
    collections = list(collections_of(actor, project).select_related("created_by").prefetch_related("tags"))
    archive.add_lines(f"{place}/collections.jsonl", map(about_collection, collections))
    sequences = [one for one in collections if one.is_sequence]
    portfolios = [one for one in collections if not one.is_sequence]
    archive.add_lines(f"{place}/versions.jsonl", _versions(actor, sequences))
    archive.add_lines(f"{place}/links.jsonl", links_of(actor, portfolios))
    if can(actor, ArtifactAction.DOWNLOAD, project):
        _write_files(archive, project, place)


def about_collection(row: Collection) -> dict[str, Any]:
    """Return what is said of a collection; its type, creator and tags are loaded."""
    return {
        "name": row.name,
        "type": row.type.name,
        "kind": row.kind,
        "description": row.description,
        "tags": [tag.name for tag in row.tags.all()],
        "ttl_s": row.ttl_s,
        "is_protected": row.is_protected,
        "created_at": row.created_at,
        "created_by": row.created_by.username if row.created_by else None,
    }


def _places(collections: Iterable[Collection]) -> Iterator[Sequence[Membership]]:
    """Yield the places of versions in collections, oldest first, some at once."""
    for collection in collections:
        rows = memberships_of(collection).order_by("index").iterator(chunk_size=_AT_ONCE)
        while places := list(islice(rows, _AT_ONCE)):
            yield places


def _versions(actor: Actor, sequences: Iterable[Collection]) -> Iterator[dict[str, Any]]:
    for places in _places(sequences):
        logged, used = _runs_of(actor, Output, places), _runs_of(actor, Use, places)
        for place in places:
            pk = place.version_id
            yield _version(place) | {"logged_by": logged.get(pk, []), "used_by": used.get(pk, [])}


def _version(place: Membership) -> dict[str, Any]:
    version = place.version
    return {
        "id": version.pk,
        "name": f"{place.collection.name}:{place.label}",
        "aliases": [alias.name for alias in place.aliases.all()],
        "tags": [tag.name for tag in version.tags.all()],
        "description": version.description,
        "metadata": strict_text(version.metadata_text),
        "digest": version.digest,
        "size_bytes": version.size_bytes,
        "file_count": version.file_count,
        "reference_count": version.reference_count,
        "ttl_s": version.ttl_s,
        "expires_at": version.expires_at,
        "is_protected": version.is_protected,
        "committed_at": version.committed_at,
        "created_by": version.created_by.username if version.created_by else None,
    }


def _runs_of(
    actor: Actor, relation: type[Output] | type[Use], places: Sequence[Membership]
) -> dict[int, list[str]]:
    """Return the runs that logged or used versions, as ``entity/project/id``, of those that the actor may see."""
    rows = relation._default_manager.filter(version__in=[place.version_id for place in places])
    seen = visible(actor, RunAction.VIEW, Run.objects.live()).values("pk")
    found: dict[int, list[str]] = {}
    names = ("version_id", "run__project__team__name", "run__project__name", "run__uid")
    for version_id, *path in rows.filter(run__in=seen).order_by("pk").values_list(*names):
        found.setdefault(version_id, []).append("/".join(path))
    return found


def links_of(
    actor: Actor, portfolios: Iterable[Collection], *, of_team: Team | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the links in portfolios; the version where it was logged is named to who sees it there.

    Args:
        actor: Who asks.
        portfolios: Collections of linked versions.
        of_team: Whose versions alone are told; None for all.
    """
    for found in _places(portfolios):
        places = found
        if of_team is not None:
            places = [place for place in found if place.version.project.team_id == of_team.pk]
        pks = [place.version_id for place in places]
        own = visible(actor, ArtifactAction.VIEW, versions_seen(actor).filter(pk__in=pks))
        seen = set(own.values_list("pk", flat=True))
        for place in places:
            yield {
                "name": f"{place.collection.name}:{place.label}",
                "aliases": [alias.name for alias in place.aliases.all()],
                "version": _source(place) if place.version_id in seen else None,
                "digest": place.version.digest,
                "linked_at": place.created_at,
            }


def _source(place: Membership) -> str:
    """Return the name of a linked version where it was logged."""
    version = place.version
    return path_of(
        next(one for one in version.memberships.all() if one.collection_id == version.collection_id)
    )


def _write_files(archive: Archive, project: Project, place: str) -> None:
    versions = Version.objects.live().filter(collection__project=project)
    for version in versions.select_related("manifest__blob").order_by("pk").iterator(chunk_size=_AT_ONCE):
        if version.manifest is not None:
            _add(archive, f"{place}/manifests/{version.pk}.json", version.manifest)
    for content in _contents(versions).iterator(chunk_size=_AT_ONCE):
        _add(archive, f"{place}/content/{b64decode(content.md5).hex()}", content)


def _contents(versions: QuerySet[Version]) -> QuerySet[Content]:
    """Return what versions name, each content once however many name it."""
    named = Entry.objects.filter(content=OuterRef("pk"), version__in=versions.values("pk"))
    return Content.objects.filter(Exists(named)).select_related("blob").order_by("pk")


def _add(archive: Archive, name: str, content: Content) -> None:
    try:
        archive.add_content(name, content_of(content.blob))
    except FileNotFoundError:  # collected since it was listed, or lost on the disk: the rest is worth having
        archive.missing.append(name)
