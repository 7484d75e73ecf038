"""An organization with two teams, and a registry of its own into which a version of a team is linked."""

from dataclasses import dataclass

import pytest

from access.actor import SYSTEM
from accounts.models import User
from artifacts.models import Membership, Registry, RegistryRole
from artifacts.registries.members import add_members
from artifacts.registries.services import create_registry
from artifacts.tests.factories import make_version
from artifacts.versions.links import link_version
from teams.models import Organization, Team
from tests.factories import OrganizationFactory, ProjectFactory, TeamFactory, UserFactory, make_member
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests.asking import Asker


@dataclass(frozen=True)
class Acme:
    """The organization ``acme``; its registry ``shared`` is seen by all of it."""

    organization: Organization
    vision: Team
    """Whose project ``cats`` has the version that is linked as ``shared/net``."""
    ops: Team
    registry: Registry
    place: Membership

    @property
    def registry_id(self) -> str:
        """The registry's global id."""
        return to_id("Project", self.registry.project_id)

    @property
    def version_id(self) -> str:
        """The global id of the version."""
        return to_id("Artifact", self.place.version_id)

    def someone(self, role: str = "", name: str = "") -> Asker:
        """Return somebody of the team ``ops``, with a role of their own in the registry."""
        person = make_member(self.ops, username=name) if name else make_member(self.ops)
        if role:
            add_members(actor=SYSTEM, registry=self.registry, users=[person], role=role)
        return Asker(person)


@pytest.fixture
def acme(db: None) -> Acme:
    organization = OrganizationFactory(name="acme", admin=UserFactory(username="chief"))
    vision, ops = (TeamFactory(name=name, organization=organization) for name in ("vision", "ops"))
    registry = create_registry(
        actor=SYSTEM, organization=organization, name="shared", description="of all",
        everyone_role=RegistryRole.VIEWER,
    )  # fmt: skip
    version = make_version(
        ProjectFactory(team=vision, name="cats"), "whiskers", metadata={"accuracy": 0.9}, tags=["fine"]
    )
    place = link_version(
        actor=SYSTEM, version=version, project=registry.project, name="net", aliases=["best"]
    )
    return Acme(organization, vision, ops, registry, place)


@pytest.fixture
def chief(acme: Acme) -> Asker:
    """Return the organization's first admin, who has no role of their own in ``shared``."""
    return Asker(User.objects.get(username="chief"))
