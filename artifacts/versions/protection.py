"""Protected aliases: in a registry, some names of versions are given and taken by its admins alone (ART-5)."""

import unicodedata
from collections.abc import Iterable

from django.db.models import F, QuerySet

from access.actor import Actor
from access.engine import can, visible
from artifacts.access import ArtifactAction, RegistryAction
from artifacts.models import Alias, Collection, ProtectedAlias, Registry, Version
from common.errors import Conflict, Forbidden
from runs.models import Project


def protected_in(project: Project) -> frozenset[str]:
    """Return the names of a project's protected aliases: none, without a query, where it is no registry."""
    if not project.is_registry:
        return frozenset()
    return frozenset(ProtectedAlias.objects.filter(registry__project=project).values_list("name", flat=True))


def require_aliases(actor: Actor, collection: Collection, names: Iterable[str]) -> None:
    """Let pass whoever may give these aliases to a version of the collection, or take them away.

    Names that read like a protected one, "Production" beside "production", are protected, too.

    Raises:
        Forbidden: one is protected and the actor is no registry admin; the message names it.
    """
    if not collection.project.is_registry:
        return
    registry = collection.project.registry
    spellings = {_folded(name) for name in names}
    protected = ProtectedAlias.objects.filter(registry=registry)
    held = next((alias for alias in protected if _folded(alias.name) in spellings), None)
    if held is None or can(actor, RegistryAction.PROTECT_ALIASES, registry):
        return
    raise Forbidden(
        f"The alias “{held.name}” is protected in the registry {registry}: only a registry admin can give or"
        " take it.",
        action=RegistryAction.PROTECT_ALIASES,
        thing=registry,
    )


def require_to_rename(actor: Actor, collection: Collection) -> None:
    """Let pass whoever may take the collection's aliases from where people look for them, its name and type.

    Raises:
        Forbidden: one is protected and the actor is no registry admin; the message names it.
    """
    require_aliases(
        actor, collection, Alias.objects.filter(collection=collection).values_list("name", flat=True)
    )


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()


def protected_names(versions: QuerySet[Version]) -> QuerySet[Alias]:
    """Return the protected aliases that versions bear in registries that were not deleted."""
    rows = Alias.objects.filter(
        collection__project__registry__protected_aliases__name=F("name"),
        collection__project__deleted_at__isnull=True,
    )
    return rows.filter(membership__version__in=versions.order_by())


def refuse_protected_names(actor: Actor, versions: QuerySet[Version]) -> None:
    """Refuse to delete versions of which one bears a protected alias that the actor may not take.

    Raises:
        Conflict: names the alias and, to whoever sees it, the registry.
    """
    found = protected_names(versions)
    theirs = visible(actor, RegistryAction.PROTECT_ALIASES, Registry.objects.all()).values("project_id")
    held = found.exclude(collection__project__in=theirs).select_related("collection__project").first()
    if held is None:
        return
    where = "a registry"
    if can(actor, ArtifactAction.VIEW, held.collection):
        where = f"the registry {held.collection.project.registry} (“{held.collection.name}”)"
    raise Conflict(
        f"A version bears the protected alias “{held.name}” in {where}. A registry admin there must take it away first."
    )
