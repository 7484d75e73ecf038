"""An organization with a team, a restricted registry, and a version logged where only the team sees it."""

from collections.abc import Callable

import pytest
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from artifacts.models import Registry, Version
from artifacts.registries import services
from artifacts.tests.factories import make_version
from runs.models import Project
from teams.models import Organization, Team
from tests.factories import TeamFactory


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def organization(team: Team) -> Organization:
    assert team.organization is not None
    return team.organization


@pytest.fixture
def chief(organization: Organization) -> User:
    return organization.members.get(role__preset=Preset.ORGANIZATION_ADMIN).user


@pytest.fixture
def registry(organization: Organization) -> Registry:
    return services.create_registry(actor=SYSTEM, organization=organization, name="shared", everyone_role="")


@pytest.fixture
def version(team: Team) -> Version:
    """A version logged where only the team sees it."""
    return make_version(Project.objects.create(team=team, name="source"))


@pytest.fixture
def signed_in(client: Client) -> Callable[[User], Client]:
    def sign_in(person: User) -> Client:
        client.force_login(person)
        return client

    return sign_in
