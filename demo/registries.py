"""Registries of the demo's organization: models that teams share, and one in which few say what is in production."""

from access.actor import SYSTEM
from access.web.requests import actor_of_user
from accounts.models import User
from artifacts.models import Registry, RegistryRole, Version
from artifacts.registries import members, services
from artifacts.registries.selectors import get_registry
from artifacts.registries.services import RegistryChanges
from artifacts.versions.links import link_version
from automations.services import AutomationFields, create_automation
from demo.people import ORGANIZATION
from teams.models import Organization, Team

RESTRICTED = "production-models"
ABOUT = (
    "Models that serve customers. Whoever wants one in production asks a registry admin for `production`.\n"
)


def make_registries() -> None:
    """Share models and data, and keep what is in production in a restricted registry, with an automation."""
    versions = Version.objects.live().filter(
        collection__project__team__name="vision", collection__project__name="diffusion"
    )
    models = list(versions.filter(collection__name="unet").order_by("pk"))
    data = versions.filter(collection__name="discs").order_by("pk").last()
    organization = Organization.objects.filter(name=ORGANIZATION).first()
    if len(models) < 2 or data is None or organization is None:
        return
    shared, datasets = (get_registry(SYSTEM, ORGANIZATION, name) for name in ("model", "dataset"))
    _link(shared, models[:-1], "unet", ["reviewed"])
    _link(shared, models[-1:], "unet", ["candidate"])
    _link(datasets, [data], "discs", [])
    restricted = _restricted(organization)
    _automation(restricted)
    _link(restricted, models[-2:-1], "image-generation", ["production"])
    _link(restricted, models[-1:], "image-generation", ["staging"])


def _link(registry: Registry, versions: list[Version], name: str, aliases: list[str]) -> None:
    """Link versions one after the other; the last gets the aliases."""
    by = actor_of_user(User.objects.get(username="ada" if registry.is_restricted else "minseo"))
    for version in versions:
        given = aliases if version == versions[-1] else []
        link_version(actor=by, version=version, project=registry.project, name=name, aliases=given)


def _restricted(organization: Organization) -> Registry:
    ada = User.objects.get(username="ada")
    registry = services.create_registry(
        actor=actor_of_user(ada), organization=organization, name=RESTRICTED, description=ABOUT, everyone_role="",
        types=["model"],
    )  # fmt: skip
    changes = RegistryChanges(protected_aliases=["production"])
    services.update_registry(actor=actor_of_user(ada), registry=registry, changes=changes)
    for names, role in ((["priya"], RegistryRole.ADMIN), (["nadia"], RegistryRole.RESTRICTED_VIEWER)):
        users = User.objects.filter(username__in=names)
        members.add_members(actor=actor_of_user(ada), registry=registry, users=users, role=role)
    teams = Team.objects.live().filter(name="vision", organization=organization)
    members.add_members(actor=actor_of_user(ada), registry=registry, teams=teams, role=RegistryRole.MEMBER)
    return registry


def _automation(registry: Registry) -> None:
    """Keep a record of what goes into production; it sends nothing."""
    fields = AutomationFields(
        name="Into production", event="ADD_ARTIFACT_ALIAS", filter={"alias": {"$regex": "^production$"}},
        action="NO_OP", once_in_s=0, description="What was given the alias production, when and by whom.",
    )  # fmt: skip
    ada = actor_of_user(User.objects.get(username="ada"))
    create_automation(actor=ada, team=registry.project.team, project=registry.project, fields=fields)
