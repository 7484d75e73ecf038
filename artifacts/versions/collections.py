"""Finding and creating the type and the collection that a version goes into."""

from django.db import IntegrityError, transaction

from access.actor import Actor
from artifacts.models import ArtifactType, Collection, CollectionKind, Registry
from artifacts.names import check_name
from common.errors import Conflict, Invalid
from runs.models import Project


def ensure_type(project: Project, name: str, description: str = "") -> ArtifactType:
    """Return the project's type of this name, creating it if there is none."""
    name = check_name(name, "artifact type")
    found = ArtifactType.objects.filter(project=project, name=name).first()
    return (
        found
        or ArtifactType.objects.get_or_create(
            project=project, name=name, defaults={"description": description}
        )[0]
    )


def check_type_taken(project: Project, name: str) -> None:
    """Let pass types of versions that a project takes: a registry may be limited to some.

    Nobody removes the type from a limited registry until the transaction ends.

    Raises:
        Invalid: names the types that it takes.
    """
    registry = Registry.objects.filter(project=project, all_types_allowed=False).first()
    if registry is None:
        return
    types = ArtifactType.objects.filter(project=project)
    if types.select_for_update(no_key=True).filter(name=name).first() is None:
        taken = types.values_list("name", flat=True)
        raise Invalid(
            f"The registry {project.registry} takes versions of the types {', '.join(taken) or '(none)'}, not “{name}”."
        )


def ensure_collection(
    actor: Actor, project: Project, type_name: str, name: str, kind: CollectionKind
) -> Collection:
    """Return the project's collection of this name, locked, creating it and its type if there is none.

    Raises:
        Invalid: the name or the type cannot be, or the collection has another type.
        Conflict: the collection is of the other kind.
    """
    name = check_name(name, "artifact name")
    if project.is_registry and kind != CollectionKind.PORTFOLIO:
        raise Invalid(
            "A registry takes linked versions only. Log the artifact to a project, and link it into the registry."
        )
    collection = _live(project, name)
    if collection is None:
        type_ = ensure_type(project, type_name)
        try:
            with transaction.atomic():
                Collection.objects.create(
                    project=project, type=type_, kind=kind, name=name, created_by_id=actor.user_id
                )
        except IntegrityError:  # somebody else was faster
            pass
        collection = _live(project, name)
    if collection is None:
        raise Conflict(f"The collection “{name}” was deleted just now. Try again.")
    _check(collection, type_name, kind)
    return collection


def locked(collection_id: int) -> Collection:
    """Return a collection that nobody else changes until the transaction ends."""
    rows = Collection.objects.select_for_update(of=("self",)).select_related("project__team", "type")
    return rows.get(pk=collection_id)


def _live(project: Project, name: str) -> Collection | None:
    rows = Collection.objects.select_for_update(of=("self",)).filter(
        project=project, name=name, deleted_at__isnull=True
    )
    return rows.select_related("type", "project__team").first()


def _check(collection: Collection, type_name: str, kind: CollectionKind) -> None:
    if collection.type.name != check_name(type_name, "artifact type"):
        raise Invalid(
            f"The artifact “{collection.name}” already exists with the type “{collection.type.name}”, not"
            f" “{type_name}”. Use that type, or another name."
        )
    if collection.kind != kind:
        holds = (
            "linked versions only" if collection.kind == CollectionKind.PORTFOLIO else "logged versions only"
        )
        raise Conflict(f"The collection “{collection.name}” holds {holds}. Use another name.")
