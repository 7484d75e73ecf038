"""Reads of registries: they begin with `visible` and make a fixed number of queries."""

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from access.actor import Actor
from access.engine import can, require, visible
from artifacts.access import RegistryAction
from artifacts.models import Collection, Membership, Registry
from artifacts.registries.services import ensure_model_registry, model_registries
from common.errors import Invalid, NotFound
from runs.access import ProjectAction
from runs.models import Project
from runs.names.registries import MODEL_REGISTRY, PREFIX, is_registry_name
from teams.access import OrganizationAction
from teams.models import Organization, Team, TeamKind


def registries_seen(actor: Actor) -> QuerySet[Registry]:
    """Return the registries that the actor may see, of all organizations and teams, by name."""
    rows = Registry.objects.filter(project__team__deleted_at__isnull=True)
    return (
        visible(actor, RegistryAction.VIEW, rows)
        .select_related("project__team__organization")
        .order_by("project__name", "pk")
    )


def registries_of(actor: Actor, organization: Organization) -> QuerySet[Registry]:
    """Return an organization's registries that the actor may see, by name."""
    return registries_seen(actor).filter(
        project__team__organization=organization, project__team__kind=TeamKind.ORGANIZATION
    )


def counted(registries: QuerySet[Registry]) -> QuerySet[Registry]:
    """Add ``collection_count``, ``version_count`` and ``last_linked_at``, of what is not deleted."""
    links = Membership.objects.filter(
        collection__project=OuterRef("project"), collection__deleted_at__isnull=True,
        version__deleted_at__isnull=True,
    ).order_by().values("collection__project")  # fmt: skip
    live = Collection.objects.filter(project=OuterRef("project"), deleted_at__isnull=True).order_by()
    counts = live.values("project").annotate(n=Count("pk")).values("n")
    return registries.annotate(
        collection_count=Coalesce(Subquery(counts), 0),
        version_count=Coalesce(Subquery(links.annotate(n=Count("pk")).values("n")), 0),
        last_linked_at=Subquery(links.annotate(at=Max("created_at")).values("at")),
    )


def get_registry(actor: Actor, entity: str, name: str) -> Registry:
    """Return a registry by the name of its organization or team, and its own, or a former one, with or without prefix.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    names, seen = {name, PREFIX + name}, registries_seen(actor).filter(project__team__name=entity)
    found = seen.filter(project__name__in=names).first()
    if found is None:  # what it was called before, unless another has taken the name
        found = (
            seen.filter(project__former_names__name__in=names).order_by("-project__former_names__pk").first()
        )
    if found is None:
        raise missing_registry(entity, name)
    return found


def missing_registry(entity: str, name: str) -> NotFound:
    """Return the refusal of a registry that is not there or may not be seen."""
    return NotFound(
        f"The registry {entity}/{name.removeprefix(PREFIX)} doesn’t exist, or you don’t have access to it."
    )


def get_organization(actor: Actor, name: str) -> Organization:
    """Return an organization that the actor belongs to, or of which they see a registry.

    Raises:
        NotFound: there is none, or nothing of it may be seen.
    """
    found = Organization.objects.filter(name=name, deleted_at__isnull=True).first()
    if found is not None and (
        can(actor, OrganizationAction.VIEW, found) or registries_of(actor, found).exists()
    ):
        return found
    raise NotFound(f"The organization “{name}” doesn’t exist, or you don’t have access to it.")


def link_target(actor: Actor, entity: str, project: str) -> Project | None:
    """Return the registry that a link names, as a project; None where an ordinary project is named.

    SDKs name an organization's registry with the organization's name; old ones with that of a team, or of a person
    who belongs to one organization. A team's model registry is created when it is first linked to.

    Raises:
        NotFound: there is no such registry, or the actor may not see it.
        Invalid: a person of several organizations, or of none, is named.
    """
    if not is_registry_name(project):
        return None
    team = Team.objects.entities().select_related("organization").filter(name=entity).first()
    if team is None:
        raise missing_registry(entity, project)
    if project == MODEL_REGISTRY:
        return _model_registry(actor, team).project
    home = team.organization or _only_organization(actor, team)
    return get_registry(actor, home.name, project).project


def can_begin_model_registry(actor: Actor, team: Team) -> bool:
    """Say whether a team, or a person, has no model registry yet, and the actor may create it."""
    if team.kind == TeamKind.ORGANIZATION or model_registries().filter(project__team=team).exists():
        return False
    return can(actor, ProjectAction.CREATE, team)


def _model_registry(actor: Actor, team: Team) -> Registry:
    registry = ensure_model_registry(actor=actor, team=team)
    require(actor, RegistryAction.VIEW, registry)
    return registry


def _only_organization(actor: Actor, team: Team) -> Organization:
    rows = Organization.objects.filter(members__user__claim=team.claim_id, deleted_at__isnull=True)
    found = list(rows[:2]) if actor.user_id is not None else []
    if len(found) != 1:
        many = "several organizations" if found else "no organization"
        raise Invalid(
            f"{team} belongs to {many}. Name the organization or a team of it: <organization>/{PREFIX}…/<collection>."
        )
    return found[0]
