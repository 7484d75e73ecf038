"""What is done is written down: who, what, and in whose log (BIL-11). A row is an action and what does it."""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any, TypeGuard

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from PIL import Image

from access.actions import Preset, all_actions
from access.actor import SYSTEM
from access.audit.values import Values
from access.audit.words import words_of
from access.models import AuditEntry
from accounts.api_keys import services as key_services
from accounts.lifecycle import deletion as account_deletion
from accounts.lifecycle import services as accounts
from accounts.models import ApiKey, User
from accounts.operators import impersonation
from accounts.profile import services as profiles
from accounts.settings import preferences
from alerts.preferences import services as alerts
from alerts.tests.places import a_place
from artifacts.collections import services as collections
from artifacts.collections.services import CollectionChanges
from artifacts.models import Registry, RegistryMember
from artifacts.registries import members as registry_members
from artifacts.registries import services as registries
from artifacts.registries.services import RegistryChanges
from artifacts.tests.factories import make_version, place_of
from artifacts.versions import aliases, links
from artifacts.versions.deletion import delete_version, restore_version
from artifacts.versions.services import Changes, update_version
from automations.conditions.events import AutomationEvent
from billing.billing_admins import services as billing_admins
from billing.changes import trials
from billing.changes.assignments import assign_plan
from billing.models import Plan
from billing.plans.catalogue import ensure_plans
from billing.subscriptions.selectors import subscription_of
from config.env import ROOT
from exports import services as exports
from runs.bulk_actions import deletion as run_deletion
from runs.bulk_actions import moving, redaction
from runs.charts import services as charts
from runs.files import services as files
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import ChartAccess, Project, ProjectAccessRequest, Run
from runs.projects import access_requests, deletion, members
from runs.projects import services as projects
from runs.secrets import services as reveal
from runs.states import RunState
from storage.models import Bucket
from storage.team_buckets import connector
from sweeps.agents.services import register_agent
from sweeps.lifecycle import deletion as sweep_deletion
from sweeps.lifecycle import services as sweeps
from sweeps.lifecycle.membership import remove_from_sweep
from sweeps.models import Sweep
from teams.invitations import answering
from teams.invitations import services as invitations
from teams.members import services as teams
from teams.models import (
    Membership,
    Organization,
    OrganizationMember,
    ProductAccess,
    Team,
    TeamKind,
    Visibility,
)
from teams.organizations import services as organizations
from teams.roles import custom
from teams.roles.builtin import built_in
from teams.roles.custom import RoleFields
from teams.service_accounts import services as service_accounts
from teams.teams import deletion as team_deletion
from teams.teams import privacy
from teams.teams.services import change_team, create_team
from tests.factories import (
    PASSWORD,
    OrganizationFactory,
    ProjectFactory,
    RunFactory,
    TeamFactory,
    UserFactory,
    actor,
    add_run_file,
    make_member,
)

pytestmark = pytest.mark.django_db


@dataclass
class Scene:
    """What acts are done in."""

    organization: Organization
    team: Team
    project: Project
    run: Run
    bob: User


@pytest.fixture
def scene() -> Scene:
    organization = OrganizationFactory(name="acme", admin=UserFactory(username="chief"))
    team = TeamFactory(name="vision", organization=organization, admin=UserFactory(username="ada"))
    project = ProjectFactory(team=team)
    bob = make_member(team, username="bob")
    return Scene(organization, team, project, RunFactory(project=project, user=bob), bob)


def _membership(scene: Scene) -> Membership:
    return Membership.objects.get(team=scene.team, user=scene.bob)


def _place(scene: Scene) -> OrganizationMember:
    return OrganizationMember.objects.select_related("organization", "user", "role").get(
        organization=scene.organization, user=scene.bob
    )


def _second_chief(scene: Scene) -> User:
    """Make bob another admin of the organization."""
    organizations.change_organization_member(
        actor=SYSTEM, member=_place(scene), role=built_in(Preset.ORGANIZATION_ADMIN)
    )
    return scene.bob


def _emptied(scene: Scene) -> Organization:
    team_deletion.delete_team(actor=SYSTEM, team=scene.team, typed=scene.team.name)
    return scene.organization


def _invite(scene: Scene) -> Any:
    return invitations.invite(
        actor=SYSTEM, team=scene.team, role=built_in(Preset.MEMBER), email="x@example.com"
    )


def _invited(scene: Scene) -> tuple[User, int]:
    guest = UserFactory(email="x@example.com")
    return guest, _invite(scene).pk


def _accept(scene: Scene) -> None:
    guest, number = _invited(scene)
    answering.accept_invitation(actor=actor(guest), number=number)


def _decline(scene: Scene) -> None:
    guest, number = _invited(scene)
    answering.decline_invitation(actor=actor(guest), number=number)


def _twice(first: Callable[..., Any], then: Callable[..., Any], **given: Any) -> None:
    first(**given)
    then(**given)


def _export(scene: Scene) -> Any:
    return exports.request_export(actor=actor(User.objects.get(username="ada")), team=scene.team)


def _disconnect_bucket(scene: Scene) -> None:
    Bucket.objects.create(url="s3://own?region=eu-west-1", folder="folder", team=scene.team)
    connector.disconnect(actor=SYSTEM, team=scene.team)


def _connect_bucket(scene: Scene) -> None:
    bucket = Bucket(url="s3://own?region=eu-west-1", folder="folder")
    connector.give_to_new_team(actor=SYSTEM, team=scene.team, bucket=bucket)


def _cancel(scene: Scene) -> None:
    exports.cancel_export(actor=actor(User.objects.get(username="ada")), export=_export(scene))


def _download(scene: Scene) -> None:
    export = _export(scene)
    exports.make_next_export()
    export.refresh_from_db()
    exports.download_export(actor=actor(User.objects.get(username="ada")), export=export)


def _route(scene: Scene) -> Any:
    return alerts.add_route(actor=SYSTEM, team=scene.team, destination=a_place(scene.team))


def _move(scene: Scene) -> None:
    lifecycle.finish_run(run_id=scene.run.pk, exit_code=0, at=datetime.now(UTC))
    target = ProjectFactory(team=scene.team, name="target")
    moving.move_runs(actor=SYSTEM, run_ids=[scene.run.pk], project=target)


def _decline_access(scene: Scene) -> None:
    request = ProjectAccessRequest.objects.create(project=scene.project, user=scene.bob)
    access_requests.decline_request(actor=SYSTEM, request=request)


def _restrict(scene: Scene) -> None:
    projects.change_visibility(actor=SYSTEM, project=scene.project, visibility="restricted")
    members.add_project_member(
        actor=SYSTEM, project=scene.project, user=scene.bob, role=built_in(Preset.MEMBER)
    )


def _of_project(service: Callable[..., Any], **given: Any) -> Callable[[Scene], Any]:
    return lambda scene: service(actor=SYSTEM, project=scene.project, **given)


def _of_run(service: Callable[..., Any], **given: Any) -> Callable[[Scene], Any]:
    return lambda scene: service(actor=SYSTEM, run=scene.run, **given)


def _of_runs(*services: Callable[..., Any], **given: Any) -> Callable[[Scene], Any]:
    def act(scene: Scene) -> None:
        for service in services:
            service(actor=SYSTEM, run_ids=[scene.run.pk], **given)

    return act


def _of_version(service: Callable[..., Any], **given: Any) -> Callable[[Scene], Any]:
    return lambda scene: service(actor=SYSTEM, version=make_version(scene.project), **given)


def _restore_version(scene: Scene) -> None:
    version = make_version(scene.project)
    delete_version(actor=SYSTEM, version=version, with_aliases=True)
    restore_version(actor=SYSTEM, version=version)


def _of_place(service: Callable[..., Any], **given: Any) -> Callable[[Scene], Any]:
    return lambda scene: service(
        actor=SYSTEM, membership=place_of(make_version(scene.project, aliases=["old"])), **given
    )


def _of_collection(*services: Callable[..., Any], **given: Any) -> Callable[[Scene], Any]:
    def act(scene: Scene) -> None:
        collection = make_version(scene.project).collection
        for service in services:
            service(actor=SYSTEM, collection=collection, **given)

    return act


def _link(scene: Scene) -> Any:
    return links.link_version(
        actor=SYSTEM, version=make_version(scene.project), project=scene.project, name="best"
    )


def _unlink(scene: Scene) -> None:
    place = _link(scene)
    links.unlink_version(actor=SYSTEM, version=place.version, collection=place.collection)


_VERSION_CHANGES = Changes(
    description="Better.", metadata='{"rows": 2}', tags_to_add=["gold"], has_ttl=True, ttl_s=86_400,
    is_protected=True,
)  # fmt: skip
_COLLECTION_CHANGES = CollectionChanges(
    name="resnet", description="Better.", tags_to_add=["gold"], has_ttl=True, ttl_s=0, is_protected=True
)


def _registry(scene: Scene) -> Registry:
    return registries.ensure_model_registry(actor=SYSTEM, team=scene.team)


def _of_registry(*acts: Callable[..., Any], **given: Any) -> Callable[[Scene], Any]:
    """Do acts on the team's model registry, one after the other."""

    def act(scene: Scene) -> None:
        registry = _registry(scene)
        for each in acts:
            each(actor=SYSTEM, registry=registry, **given)

    return act


def _registry_member(scene: Scene) -> RegistryMember:
    (row,) = registry_members.add_members(actor=SYSTEM, registry=_registry(scene), users=[scene.bob])
    return row


def _sweep(scene: Scene) -> Sweep:
    text = "method: random\nparameters:\n  lr:\n    max: 2\n    min: 1\n"
    return sweeps.create_sweep(actor=SYSTEM, project=scene.project, config_text=text)[0]


def _of_sweep(*acts: Callable[..., Any], **given: Any) -> Callable[[Scene], Any]:
    """Do acts on a sweep, one after the other."""

    def act(scene: Scene) -> None:
        sweep = _sweep(scene)
        for each in acts:
            each(actor=SYSTEM, sweep=sweep, **given)

    return act


def _leave_sweep(scene: Scene) -> None:
    Run.objects.filter(pk=scene.run.pk).update(sweep=_sweep(scene).uid)
    remove_from_sweep(actor=SYSTEM, run_ids=[scene.run.pk])


IN_TEAM: dict[str, Callable[[Scene], Any]] = {
    "team.create": lambda scene: create_team(
        actor=SYSTEM, name="hearing", organization=scene.organization, admin=scene.bob
    ),
    "team.add_member": lambda scene: teams.add_member(
        actor=SYSTEM, team=scene.team, user=UserFactory(), role=built_in(Preset.MEMBER)
    ),
    "team.change_role": lambda scene: teams.change_role(
        actor=SYSTEM, membership=_membership(scene), role=built_in(Preset.ADMIN)
    ),
    "team.remove_member": lambda scene: teams.remove_member(actor=SYSTEM, membership=_membership(scene)),
    "team.leave": lambda scene: teams.leave_team(actor=actor(scene.bob), team=scene.team),
    "team.change_settings": lambda scene: change_team(
        actor=SYSTEM, team=scene.team, display_name="Sight", kind="work"
    ),
    "team.manage_privacy": lambda scene: privacy.set_privacy(
        actor=SYSTEM, team=scene.team, values={"is_hidden": True}
    ),
    "team.connect_bucket": _connect_bucket,
    "team.disconnect_bucket": _disconnect_bucket,
    "team.delete": lambda scene: team_deletion.delete_team(actor=SYSTEM, team=scene.team, typed="vision"),
    "team.restore": lambda scene: team_deletion.restore_team(
        actor=SYSTEM, team=team_deletion.delete_team(actor=SYSTEM, team=scene.team, typed="vision")
    ),
    "team.invite": _invite,
    "team.revoke_invitation": lambda scene: invitations.revoke_invitation(
        actor=SYSTEM, invitation=_invite(scene)
    ),
    "team.accept_invitation": _accept,
    "team.decline_invitation": _decline,
    "service_account.create": lambda scene: service_accounts.create_service_account(
        actor=SYSTEM, team=scene.team, label="bot"
    ),
    "team.export": _export,
    "export.cancel": _cancel,
    "export.download": _download,
    "alert_settings.change": lambda scene: alerts.change_settings(
        actor=SYSTEM, team=scene.team, on_crashed=True
    ),
    "alert_route.add": _route,
    "alert_route.remove": lambda scene: alerts.remove_route(actor=SYSTEM, route=_route(scene)),
    "project.create": lambda scene: projects.create_project(actor=SYSTEM, team=scene.team, name="new"),
    "project.update": _of_project(projects.update_project, description="of cats"),
    "project.change_visibility": _of_project(projects.change_visibility, visibility="public"),
    "project.manage_members": _restrict,
    "project.request_access": lambda scene: access_requests.request_access(
        actor=actor(scene.bob), team=scene.team, name="hidden"
    ),
    "project.decline_request": _decline_access,
    "project.pin": _of_project(projects.pin_project, is_pinned=True),
    "project.delete": lambda scene: deletion.delete_project(actor=SYSTEM, project=scene.project),
    "project.restore": lambda scene: deletion.restore_project(
        actor=SYSTEM,
        project=deletion.delete_project(actor=SYSTEM, project=scene.project),
    ),
    "chart.save": lambda scene: charts.save_chart(
        actor=SYSTEM, team=scene.team, name="a", display_name="", access="private", spec="{}"
    ),
    "run.update": _of_run(lifecycle.update_run, fields=RunFields(display_name="better")),
    "run.stop": _of_run(lifecycle.stop_run),
    "run.delete": _of_runs(run_deletion.delete_runs),
    "run.restore": _of_runs(run_deletion.delete_runs, run_deletion.restore_runs),
    "run.purge": _of_runs(run_deletion.delete_runs, run_deletion.purge_now),
    "run.protect": _of_runs(run_deletion.protect_runs),
    "run.unprotect": _of_runs(run_deletion.protect_runs, run_deletion.unprotect_runs),
    "run.move": _move,
    "run.delete_files": lambda scene: files.delete_run_file(
        actor=SYSTEM, file=add_run_file(scene.run, "notes.txt")
    ),
    "run.redact": _of_runs(redaction.redact_runs, keys=["config.lr"]),
    "run.reveal_secrets": _of_run(reveal.reveal_secrets),
    "run.remove_from_sweep": _leave_sweep,
    "sweep.create": _sweep,
    "sweep.edit": _of_sweep(sweeps.change_sweep, display_name="night"),
    "sweep.stop": _of_sweep(sweeps.change_state, state="PAUSED"),
    "sweep.create_agent": _of_sweep(register_agent, host="gpu-1"),
    "sweep.delete": _of_sweep(sweep_deletion.delete_sweep),
    "sweep.restore": _of_sweep(sweep_deletion.delete_sweep, sweep_deletion.restore_sweep),
    "artifact.create": lambda scene: make_version(scene.project),
    "artifact.update": _of_version(update_version, changes=_VERSION_CHANGES),
    "artifact.delete": _of_version(delete_version, with_aliases=True),
    "artifact.restore": _restore_version,
    "artifact.set_alias": _of_place(aliases.add_aliases, names=["best"]),
    "artifact.delete_alias": _of_place(aliases.delete_aliases, names=["old"]),
    "artifact.link": _link,
    "artifact.unlink": _unlink,
    "registry.create": _registry,
    "registry.update": _of_registry(
        registries.update_registry, changes=RegistryChanges(protected_aliases=["best"])
    ),
    "registry.add_member": _registry_member,
    "registry.change_member": lambda scene: registry_members.change_member(
        actor=SYSTEM, member=_registry_member(scene), role="member"
    ),
    "registry.remove_member": lambda scene: registry_members.remove_member(
        actor=SYSTEM, member=_registry_member(scene)
    ),
    "registry.delete": _of_registry(registries.delete_registry),
    "registry.restore": _of_registry(registries.delete_registry, registries.restore_registry),
    "artifact.update_collection": _of_collection(collections.update_collection, changes=_COLLECTION_CHANGES),
    "artifact.delete_collection": _of_collection(collections.delete_collection),
    "artifact.restore_collection": _of_collection(
        collections.delete_collection, collections.restore_collection
    ),
}
"""Acts in a team: their entries are in its organization's log, and name the team."""

IN_ORGANIZATION: dict[str, Callable[[Scene], Any]] = {
    "organization.create": lambda scene: OrganizationFactory(name="other", admin=scene.bob),
    "organization.change_settings": lambda scene: organizations.change_organization(
        actor=SYSTEM, organization=scene.organization, display_name="Acme", api_keys_allowed=False,
        api_key_max_days=30,
    ),
    "organization.enforce_privacy": lambda scene: privacy.enforce_privacy(
        actor=SYSTEM, organization=scene.organization, values={"is_hidden": True}
    ),
    "organization.change_member": lambda scene: organizations.change_organization_member(
        actor=SYSTEM, member=_place(scene), models_access=ProductAccess.NONE
    ),
    "organization.remove_member": lambda scene: organizations.remove_from_organization(
        actor=SYSTEM, member=_place(scene)
    ),
    "organization.leave": lambda scene: organizations.leave_organization(
        actor=actor(_place(scene).user), organization=scene.organization
    ),
    "organization.delete": lambda scene: organizations.delete_organization(
        actor=SYSTEM, organization=_emptied(scene), typed=scene.organization.name
    ),
    "billing_admin.assign": lambda scene: billing_admins.assign_billing_admin(
        actor=SYSTEM, organization=scene.organization, user=_second_chief(scene)
    ),
    "billing_admin.withdraw": lambda scene: _twice(
        billing_admins.assign_billing_admin, billing_admins.withdraw_billing_admin,
        actor=SYSTEM, organization=scene.organization,
        user=_second_chief(scene),
    ),
}  # fmt: skip
"""Acts on an organization: their entries are in its log."""


def _new_key(scene: Scene) -> ApiKey:
    return key_services.create_api_key(actor=actor(scene.bob), owner=scene.bob, label="laptop")[0]


def _sign_in(password: str) -> Callable[[Scene], Client]:
    def act(scene: Scene) -> Client:
        client = Client()
        client.post("/accounts/login/", {"login": scene.bob.username, "password": password})
        client.post("/accounts/reauthenticate/", {"password": password})
        return client

    return act


def _sign_out(scene: Scene) -> None:
    _sign_in(PASSWORD)(scene).post("/accounts/logout/")


def _sign_up(scene: Scene) -> None:
    Client().post("/accounts/signup/", {"username": "eve", "email": "eve@example.com", "password1": PASSWORD})


def _add_email(scene: Scene) -> None:
    _sign_in(PASSWORD)(scene).post("/settings/emails", {"email": "new@example.com", "action_add": ""})


def _delete_email(scene: Scene) -> None:
    EmailAddress.objects.create(user=scene.bob, email="second@example.com", verified=True)
    _sign_in(PASSWORD)(scene).post("/settings/emails", {"email": "second@example.com", "action_remove": ""})


def _primary_email(scene: Scene) -> None:
    EmailAddress.objects.create(user=scene.bob, email="second@example.com", verified=True)
    _sign_in(PASSWORD)(scene).post("/settings/emails", {"email": "second@example.com", "action_primary": ""})


OF_ONESELF: dict[str, Callable[[Scene], Any]] = {
    "user.create": _sign_up,
    "user.sign_in": _sign_in(PASSWORD),
    "user.sign_in_failed": _sign_in("wrong"),
    "user.sign_out": _sign_out,
    "email.add": _add_email,
    "email.delete": _delete_email,
    "email.primary": _primary_email,
    "api_key.create": _new_key,
    "api_key.rename": lambda scene: key_services.rename_api_key(
        actor=actor(scene.bob), key=_new_key(scene), label="desk"
    ),
    "api_key.delete": lambda scene: key_services.delete_api_key(actor=actor(scene.bob), key=_new_key(scene)),
    "alert.mute": lambda scene: alerts.mute(actor=actor(scene.bob), team=scene.team),
    "alert.unmute": lambda scene: _twice(
        alerts.mute, alerts.unmute, actor=actor(scene.bob), project=scene.project
    ),
    "account.set_active": lambda scene: accounts.set_active(actor=SYSTEM, user=scene.bob, is_active=False),
    "account.delete": lambda scene: account_deletion.delete_account(
        actor=actor(scene.bob), user=scene.bob, typed="bob"
    ),
}
"""Acts on an account, which may belong to several organizations: their entries are in the operators' log alone."""


def _picture(scene: Scene) -> None:
    content = BytesIO()
    Image.new("RGB", (64, 64), "teal").save(content, "PNG")
    upload = SimpleUploadedFile("me.png", content.getvalue())
    profiles.change_picture(actor=actor(scene.bob), row=scene.bob, upload=upload)


def _role(scene: Scene) -> None:
    fields = RoleFields("Runner", Preset.VIEW_ONLY, frozenset({"run.log"}), "")
    custom.create_role(actor=SYSTEM, organization=scene.organization, fields=fields)


WITH_VALUES: list[tuple[str, Callable[[Scene], Any]]] = [
    ("account.update", lambda scene: preferences.choose_audience(
        actor=actor(scene.bob), user=scene.bob, audience="signed_in"
    )),
    ("account.update", _picture),
    ("account.impersonate", lambda scene: impersonation.begin(actor=SYSTEM, user=scene.bob, reason="He asked")),
    ("role.create", _role),
    ("api_key.limit", lambda scene: key_services.limit_api_key(
        actor=actor(scene.bob), key=_new_key(scene), scopes=["run.view"]
    )),
    ("subscription.assign", lambda scene: assign_plan(
        actor=SYSTEM, subscription=subscription_of(scene.organization), plan=Plan.objects.get(key="pro")
    )),
    ("subscription.trial", lambda scene: trials.start_trial(
        actor=SYSTEM, subscription=subscription_of(scene.organization), plan=Plan.objects.get(key="pro"),
        ends_at=timezone.now() + timedelta(days=9),
    )),
]  # fmt: skip
"""Further acts that tell codes, times and pictures."""


def _entry(action: str, act: Callable[[Scene], Any], scene: Scene) -> AuditEntry:
    AuditEntry.objects.all().delete()
    act(scene)
    return AuditEntry.objects.filter(action=action).latest("pk")


@pytest.mark.parametrize("action", IN_TEAM)
def test_acts_in_a_team_are_in_its_organizations_log(scene: Scene, action: str):
    """BIL-11."""
    entry = _entry(action, IN_TEAM[action], scene)
    assert entry.organization_id == scene.organization.pk
    assert entry.team_id == (
        Team.objects.get(name="hearing").pk if action == "team.create" else scene.team.pk
    )


@pytest.mark.parametrize("action", IN_ORGANIZATION)
def test_acts_on_an_organization_are_in_its_log(scene: Scene, action: str):
    """BIL-11."""
    entry = _entry(action, IN_ORGANIZATION[action], scene)
    assert entry.organization_id == int(entry.object_id)
    assert entry.team_id is None


@pytest.mark.parametrize("action", OF_ONESELF)
def test_acts_on_an_account_are_in_the_operators_log(scene: Scene, action: str):
    """BIL-11."""
    assert _entry(action, OF_ONESELF[action], scene).organization_id is None


def test_what_is_no_account_leaves_no_trace_of_what_was_typed():
    """People type passwords into the wrong field."""
    Client().post("/accounts/login/", {"login": "hunter2", "password": "ada"})
    assert not AuditEntry.objects.filter(action="user.sign_in_failed").exists()


_NAME = re.compile(
    r"(run|project|chart|team|organization|service_account|user|account|api_key|email|password|session|second_factor"
    r"|sign_in_method|sign_in_provider|outbox|operator|audit|export|scim|role|invitation"
    r"|artifact|registry|alert|alert_settings|alert_route|alert_message|destination|secret|automation"
    r"|billing|billing_[a-z]+|plan|subscription|invoice|payment|payment_method|period|chargeback|prices)\.[a-z_]+"
)


def _names_what_was_refused(node: ast.AST) -> TypeGuard[ast.keyword]:
    """Whether it is the ``action=`` of a `Forbidden`, which may be no permission that anybody has."""
    return isinstance(node, ast.keyword) and node.arg == "action"


def _recorded() -> set[str]:
    """Return every name of an action that a service, a view or a listener writes out."""
    found = set()
    for app in (
        "access",
        "accounts",
        "teams",
        "storage",
        "runs",
        "artifacts",
        "metrics",
        "alerts",
        "automations",
        "usage",
        "billing",
        "exports",
        "ingest",
        "wandb_api",
    ):
        for path in ROOT.glob(f"{app}/**/*.py"):
            if {"tests", "migrations"} & set(path.parts) or path.name in {"access.py", "apps.py"}:
                continue
            text = path.read_text()
            if not re.search(r"\brecord\w*[(=]|_note\(", text):
                continue
            tree = ast.parse(text)
            refusals = {node.value for node in ast.walk(tree) if _names_what_was_refused(node)}
            for node in ast.walk(tree):
                if node not in refusals and (
                    isinstance(node, ast.Constant)
                    and isinstance(node.value, str)
                    and _NAME.fullmatch(node.value)
                ):
                    found.add(node.value)
    return found


def test_every_recorded_action_has_words():
    """BIL-11: the log is read by people. Names that are permissions may be recorded, too."""
    permissions = {name for name, _spec in all_actions()}
    names = _recorded() - permissions
    assert {"team.leave", "run.move", "user.sign_in_failed", "organization.create"} <= names
    assert {name for name in names if words_of(name) == name} == set()


def test_the_table_has_words_for_all_it_does():
    for action in (*IN_TEAM, *IN_ORGANIZATION, *OF_ONESELF):
        assert words_of(action) != action, action


CODES = {
    str(value): str(label)
    for model in apps.get_models()
    for field in model._meta.concrete_fields
    for value, label in field.flatchoices
    if value
} | dict(
    [
        *Visibility.choices,
        *TeamKind.choices,
        *RunState.choices,
        *AutomationEvent.choices,
        *ChartAccess.choices,
    ]
)
_MACHINE = re.compile(r"\d{4}-\d\d-\d\d|[0-9a-f]{40}|\bTrue\b|\bFalse\b|[{}\[\]]|\b[a-z]+_[a-z_]+\b")


def _shown(page: str) -> list[str]:
    """Return the names and values of a page of the audit log, each item of a list by itself."""
    told = " ".join(re.findall(r'<dl class="audit-changes">(.*?)</dl>', page, re.DOTALL))
    return [text.strip() for text in re.split(r"<[^>]*>|, ", told) if text.strip()]


@pytest.mark.parametrize(
    ("action", "act"), [*IN_TEAM.items(), *IN_ORGANIZATION.items(), *OF_ONESELF.items(), *WITH_VALUES]
)
def test_what_was_found_and_left_is_shown_in_words(
    scene: Scene, action: str, act: Callable[[Scene], Any], client: Client
):
    """BIL-11: people read the log, so it says no codes, names of columns, hashes or times of machines."""
    _entry(action, act, scene)
    client.force_login(UserFactory(username="boss", is_operator=True))
    shown = _shown(client.get("/audit").content.decode())
    assert [text for text in shown if _MACHINE.search(text)] == []
    codes = {code for code, label in CODES.items() if code != label}
    assert codes.isdisjoint(shown)


@pytest.mark.parametrize(
    ("action", "model", "name", "value", "words"),
    [
        ("role.change", "teams.Role", "base", "V", "View-only"),
        ("role.change", "teams.Role", "adds", ["run.delete"], "Delete any run"),
        ("team.change_role", "teams.Team", "role", "Member", "Member"),
        ("team.change_settings", "teams.Team", "kind", "work", "Work"),
        ("subscription.assign", "teams.Organization", "plan", "pro", "Pro"),
        ("invoice.void", "billing.Invoice", "status", "void", "Void"),
        ("invoice.pay", "billing.Invoice", "total_usd", "907", "$907.00"),
        ("plan.save", "billing.Plan", "has_sso", True, "Yes"),
        ("second_factor.add", "accounts.User", "type", "totp", "Authenticator app"),
        ("api_key.create", "accounts.ApiKey", "scopes", None, "Full access"),
        ("api_key.create", "accounts.ApiKey", "scopes", ["run.view", "run.delete"], "View runs, Delete any run"),
        ("run.delete_files", "runs.Run", "bytes", 2048, "2.00 KiB"),
        ("artifact.update", "artifacts.Version", "ttl", None, "Inherited"),
        ("artifact.update", "artifacts.Version", "ttl", 0, "Forever"),
        ("artifact.update_collection", "artifacts.Collection", "ttl", 3600, "1h 00m 00s"),
        ("artifact.create", "artifacts.Version", "bytes", 2048, "2.00 KiB"),
        ("automation.create", "automations.Automation", "once_in_s", 3600, "1 hour"),
        ("destination.test", "alerts.Destination", "status", 204, "204"),
        ("installation.change_settings", "accounts.InstallationSetting", "announcement",
         {"text": "Back soon", "severity": "danger", "until": None},
         "Text: Back soon, Severity: Outage, Until: –"),
    ],
)  # fmt: skip
def test_values_have_the_words_of_pages(action: str, model: str, name: str, value: Any, words: str):
    """BIL-11."""
    ensure_plans()
    entry = AuditEntry(action=action, object_type=model, after={name: value})
    (change,) = Values().changes_of(entry)
    assert (change.before, change.after) == (None, words)


def test_a_value_that_was_taken_away_is_a_dash():
    entry = AuditEntry(
        action="run.update", object_type="runs.Run", before={"group": "a"}, after={"group": ""}
    )
    (change,) = Values().changes_of(entry)
    assert (change.name, change.before, change.after) == ("Group", "a", "–")


def test_a_page_reads_the_names_of_plans_once(django_assert_num_queries: Any):
    entry = AuditEntry(action="subscription.assign", before={"plan": "free"}, after={"plan": "pro"})
    values = Values()
    with django_assert_num_queries(1):
        for _number in range(3):
            values.changes_of(entry)
