"""Rows for tests, made by the services, so that names are claimed and every person has a personal team.

``UserFactory()``, ``RunFactory(project=project, user=user)``, ... give a row; what a test does not name is made up.
The fixtures are ``member_of`` and ``api_key``; `tests.fixtures` passes them on to every test.
"""

import base64
from collections.abc import Callable, Iterable
from typing import Any

import factory
import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.db import transaction
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM, Actor
from access.web.requests import actor_of_user
from accounts.api_keys import services as key_services
from accounts.lifecycle import services as accounts
from accounts.mail import outbox
from accounts.models import User
from alerts.destinations.services import create_webhook
from alerts.models import Destination, Secret
from alerts.secrets.services import store_secret
from runs.files.services import receive_run_file
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Project, Run, RunFile
from runs.projects import services as projects
from storage.services import store_bytes
from teams.members import services as members
from teams.models import Organization, OrganizationMember, Role, RoleGrant, ServiceAccount, Team, Visibility
from teams.organizations.services import create_organization
from teams.roles.builtin import built_in
from teams.service_accounts.services import create_service_account
from teams.teams.services import create_team

PASSWORD = "correct horse battery"


class UserFactory(factory.Factory[User]):
    """A person with a verified address and a personal team; the password is ``PASSWORD``."""

    class Meta:
        model = User

    username = factory.Sequence(lambda number: f"user{number}")
    email = factory.LazyAttribute(lambda user: f"{user.username.lower()}@example.com")
    password = PASSWORD

    @classmethod
    def _create(cls, model_class: type[User], *args: Any, **kwargs: Any) -> User:
        return accounts.create_user(actor=SYSTEM, **kwargs)


class OrganizationFactory(factory.Factory[Organization]):
    """An organization with its first admin."""

    class Meta:
        model = Organization

    name = factory.Sequence(lambda number: f"organization{number}")
    admin = factory.SubFactory(UserFactory)

    @classmethod
    def _create(cls, model_class: type[Organization], *args: Any, **kwargs: Any) -> Organization:
        return create_organization(actor=SYSTEM, **kwargs)


class TeamFactory(factory.Factory[Team]):
    """A team of an organization with its first admin."""

    class Meta:
        model = Team

    name = factory.Sequence(lambda number: f"team{number}")
    organization = factory.SubFactory(OrganizationFactory)
    admin = factory.SubFactory(UserFactory)

    @classmethod
    def _create(cls, model_class: type[Team], *args: Any, **kwargs: Any) -> Team:
        return create_team(actor=SYSTEM, **kwargs)


class ServiceAccountFactory(factory.Factory[ServiceAccount]):
    """A service account; give it a ``team`` or an ``organization``."""

    class Meta:
        model = ServiceAccount

    label = factory.Sequence(lambda number: f"bot{number}")

    @classmethod
    def _create(cls, model_class: type[ServiceAccount], *args: Any, **kwargs: Any) -> ServiceAccount:
        return create_service_account(actor=SYSTEM, **kwargs)


class ProjectFactory(factory.Factory[Project]):
    """A project of a team."""

    class Meta:
        model = Project

    name = factory.Sequence(lambda number: f"project{number}")
    team = factory.SubFactory(TeamFactory)
    visibility = Visibility.TEAM

    @classmethod
    def _create(cls, model_class: type[Project], *args: Any, **kwargs: Any) -> Project:
        return projects.create_project(actor=SYSTEM, **kwargs)


class RunFactory(factory.Factory[Run]):
    """A running run of ``user``; ``fields`` are those of `RunFields`."""

    class Meta:
        model = Run

    project = factory.SubFactory(ProjectFactory)
    uid = factory.Sequence(lambda number: f"run{number}")
    user = factory.SubFactory(UserFactory)

    @classmethod
    def _create(cls, model_class: type[Run], *args: Any, **kwargs: Any) -> Run:
        project, uid, user = kwargs.pop("project"), kwargs.pop("uid"), kwargs.pop("user")
        fields = RunFields(**kwargs)
        return lifecycle.log_run(actor=SYSTEM, project=project, uid=uid, fields=fields, user=user)[0]


class DestinationFactory(factory.Factory[Destination]):
    """A webhook of a team."""

    class Meta:
        model = Destination

    name = factory.Sequence(lambda number: f"hook{number}")
    team = factory.SubFactory(TeamFactory)
    url = "https://hooks.example.com/runyard"

    @classmethod
    def _create(cls, model_class: type[Destination], *args: Any, **kwargs: Any) -> Destination:
        return create_webhook(actor=SYSTEM, **kwargs)


class SecretFactory(factory.Factory[Secret]):
    """A secret for webhooks of a team."""

    class Meta:
        model = Secret

    name = factory.Sequence(lambda number: f"TOKEN_{number}")
    team = factory.SubFactory(TeamFactory)
    value = "a-secret-value"

    @classmethod
    def _create(cls, model_class: type[Secret], *args: Any, **kwargs: Any) -> Secret:
        return store_secret(actor=SYSTEM, **kwargs)


def add_run_file(run: Run, name: str, content: bytes = b"hello\n") -> RunFile:
    """Give a run a file, as an upload does."""
    with transaction.atomic():
        receive_run_file({"r": run.pk, "n": name}, store_bytes(content, run.project.team_id))
    return RunFile.objects.select_related("blob").get(run=run, name=name)


def custom_role(organization: Organization, actions: Iterable[str], base: Preset = Preset.VIEW_ONLY) -> Role:
    """Return a role of the organization with these actions (TEAM-20)."""
    role = Role.objects.create(
        organization=organization, name=f"role {Role.objects.count()}", base=built_in(base)
    )
    RoleGrant.objects.bulk_create(
        [RoleGrant(role=role, action=str(action), is_added=True) for action in actions]
    )
    return role


def make_member(team: Team, role: Preset | Role = Preset.MEMBER, **user: Any) -> User:
    """Return a new member of the team; O is an admin of its organization, Om belongs to it only."""
    person = UserFactory(**user)
    if role in {Preset.ORGANIZATION_ADMIN, Preset.ORGANIZATION_MEMBER} and isinstance(role, Preset):
        OrganizationMember.objects.create(
            organization_id=team.organization_id or 0, user=person, role=built_in(role)
        )
        return person
    chosen = built_in(role) if isinstance(role, Preset) else role
    members.add_member(actor=SYSTEM, team=team, user=person, role=chosen)
    return person


def make_key(owner: User, **more: Any) -> str:
    """Return the secret of a new API key."""
    return key_services.create_api_key(actor=SYSTEM, owner=owner, **more)[1]


def leave_open(client: Client) -> None:
    """Let a browser have been signed in for so long that dangerous acts ask again who is there."""
    session = client.session
    session["signed_in_at"] = 0
    session.save()


def delivered() -> list[EmailMessage]:
    """Send the mail that waits, and return all that was sent."""
    outbox.deliver_waiting()
    return mail.outbox


def basic(secret: str) -> str:
    """Return an Authorization header as the SDK sends it."""
    return "Basic " + base64.b64encode(f"api:{secret}".encode()).decode()


def actor(user: User | ServiceAccount) -> Actor:
    """Return the actor of a signed-in user or a service account."""
    return actor_of_user(user.user if isinstance(user, ServiceAccount) else user)


@pytest.fixture
def member_of(db: None) -> Callable[..., User]:
    """Give `make_member`: ``member_of(team, Preset.ADMIN)`` is a new admin of the team."""
    return make_member


@pytest.fixture
def api_key(db: None) -> Callable[..., str]:
    """Give `make_key`: ``api_key(user)`` is the secret of a new API key."""
    return make_key
