"""Registries as lists show them: what is in them, what they take, and what the viewer is there."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, Prefetch, Q, QuerySet, Value
from django.db.models.functions import Replace
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from artifacts.access import RegistryAction
from artifacts.models import ArtifactType, Registry, RegistryRole
from artifacts.registries.roles import roles_of
from artifacts.registries.selectors import counted
from runs.names.registries import MODEL_REGISTRY, PREFIX
from teams.models import Organization

_MOST = 500


@dataclass(frozen=True, slots=True)
class RegistryRow:
    """A registry in a list."""

    registry: Any
    """With ``collection_count``, ``version_count`` and ``last_linked_at``."""
    types: list[str]
    """What it takes; empty for all."""
    role_name: str
    """What the viewer is there; "" for nothing."""


@dataclass(slots=True)
class RegistryGroup:
    """The registries of an organization; or, without one, teams' own model registries."""

    organization: Organization | None = None
    can_create: bool = False
    rows: list[RegistryRow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DeletedRegistry:
    """A registry that can be restored."""

    key: int
    name: str
    collection_count: int
    deleted_at: datetime
    kept_until: datetime


def registry_rows(actor: Actor, registries: QuerySet[Registry]) -> list[RegistryRow]:
    """Return what a list shows of registries that the actor sees, in a fixed number of queries."""
    types = Prefetch("project__artifact_types", ArtifactType.objects.order_by("name"))
    found = list(counted(registries).prefetch_related(types)[:_MOST])
    roles = role_names(actor, found)
    return [RegistryRow(row, types_taken(row), roles.get(row.pk, "")) for row in found]


def role_names(actor: Actor, registries: list[Registry]) -> dict[int, str]:
    """Return what the viewer is called in each registry: who manages it without a role there is no registry admin."""
    roles = roles_of(actor, registries)
    admins = visible(actor, RegistryAction.PROTECT_ALIASES, Registry.objects.filter(pk__in=roles))
    of_the_registry = set(admins.values_list("pk", flat=True))
    return {
        pk: _("Admin") if role == RegistryRole.ADMIN and pk not in of_the_registry else str(role.label)
        for pk, role in roles.items()
    }


def types_taken(registry: Registry) -> list[str]:
    """Return the names of the types that a registry is limited to; none where it takes all."""
    return [] if registry.all_types_allowed else [one.name for one in registry.project.artifact_types.all()]


def matching(registries: QuerySet[Registry], text: str) -> QuerySet[Registry]:
    """Narrow to registries with each word in their name, description, organization or team."""
    registries = registries.alias(shown_name=Replace(F("project__name"), Value(PREFIX), Value("")))
    for word in text.split():
        registries = registries.filter(
            Q(shown_name__icontains=word)
            | Q(project__description__icontains=word)
            | Q(project__team__name__icontains=word)
        )
    return registries


def grouped(
    rows: list[RegistryRow], creatable: QuerySet[Organization], *, shows_empty: bool
) -> list[RegistryGroup]:
    """Return registries by organization, and teams' own ones last; each knows whether one can be created in it.

    Args:
        rows: Of any organizations and teams.
        creatable: The organizations in which the viewer may create registries.
        shows_empty: Whether those of them without a registry are listed, too.
    """
    may_create = {one.pk: one for one in creatable}
    found = {pk: RegistryGroup(one, can_create=True) for pk, one in may_create.items()} if shows_empty else {}
    of_teams = RegistryGroup()
    for row in rows:
        organization = row.registry.project.team.organization
        if row.registry.is_of_team or organization is None:
            of_teams.rows.append(row)
            continue
        group = found.setdefault(
            organization.pk, RegistryGroup(organization, can_create=organization.pk in may_create)
        )
        group.rows.append(row)
    ordered = sorted(found.values(), key=lambda group: group.organization.name if group.organization else "")
    return [*ordered, of_teams] if of_teams.rows else ordered


def creatable_in(actor: Actor) -> QuerySet[Organization]:
    """Return the organizations in which the actor may create registries."""
    rows = Organization.objects.filter(deleted_at__isnull=True)
    return visible(actor, RegistryAction.CREATE, rows).order_by("name")


def deleted_registries(actor: Actor) -> QuerySet[Registry]:
    """Return the deleted registries that the actor may restore, last deleted first."""
    since = timezone.now() - timedelta(days=settings.DELETED_KEPT_DAYS)
    rows = Registry.objects.filter(
        project__deleted_at__gt=since, project__team__deleted_at__isnull=True
    ).select_related("project__team__organization")
    return counted(visible(actor, RegistryAction.DELETE, rows)).order_by("-project__deleted_at")


def as_deleted(registry: Any) -> DeletedRegistry:
    """Return what the list of deleted registries shows of one, which has ``collection_count``."""
    at = registry.project.deleted_at or timezone.now()
    kept = timedelta(days=settings.DELETED_KEPT_DAYS)
    name = f"{registry.project.team.name} / {registry.name}"
    return DeletedRegistry(registry.pk, name, registry.collection_count, at, at + kept)


def model_code(team: str) -> str:
    """Return Python that links a first model into the model registry of a team."""
    return (
        "import wandb\n\n"
        f'with wandb.init(entity="{team}", project="my-project") as run:\n'
        '    run.link_model("model.safetensors", registered_model_name="my-model")\n'
    )


def linking_code(registry: Registry) -> str:
    """Return Python that links a first version into a registry."""
    team, project = registry.project.team.name, registry.project.name
    if project == MODEL_REGISTRY:
        return model_code(team)
    return (
        "import wandb\n\n"
        'with wandb.init(project="my-project") as run:\n'
        '    artifact = wandb.Artifact("my-model", type="model")\n'
        '    artifact.add_file("model.safetensors")\n'
        "    run.log_artifact(artifact)\n"
        f'    run.link_artifact(artifact, "{team}/{project}/my-model")\n'
    )
