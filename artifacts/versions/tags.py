"""Tags of versions and of collections."""

from collections.abc import Iterable, Iterator

from access.actor import Actor
from artifacts.models import Collection, CollectionTag, Membership, Version, VersionTag
from artifacts.names import check_tags
from artifacts.participants import ArtifactChange, ArtifactEvent, Reach, happened


def add_version_tags(actor: Actor, version: Version, names: Iterable[str]) -> list[str]:
    """Give tags to a version; returns those that it did not have."""
    wanted = check_tags(names)
    had = set(VersionTag.objects.filter(version=version, name__in=wanted).values_list("name", flat=True))
    new = [name for name in wanted if name not in had]
    VersionTag.objects.bulk_create(
        [VersionTag(version=version, name=name) for name in new], ignore_conflicts=True
    )
    _tell(actor, ArtifactEvent.ADD_ARTIFACT_TAG, version, new)
    return new


def remove_version_tags(actor: Actor, version: Version, names: Iterable[str]) -> list[str]:
    """Take tags from a version; returns those that it had."""
    rows = VersionTag.objects.filter(version=version, name__in=list(names))
    gone = list(rows.values_list("name", flat=True))
    rows.delete()
    _tell(actor, ArtifactEvent.REMOVE_ARTIFACT_TAG, version, gone)
    return gone


def _tell(actor: Actor, event: ArtifactEvent, version: Version, names: list[str]) -> None:
    """Tell of tags in the collection of a version, and in all that it is linked into."""
    if not names:
        return
    for place, reach in _places_of(version):
        for name in names:
            happened(ArtifactChange(event, actor, place.collection, version, place.index, name, reach))


def _places_of(version: Version) -> Iterator[tuple[Membership, Reach]]:
    """Yield the places of a version, its own first, and whom an event concerns there that all have."""
    live = Membership.objects.filter(version=version, collection__in=Collection.objects.live())
    places = live.select_related("collection__project__team").order_by("pk")
    projects, teams = set(), set()
    for place in sorted(places, key=lambda place: place.collection_id != version.collection_id):
        project = place.collection.project
        reach = Reach.PROJECT if project.team_id in teams else Reach.TEAM
        yield place, Reach.COLLECTION if project.pk in projects else reach
        projects.add(project.pk)
        teams.add(project.team_id)


def add_collection_tags(actor: Actor, collection: Collection, names: Iterable[str]) -> list[str]:
    """Give tags to a collection; returns those that it did not have."""
    wanted = check_tags(names)
    had = set(
        CollectionTag.objects.filter(collection=collection, name__in=wanted).values_list("name", flat=True)
    )
    new = [name for name in wanted if name not in had]
    CollectionTag.objects.bulk_create(
        [CollectionTag(collection=collection, name=name) for name in new], ignore_conflicts=True
    )
    for name in new:
        happened(ArtifactChange(ArtifactEvent.ADD_COLLECTION_TAG, actor, collection, name=name))
    return new


def remove_collection_tags(actor: Actor, collection: Collection, names: Iterable[str]) -> list[str]:
    """Take tags from a collection; returns those that it had."""
    rows = CollectionTag.objects.filter(collection=collection, name__in=list(names))
    gone = list(rows.values_list("name", flat=True))
    rows.delete()
    for name in gone:
        happened(ArtifactChange(ArtifactEvent.REMOVE_COLLECTION_TAG, actor, collection, name=name))
    return gone
