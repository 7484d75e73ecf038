"""The rows that ids and names of the wire mean, as far as the actor sees them."""

from typing import Any

from access.actor import Actor
from access.engine import can, visible
from artifacts.access import ArtifactAction
from artifacts.models import ClientId, Collection, Membership, Version
from artifacts.selectors import missing_artifact, own_memberships, versions_seen, with_versions
from artifacts.versions.time_to_live import FOR_EVER, INHERITED
from common.errors import Invalid, NotFound
from runs.models import Project
from runs.selectors import get_project_by_any_name
from wandb_api.artifacts.nodes import COLLECTION, VERSION, membership_node, version_node
from wandb_api.graphql.batch_loading import Siblings
from wandb_api.graphql.context import Info
from wandb_api.graphql.global_ids import from_id

_VERSION_RELATED = (
    "collection__type",
    "collection__project__team",
    "run__project__team",
    "created_by",
    "manifest__blob",
)


def project_named(info: Info, given: dict[str, Any]) -> Project:
    """Return the visible project that an input names."""
    return get_project_by_any_name(
        info.context.actor, given.get("entityName") or "", given.get("projectName") or "", registries=True
    )


def version_with_id(actor: Actor, text: str) -> Version:
    """Return a version in whatever state, which the services then check; for one that was merged, what it is now.

    Raises:
        NotFound: there is none that the actor may see.
    """
    rows = Version.objects.select_related(*_VERSION_RELATED)
    pk = from_id(VERSION, text)
    found = rows.filter(pk=pk).first()
    if found is not None and found.merged_into_id is not None:
        found = rows.filter(pk=found.merged_into_id).first()
    if found is not None and _is_seen(actor, found):
        return found
    raise missing_artifact(f"with the ID “{text}”")


def _is_seen(actor: Actor, version: Version) -> bool:
    own = Version.objects.filter(pk=version.pk)
    return (
        visible(actor, ArtifactAction.VIEW, own).exists()
        or versions_seen(actor).filter(pk=version.pk).exists()
    )


def place_of(version: Version) -> Membership | None:
    """Return the version's own place, with what a node shows; a draft has none."""
    return own_memberships(Version.objects.filter(pk=version.pk)).first()


def shown(version: Version) -> Version:
    """Return the version with what a node shows of it."""
    place = place_of(version)
    return place.version if place is not None else version


def is_source_hidden(actor: Actor, place: Membership) -> bool:
    """Say whether the actor sees a version at this place only, and not where it was logged."""
    source = place.version.collection
    return place.collection.project_id != source.project_id and not can(
        actor, ArtifactAction.VIEW, place.version
    )


def version_at(actor: Actor, place: Membership, siblings: Siblings | None = None) -> dict[str, Any]:
    """Return the node of the version at a place, with what the actor may know of where it was logged."""
    hidden = is_source_hidden(actor, place)
    return version_node(place.version, siblings, at=place, is_source_hidden=hidden)


def place_node(actor: Actor, place: Membership) -> dict[str, Any]:
    """Return the node of a place, with what the actor may know of where its version was logged."""
    return membership_node(place, is_source_hidden=is_source_hidden(actor, place))


def shown_node(actor: Actor, version: Version) -> dict[str, Any]:
    """Return the node of a version: at its own place, or at the first that the actor sees."""
    if version.is_draft or can(actor, ArtifactAction.VIEW, version):
        return version_node(shown(version))
    seen = visible(actor, ArtifactAction.VIEW, Collection.objects.live())
    place = (
        with_versions(Membership.objects.filter(version=version, collection__in=seen)).order_by("pk").first()
    )
    return version_node(shown(version)) if place is None else version_at(actor, place)


def version_of_client(actor: Actor, client_id: str) -> Version | None:
    """Return the version that a client gave this id, if the actor may see it."""
    rows = ClientId.objects.filter(client_id=client_id).order_by("-pk")
    for row in rows.select_related(*(f"version__{name}" for name in _VERSION_RELATED))[:20]:
        if _is_seen(actor, row.version):
            return row.version
    return None


def collection_with_id(actor: Actor, text: str) -> Collection:
    """Return a live collection that the actor may see.

    Raises:
        NotFound: there is none.
    """
    rows = Collection.objects.live().select_related("type", "project__team")
    found = visible(actor, ArtifactAction.VIEW, rows.filter(pk=from_id(COLLECTION, text))).first()
    if found is None:
        raise NotFound("This artifact collection doesn’t exist, or you don’t have access to it.")
    return found


def ttl_given(seconds: int | None) -> int | None:
    """Return the time to live that a client sent, as it is stored.

    Raises:
        Invalid: a number that means nothing.
    """
    if seconds is None or seconds == INHERITED:
        return None
    if seconds in {FOR_EVER, 0}:
        return 0
    if seconds < 0:
        raise Invalid(
            f"The time to live must be positive, {INHERITED} (inherited) or {FOR_EVER} (never), not {seconds}."
        )
    return seconds


def tag_names(given: list[dict[str, Any]] | None) -> list[str]:
    """Return the names of tags of an input."""
    return [tag["tagName"] for tag in given or []]
