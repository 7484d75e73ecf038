"""Reads of artifacts: they begin with `visible` and make a fixed number of queries."""

from collections.abc import Iterable

from django.db.models import Count, F, Min, Prefetch, Q, QuerySet

from access.actor import Actor
from access.engine import can, visible
from artifacts.access import ArtifactAction
from artifacts.models import (
    ArtifactType,
    Collection,
    Entry,
    Membership,
    Output,
    Use,
    Version,
)
from artifacts.names import version_number
from common.errors import NotFound
from runs.models import Project, Run


def collections_of(actor: Actor, project: Project) -> QuerySet[Collection]:
    """Return a project's live collections that the actor may see, with ``version_count``."""
    rows = Collection.objects.live().filter(project=project).select_related("type", "project__team")
    return counted(visible(actor, ArtifactAction.VIEW, rows))


def counted(collections: QuerySet[Collection]) -> QuerySet[Collection]:
    """Add ``version_count``, without versions that were deleted."""
    live = Q(memberships__version__deleted_at__isnull=True)
    return collections.annotate(version_count=Count("memberships", filter=live)).order_by("name", "pk")


def types_of(actor: Actor, project: Project) -> QuerySet[ArtifactType]:
    """Return the types of a project that have live collections; the caller may see the project."""
    if not can(actor, ArtifactAction.VIEW, project):
        return ArtifactType.objects.none()
    count = Count("collections", filter=Q(collections__deleted_at__isnull=True))
    return (
        ArtifactType.objects.filter(project=project).select_related("project__team")
        .annotate(collection_count=count).filter(collection_count__gt=0).order_by("name")
    )  # fmt: skip


def get_collection(actor: Actor, project: Project, name: str) -> Collection:
    """Return a live collection of a project.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    found = collections_of(actor, project).filter(name=name).first()
    if found is None:
        raise missing_artifact(f"{project.team.name}/{project.name}/{name}")
    return found


def missing_artifact(path: str) -> NotFound:
    """Return the refusal of an artifact that is not there or may not be seen."""
    return NotFound(f"The artifact {path} doesn’t exist, or you don’t have access to it.")


def with_versions(memberships: QuerySet[Membership]) -> QuerySet[Membership]:
    """Read with each place of a version what is shown of it, in a fixed number of queries."""
    related = (
        "collection__type", "collection__project__team", "version__collection__type",
        "version__collection__project__team", "version__created_by", "version__run__project__team",
        "version__manifest__blob",
    )  # fmt: skip
    everywhere = Membership.objects.select_related("collection__project__team").prefetch_related("aliases")
    return memberships.select_related(*related).prefetch_related(
        "aliases", "version__tags", Prefetch("version__memberships", everywhere)
    )


def memberships_of(collection: Collection) -> QuerySet[Membership]:
    """Return the places of a collection's live versions, newest first; the caller may see the collection."""
    rows = Membership.objects.filter(collection=collection, version__in=Version.objects.live())
    return with_versions(rows).order_by("-index")


def find_membership(collection: Collection, name: str) -> Membership | None:
    """Return the place that ``v3``, an alias or a digest names in a collection; the newest for an empty name."""
    rows = memberships_of(collection)
    number = version_number(name)
    if number is not None:
        return rows.filter(index=number).first()
    if not name:
        return rows.first()
    return rows.filter(aliases__name=name).first() or rows.filter(version__digest=name).first()


def get_membership(actor: Actor, project: Project, path: str) -> Membership:
    """Return the place that ``name:alias`` names in a project; ``name`` alone means its latest version.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    name, _, alias = path.partition(":")
    collection = get_collection(actor, project, name)
    found = find_membership(collection, alias or "latest")
    if found is None:
        raise missing_artifact(f"{project.team.name}/{project.name}/{path}")
    return found


def versions_seen(actor: Actor, action: ArtifactAction = ArtifactAction.VIEW) -> QuerySet[Version]:
    """Return the committed, live versions on which the actor may do this where they were logged or are linked."""
    own = visible(actor, action, Version.objects.live()).values("pk")
    portfolios = visible(actor, action, Collection.objects.live().filter(kind="portfolio"))
    linked = Membership.objects.filter(collection__in=portfolios)
    return Version.objects.live().filter(Q(pk__in=own) | Q(pk__in=linked.values("version_id")))


def own_memberships(versions: QuerySet[Version]) -> QuerySet[Membership]:
    """Return the places that versions have in the collections that they were logged into."""
    rows = Membership.objects.filter(version__in=versions, collection_id=F("version__collection_id"))
    return with_versions(rows)


def places_seen(actor: Actor, versions: QuerySet[Version]) -> QuerySet[Membership]:
    """Return one place of each version that the actor sees: where it was logged, or else where it is linked.

    Who sees a version by a link alone learns nothing of the project that it comes from.
    """
    own = visible(actor, ArtifactAction.VIEW, versions).order_by()
    portfolios = visible(actor, ArtifactAction.VIEW, Collection.objects.live().filter(kind="portfolio"))
    linked = Membership.objects.filter(collection__in=portfolios, version__in=versions.order_by())
    elsewhere = linked.exclude(version__in=own).order_by().values("version_id").annotate(first=Min("pk"))
    is_own = Q(version__in=own, collection_id=F("version__collection_id"))
    return Membership.objects.filter(is_own | Q(pk__in=elsewhere.values("first")))


def outputs_of(actor: Actor, run: Run) -> QuerySet[Membership]:
    """Return what a run logged, in its order, of what the actor may see: the run may have moved since."""
    places = places_seen(actor, Version.objects.live().filter(outputs__run=run))
    return with_versions(places).order_by("version__committed_at", "version_id")


def inputs_of(actor: Actor, run: Run) -> QuerySet[Membership]:
    """Return what a run used, of what the actor may see."""
    places = places_seen(actor, Version.objects.live().filter(uses__run=run))
    return with_versions(places).order_by("version_id")


def entries_of(version: Version, names: Iterable[str] | None = None, prefix: str = "") -> QuerySet[Entry]:
    """Return a version's entries by path; the caller may see the version."""
    rows = Entry.objects.filter(version=version).select_related("content__blob").order_by("path")
    if names is not None:
        rows = rows.filter(path__in=list(names))
    return rows.filter(path__startswith=prefix) if prefix else rows


def run_counts(versions: Iterable[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Return how many runs logged and used each of these versions."""
    pks = list(versions)
    rows = (
        dict(
            model.objects.filter(version_id__in=pks)
            .order_by()
            .values_list("version_id")
            .annotate(n=Count("pk"))
        )
        for model in (Output, Use)
    )
    logged, used = rows
    return logged, used
