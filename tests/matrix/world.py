"""The people, projects and runs that the cells of the matrix are asked with."""

import json
from dataclasses import dataclass, field, replace
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.core.management.color import no_style
from django.db import connection
from django.test import Client
from django.utils import timezone

from access.actions import Preset, all_actions
from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.models import ApiKey, Name, OutboxMail, Profile, User
from alerts.models import AlertSettings, MessageState, Mute, Route
from alerts.tests.places import a_place
from artifacts.drafts.services import Given, begin_version
from artifacts.models import (
    Collection,
    Manifest,
    PartsUpload,
    ProtectedAlias,
    Registry,
    RegistryMember,
    RegistryRole,
)
from artifacts.registries.services import ensure_model_registry
from artifacts.tests.factories import make_version
from artifacts.versions.links import link_version
from automations.models import Automation
from billing.models import BillingAdmin, Invoice, PaymentMethod
from billing.subscriptions.selectors import subscription_of
from runs.models import ChartAccess, Project, ProjectAccessRequest, Run, RunAlert, SavedView, StoredChart
from runs.projects import members
from sweeps.lifecycle.services import create_sweep
from sweeps.models import Sweep, SweepAgent
from teams.invitations.mail import hash_of
from teams.models import Invitation, Organization, Role, ServiceAccount, Team, Visibility
from teams.roles.builtin import built_in
from tests.automations import acted, make_automation, states
from tests.factories import (
    DestinationFactory,
    OrganizationFactory,
    ProjectFactory,
    RunFactory,
    SecretFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    add_run_file,
    basic,
    custom_role,
    make_key,
    make_member,
)
from tests.matrix.cases import NOTHING, ROLE, Case, Over, Thing
from tests.matrix.permissions import BILLING, CUSTOM_ACTIONS, ELEVATED, NOT_SIGNED_IN, PROGRAMS, SCOPES
from tests.plans import offer_plans

EVIL = '"><script>evil()</script>'
"""What people write wherever they are free to; no page may have it as markup."""
FREE_TEXTS = {
    Run: "display_name notes group job_type host program git_remote",
    Project: "description",
    SavedView: "name",
    User: "display_name",
    Profile: "bio institution location intro",
    Organization: "display_name",
    Team: "display_name",
    Role: "description",
    ServiceAccount: "description",
    Collection: "description",
    Automation: "description",
    Sweep: "display_name description",
}
"""Their models and fields."""
SWEEP = json.dumps({"method": "random", "program": EVIL, "parameters": {EVIL: {"values": [EVIL, 1]}}})
PEOPLE = (
    "stranger", "viewer", "labeler", "member", "colleague", "admin", "chief", "outsider", "operator",
)  # fmt: skip
"""Who signs in; ``labeler`` has a custom role, ``outsider`` belongs to the organization only, ``operator`` runs the
installation."""
REGISTRAR = "registrar"
"""A registry admin of the organization's registry, in no team; asks about registries alone."""
DEPUTY = "deputy"
"""An admin of the organization who is no billing admin; asks about billing and registries alone, where that tells."""
LIMITED = ("stranger", "member", "admin")
"""Whose keys of a limited scope are asked with, too."""

WEB_ACTORS = (NOT_SIGNED_IN, *PEOPLE)
KEY_ACTORS = [
    *((actor, "full") for actor in (NOT_SIGNED_IN, *PEOPLE, DEPUTY, REGISTRAR, *sorted(PROGRAMS))),
    *((actor, scope) for actor in LIMITED for scope in SCOPES if scope not in {"full", "session"}),
]
"""(who, scope of their key)."""


def asks(actor: str, case: Case) -> bool:
    """Whether somebody is asked with."""
    is_of_registries = case.over in {Over.REGISTRY, Over.LINKED}
    if actor == REGISTRAR:
        return is_of_registries
    return actor != DEPUTY or is_of_registries or case.needs.startswith(BILLING)


def web_actors(case: Case) -> list[str]:
    """Return who opens a page."""
    return [actor for actor in (*WEB_ACTORS, DEPUTY, REGISTRAR) if asks(actor, case)]


def keys_for(case: Case, thing: Thing) -> list[tuple[str, str]]:
    """Return who asks about a thing: limited keys do not ask everywhere, since scopes only ever take away."""
    telling = thing.place in {"", "team"} and thing.visibility in {"", "team", "open", "public"}
    everywhere = telling and thing.owner in {"", "member"}
    return [
        (actor, scope) for actor, scope in KEY_ACTORS if asks(actor, case) and (scope == "full" or everywhere)
    ]


@dataclass
class World:
    """One organization with two teams, everybody, and a project of each kind with runs."""

    users: dict[str, User] = field(default_factory=dict)
    things: dict[Over, list[Thing]] = field(default_factory=lambda: {over: [] for over in Over})
    keys: dict[tuple[str, str], str] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=dict)

    def headers(self, actor: str, scope: str = "full") -> dict[str, str]:
        """Return the headers with which the actor's program asks."""
        if actor == NOT_SIGNED_IN:
            return {}
        if actor == ELEVATED:
            return {"Authorization": basic(self.keys["operator", scope]), "Use-Admin-Privileges": "true"}
        return {"Authorization": basic(self.keys[actor, scope])}


def _view_only() -> frozenset[str]:
    """Return the actions of the role that custom roles of the world are based on."""
    return frozenset(action for action, spec in all_actions() if Preset.VIEW_ONLY in spec.roles)


def _people(world: World) -> Team:
    chief = UserFactory(username="chief")
    offer_plans()
    organization = OrganizationFactory(name="org", admin=chief)
    team = TeamFactory(name="team", organization=organization, admin=UserFactory(username="lead"))
    elsewhere = TeamFactory(name="elsewhere", organization=organization, admin=UserFactory(username="host"))
    world.users = {
        "stranger": TeamFactory(name="far", admin=UserFactory(username="stranger")).memberships.get().user,
        "viewer": make_member(team, Preset.VIEW_ONLY, username="viewer"),
        "member": make_member(team, Preset.MEMBER, username="member"),
        "colleague": make_member(team, Preset.MEMBER, username="colleague"),
        "admin": User.objects.get(username="lead"),
        "chief": chief,
        "deputy": make_member(team, Preset.ORGANIZATION_ADMIN, username="deputy"),
        "outsider": make_member(team, Preset.ORGANIZATION_MEMBER, username="outsider"),
        "registrar": make_member(team, Preset.ORGANIZATION_MEMBER, username="registrar"),
        "labeler": make_member(
            team, custom_role(organization, _view_only() | CUSTOM_ACTIONS), username="labeler"
        ),
        "operator": UserFactory(username="boss", is_operator=True),
        "host": User.objects.get(username="host"),
        "bot": ServiceAccountFactory(team=team, label="bot").user,
        "other_bot": ServiceAccountFactory(team=elsewhere, label="bot").user,
        "org_bot": ServiceAccountFactory(organization=organization, default_team=team, label="bot").user,
    }
    make_member(elsewhere, Preset.VIEW_ONLY, username="guest")
    make_member(team, Preset.VIEW_ONLY, username="silent")  # whom others change: nobody asks as them
    Role.objects.create(pk=ROLE, organization=organization, name="Labeler", base=built_in(Preset.VIEW_ONLY))
    world.things[Over.ORGANIZATION] = [Thing("organization", organization, "team", "organization")]
    world.things[Over.ENTITY] = [
        Thing("team", team, "public", "team"),
        Thing("elsewhere", elsewhere, "team", "elsewhere"),
        Thing("member", world.users["member"].claim.team, "public", "personal"),
    ]
    _billing(world, organization)
    entry = AuditEntry.objects.filter(organization_id=organization.pk).latest("pk")
    world.things[Over.AUDIT] = [Thing("entry of the organization", entry, "team", "organization")]
    return team


def _billing(world: World, organization: Organization) -> None:
    """Give the organization an invoice, a way to pay, and a second billing admin, whom others change."""
    bursar = make_member(organization.teams.get(name="team"), Preset.ORGANIZATION_ADMIN, username="bursar")
    BillingAdmin.objects.create(organization=organization, user=bursar)
    subscription = subscription_of(organization)
    invoice = Invoice.objects.create(
        subscription=subscription, sequence=1, number="org-1", kind="period", period_start="2026-01-01",
        period_end="2026-02-01", due_at="2026-02-15T00:00Z", total_usd=60,
    )  # fmt: skip
    world.things[Over.INVOICE] = [Thing("invoice", invoice, "team", "organization")]
    method = PaymentMethod.objects.create(
        subscription=subscription, gateway="manual", ref="1", brand="bank transfer"
    )
    world.things[Over.PAYMENT_METHOD] = [Thing("payment method", method, "team", "organization")]


def _project(world: World, place: str, team: Team, visibility: str, owners: tuple[str, ...]) -> Project:
    project = ProjectFactory(team=team, name=f"{visibility}-project", visibility=visibility)
    thing = Thing(f"{place}/{visibility}", project, visibility, place)
    world.things[Over.PROJECT].append(thing)
    if visibility == Visibility.RESTRICTED:
        world.things[Over.RESTRICTED].append(thing)
    Automation.objects.create(
        team=team, project=project, name=f"of {project.name}", event="RUN_STATE",
        filter={"run_filter": '{"$and":[]}', "run_state_filter": {"states": ["FAILED"]}}, action="NO_OP",
    )  # fmt: skip
    _artifact(world, thing)
    for owner in ("", owners[0]):
        user = world.users[owner] if owner else None
        view = SavedView.objects.create(project=project, user=user, name="a view")
        over = Over.OWN_VIEW if owner else Over.VIEW
        world.things[over].append(Thing(f"view in {place}/{visibility}", view, visibility, place, owner))
    for owner in owners:
        written = json.dumps({EVIL: {"value": EVIL}})
        run: Run = RunFactory(
            project=project, uid=f"of-{owner}", user=world.users[owner], tags=["<s>"], config_text=written,
            summary_text=written,
        )  # fmt: skip
        RunAlert.objects.create(run=run, title=EVIL, text=EVIL, level="INFO")
        add_run_file(run, "notes.txt")
        _automation(world, place, visibility, run, owner)
        label = f"{place}/{visibility} of {owner}"
        world.things[Over.RUN].append(Thing(label, run, visibility, place, owner))
        _draft(world, Thing(f"draft in {label}", run, visibility, place, owner))
        _sweep(world, Thing(f"sweep in {label}", project, visibility, place, owner))
    return project


def _artifact(world: World, project: Thing) -> None:
    """Give a project a version, whose texts are markup where people are free to write."""
    version = make_version(
        project.row, metadata={EVIL: EVIL}, description=EVIL, aliases=["best"], tags=["<s>"]
    )
    where = (project.visibility, project.place)
    collection = version.collection
    world.things[Over.VERSION].append(Thing(f"version in {project.label}", version, *where))
    world.things[Over.COLLECTION].append(Thing(f"collection in {project.label}", collection, *where))
    portfolio = link_version(actor=SYSTEM, version=version, project=project.row, name="linked").collection
    world.things[Over.PORTFOLIO].append(Thing(f"portfolio in {project.label}", portfolio, *where))
    world.things[Over.ARTIFACT_TYPE].append(Thing(f"type in {project.label}", collection.type, *where))


def _draft(world: World, run: Thing) -> None:
    """Let a run have begun to log a version, with a manifest and a file in parts under way."""
    given = Given(type_name="model", name=f"by-{run.owner}", digest="0" * 32)
    version = begin_version(actor=SYSTEM, project=run.row.project, run=run.row, given=given)
    Manifest.objects.create(version=version, name="wandb_manifest.json")
    PartsUpload.objects.create(version=version, key=f"{version.pk:032x}", md5="", path="large.bin")
    world.things[Over.DRAFT].append(replace(run, row=version))


def _sweep(world: World, project: Thing) -> None:
    """Let somebody have created a sweep, on which an agent works."""
    row, _warnings = create_sweep(actor=SYSTEM, project=project.row, config_text=SWEEP)
    row.created_by = world.users[project.owner]
    row.save()
    SweepAgent.objects.create(sweep=row, uid="0123abcd", host=EVIL)
    world.things[Over.SWEEP].append(replace(project, row=row))


def _automation(world: World, place: str, visibility: str, run: Run, owner: str) -> None:
    """Make an automation of a run's author, which acted for the run and failed at it."""
    by = world.users[owner]
    row = make_automation(run.project, "RUN_STATE", states("FAILED"), by=by, name=f"{visibility} of {owner}")
    world.things[Over.AUTOMATION].append(Thing(f"automation {row}", row, visibility, place, owner))
    message = acted(row, run, MessageState.FAILED, error="no answer")
    world.things[Over.ACTED].append(Thing(f"what {row} did", message, visibility, place, owner))


def _team_automations(world: World) -> None:
    for owner, project in (("member", "team-project"), ("host", "team-project")):
        place, name = ("team", "team") if owner == "member" else ("elsewhere", "elsewhere")
        row = make_automation(
            Project.objects.get(team__name=name, name=project), "RUN_STATE", states("KILLED"), is_of_team=True,
            by=world.users[owner], name="of all projects",
        )  # fmt: skip
        world.things[Over.TEAM_AUTOMATION].append(Thing(f"automation of {place}", row, "team", place, owner))


def _organization_registry(world: World, organization: Organization) -> None:
    """Fill one that gives everyone a role, from a project that no one else sees; it has a registry admin."""
    registry = Registry.objects.get(
        project__team__organization=organization, project__name="wandb-registry-model"
    )
    roles = {"registrar": RegistryRole.ADMIN, "silent": RegistryRole.VIEWER}
    for name, role in roles.items():
        RegistryMember.objects.create(registry=registry, user=User.objects.get(username=name), role=role)
    ProtectedAlias.objects.create(registry=registry, name="production")
    source = ProjectFactory(
        team=organization.teams.get(name="elsewhere"), name="source", visibility=Visibility.RESTRICTED
    )
    version = make_version(source, metadata={EVIL: EVIL}, description=EVIL)
    linked = link_version(
        actor=SYSTEM, version=version, project=registry.project, name="best", aliases=["best"]
    ).collection
    world.things[Over.REGISTRY].append(Thing("registry of the organization", registry, "team", "registry"))
    world.things[Over.LINKED].append(Thing("collection in it", linked, "team", "registry"))


def _registry(world: World, place: str, team: Team) -> None:
    """Give a team a model registry, with somebody in it as whom nobody asks but the owner."""
    registry = ensure_model_registry(actor=SYSTEM, team=team)
    name = {"team": "silent", "elsewhere": "guest"}.get(place, "member")
    RegistryMember.objects.create(
        registry=registry, user=User.objects.get(username=name), role=RegistryRole.VIEWER
    )
    ProtectedAlias.objects.create(registry=registry, name="production")
    world.things[Over.REGISTRY].append(Thing(f"model registry of {place}", registry, "team", place))


def _charts(world: World, place: str, team: Team) -> None:
    for access in ChartAccess.values:
        chart = StoredChart.objects.create(team=team, name=f"a-{access}-chart", access=access, spec="{}")
        visibility = {ChartAccess.PUBLIC: "public"}.get(ChartAccess(access), "team")
        world.things[Over.CHART].append(Thing(f"{access} chart of {place}", chart, visibility, place))


def _invitations(world: World, *teams: Team) -> None:
    """Invite somebody to each team, by a link whose token the cases know; as rows, since services make a new token."""
    role, end = built_in(Preset.MEMBER), timezone.now() + timedelta(days=1)
    for team in teams:
        row = Invitation.objects.create(
            team=team, user=world.users["outsider"], role=role, base_role=role, expires_at=end,
            token_hash=hash_of(f"to-{team.name}"),
        )  # fmt: skip
        world.things[Over.INVITATION].append(Thing(f"to {team.name}", row, owner="outsider"))
    member = built_in(Preset.ORGANIZATION_MEMBER)
    Invitation.objects.create(
        organization=teams[0].organization,
        email="asked@example.com",
        role=member,
        base_role=member,
        expires_at=end,
    )


def _services(world: World) -> None:
    """Take the accounts and a key of each; the ones of teams are where their team is."""
    for actor, place in (("bot", "team"), ("other_bot", "elsewhere"), ("org_bot", "organization")):
        user = world.users[actor]
        over = Over.ORGANIZATION_SERVICE if place == "organization" else Over.SERVICE
        world.things[over].append(Thing(f"account {actor}", user.service_account, place=place))
        if over is Over.SERVICE:
            key = user.api_keys.get(label="full")
            world.things[Over.SERVICE_KEY].append(Thing(f"key of {actor}", key, place=place))


def _destinations(world: World) -> None:
    """Give each team a webhook, to where nothing is ever sent, and a secret."""
    for place, name in (("team", "team"), ("elsewhere", "elsewhere"), ("personal", "member")):
        team = Team.objects.get(name=name)
        hook = DestinationFactory(team=team, name="hook", url="http://127.0.0.1/")
        world.things[Over.DESTINATION].append(Thing(f"destination of {name}", hook, place=place))
        secret = SecretFactory(team=team, name="TOKEN")
        world.things[Over.SECRET].append(Thing(f"secret of {name}", secret, place=place))


def _alerts(world: World, *places: tuple[str, Team]) -> None:
    """Let alerts of each place go somewhere, and somebody mute a team."""
    for place, team in places:
        whose = {"user": world.users["member"]} if place == "personal" else {"team": team}
        settings = AlertSettings.objects.create(**whose)
        route = Route.objects.create(settings=settings, destination=a_place(team))
        world.things[Over.ROUTE].append(Thing(f"way of {place}", route, place=place))
    row = Mute.objects.create(user=world.users["member"], team=places[0][1])
    world.things[Over.MUTE].append(Thing("mute of member", row, owner="member"))


def _write_evil() -> None:
    """Let everybody have written wherever they may what a careless page takes for its own markup."""
    told_nothing = Name.objects.filter(profile=None).exclude(text="silent")
    Profile.objects.bulk_create(Profile(claim=claim) for claim in told_nothing)
    for model, names in FREE_TEXTS.items():
        model._default_manager.update(**dict.fromkeys(names.split(), EVIL))


def _mail() -> None:
    OutboxMail.objects.create(pk=1, to="a@example.com", kept_at=timezone.now())
    with connection.cursor() as cursor:  # PostgreSQL would give the next mail this key again
        for statement in connection.ops.sequence_reset_sql(no_style(), [OutboxMail]):
            cursor.execute(statement)


def build() -> World:
    """Make it; the caller chooses the transaction."""
    world = World()
    team = _people(world)
    users = world.users
    for visibility in Visibility.values:
        owners = (
            ("member", "colleague", "stranger") if visibility == Visibility.OPEN else ("member", "colleague")
        )
        project = _project(world, "team", team, visibility, owners)
        if visibility == Visibility.RESTRICTED:
            members.add_project_member(
                actor=SYSTEM, project=project, user=users["member"], role=built_in(Preset.MEMBER)
            )
            ProjectAccessRequest.objects.create(project=project, user=users["member"])  # which others decline
    _project(world, "elsewhere", Team.objects.get(name="elsewhere"), Visibility.TEAM, ("host",))
    for visibility in (Visibility.TEAM, Visibility.PUBLIC):
        _project(world, "personal", Team.objects.get(name="member"), visibility, ("member",))
    _team_automations(world)
    places = [
        (place, Team.objects.get(name=name))
        for place, name in (("team", "team"), ("elsewhere", "elsewhere"), ("personal", "member"))
    ]
    for place, place_team in places:
        _charts(world, place, place_team)
        _registry(world, place, place_team)
    assert team.organization is not None
    _organization_registry(world, team.organization)
    _alerts(world, *places)
    _write_evil()
    world.things[Over.NOTHING] = [NOTHING]
    _mail()
    _invitations(world, team, Team.objects.get(name="elsewhere"))
    for actor, scope in KEY_ACTORS:
        if actor != NOT_SIGNED_IN:
            world.keys[actor, scope] = make_key(users[actor], label=scope, scopes=SCOPES[scope])
    # a key notes its use once a minute; from the future it does not, which saves a write per cell
    ApiKey.objects.update(last_used_at=timezone.now() + timedelta(days=1), last_used_address="127.0.0.1")
    for owner in ("member", "stranger"):
        key = users[owner].api_keys.get(label="full")
        world.things[Over.KEY].append(Thing(f"key of {owner}", key, owner=owner))
        other = f"other-{owner}@example.com"
        email = EmailAddress.objects.create(user=users[owner], email=other, verified=True)
        world.things[Over.EMAIL].append(Thing(f"address of {owner}", email, owner=owner))
    _services(world)
    _destinations(world)
    for actor in (*WEB_ACTORS, DEPUTY, REGISTRAR):
        world.clients[actor] = Client()
        if actor != NOT_SIGNED_IN:
            world.clients[actor].force_login(users[actor])
    return world
