"""People with roles in a registry, and what the tests of its pages share."""

from typing import Any

from django.contrib.messages import get_messages

from access.actor import SYSTEM
from accounts.models import User
from artifacts.models import Registry, RegistryRole, Version
from artifacts.registries import members, services
from artifacts.registries.services import RegistryChanges
from artifacts.versions.links import link_version
from teams.models import Team
from tests.factories import TeamFactory, make_member

ADMIN, MEMBER, VIEWER, RESTRICTED = (
    RegistryRole.ADMIN,
    RegistryRole.MEMBER,
    RegistryRole.VIEWER,
    RegistryRole.RESTRICTED_VIEWER,
)


def person_with(registry: Registry, role: str, team: Team | None = None) -> User:
    """Return somebody of the organization, of no team, with a role in the registry; none for ""."""
    organization = registry.project.team.organization
    person = make_member(team or TeamFactory(organization=organization))
    if role:
        members.add_members(actor=SYSTEM, registry=registry, users=[person], role=role)
    return person


def linked(registry: Registry, version: Version, name: str = "best", *aliases: str) -> Any:
    return link_version(actor=SYSTEM, version=version, project=registry.project, name=name, aliases=aliases)


def messages_of(answer: Any) -> str:
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


def protect(registry: Registry, *names: str) -> None:
    services.update_registry(
        actor=SYSTEM, registry=registry, changes=RegistryChanges(protected_aliases=list(names))
    )
