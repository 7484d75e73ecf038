"""TEAM-25: in worlds made by chance, an answer for one row, a list and "who may" are one decision.

Rows are made directly, so that there are also states that no service leaves behind: a custom role of another
organization, a place in a team without one in its organization, an invitation of somebody who has left.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Model
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from access.actions import ActionSpec, Preset, all_actions
from access.actor import ANONYMOUS, Actor
from access.engine import can, visible, who_may, who_may_each
from access.models import AuditEntry
from access.resources.registry import resource_of
from access.web.requests import actor_of_user
from accounts.models import ApiKey, Name, User, UserKind
from alerts.models import Destination, Message, Secret
from artifacts.models import (
    EVERYONE_ROLES,
    ArtifactType,
    Collection,
    CollectionKind,
    Registry,
    RegistryMember,
    RegistryRole,
    Version,
)
from automations.models import Automation
from billing.models import BillingAdmin, Invoice, PaymentMethod, Plan, Subscription
from billing.plans.catalogue import ensure_plans
from exports.models import Export
from runs.models import ChartAccess, Project, ProjectMember, Run, StoredChart
from runs.names.registries import MODEL_REGISTRY, PREFIX
from sweeps.models import Sweep
from teams.models import (
    Membership,
    Organization,
    OrganizationMember,
    ProductAccess,
    Role,
    RoleGrant,
    RoleLevel,
    ServiceAccount,
    Team,
    TeamKind,
    Visibility,
)

pytestmark = pytest.mark.django_db

ACTIONS: dict[str, ActionSpec] = dict(all_actions())
_BOOLEANS, _DELETED = st.booleans(), st.sampled_from([False, False, False, True])


@dataclass
class World:
    """Rows by the label of their model, and who asks about them."""

    draw: Any
    rows: dict[str, list[Any]] = field(default_factory=dict)
    users: list[User] = field(default_factory=list)

    def one(self, options: Any) -> Any:
        """Choose one."""
        return self.draw(st.sampled_from(list(options)))

    def some(self, options: Any) -> list[Any]:
        """Choose any number, each once."""
        return [option for option in options if self.draw(_BOOLEANS)]

    def add(self, row: Model) -> Any:
        """Store a row."""
        row.save()
        self.rows.setdefault(row._meta.label, []).append(row)
        return row


def _name(text: str) -> Name:
    return Name.objects.create(text=text)


def _user(world: World, name: str, kind: str = UserKind.PERSON) -> User:
    is_active = not world.draw(_DELETED)
    user = User(username=name, claim=_name(name), kind=kind, is_active=is_active, email=f"{name}@example.com")
    row: User = world.add(user)
    world.users.append(row)
    return row


def _roles(world: World, organizations: list[Organization]) -> dict[str, list[Role]]:
    """Return the roles of teams and of organizations: the built-in ones, and custom ones with any grants."""
    for organization in organizations:
        for number in range(2):
            base = Role.objects.get(preset=world.one([Preset.VIEW_ONLY, Preset.MEMBER]))
            role = Role.objects.create(organization=organization, name=f"custom {number}", base=base)
            actions = world.draw(st.frozensets(st.sampled_from(sorted(ACTIONS)), max_size=5))
            RoleGrant.objects.bulk_create([RoleGrant(role=role, action=action) for action in sorted(actions)])
    return {
        level: list(Role.objects.filter(level=level).order_by("pk"))
        for level in (RoleLevel.TEAM, RoleLevel.ORGANIZATION)
    }


def _organizations(world: World) -> tuple[list[Organization], list[Team]]:
    organizations: list[Organization] = []
    teams: list[Team] = []
    for number in range(2):
        organization = Organization(name=f"org{number}", claim=_name(f"org{number}"))
        organizations.append(world.add(organization))
        for letter in "ab":
            name = f"team{number}{letter}"
            team = Team(
                name=name, claim=_name(name), organization=organization, members_may_invite=world.draw(_BOOLEANS),
                deleted_at=timezone.now() if world.draw(_DELETED) else None,
            )  # fmt: skip
            teams.append(world.add(team))
    return organizations, teams


def _people(world: World, organizations: list[Organization], teams: list[Team]) -> None:
    roles = _roles(world, organizations)
    for number in range(3):
        user = _user(world, f"user{number}")
        personal = world.add(Team(name=user.username, claim=user.claim, kind=TeamKind.PERSONAL))
        teams.append(personal)
        Membership.objects.create(team=personal, user=user, role=Role.objects.get(preset=Preset.ADMIN))
        for organization in world.some(organizations):
            OrganizationMember.objects.create(
                organization=organization, user=user, role=world.one(roles[RoleLevel.ORGANIZATION]),
                models_access=world.one(ProductAccess.values),
            )  # fmt: skip
        for team in world.some(team for team in teams if team.organization_id):
            Membership.objects.create(team=team, user=user, role=world.one(roles[RoleLevel.TEAM]))
    for number, is_of_team in enumerate((True, False)):
        user = _user(world, f"bot{number}", UserKind.SERVICE)
        team = world.one(team for team in teams if team.organization_id)
        place = {"team": team} if is_of_team else {"organization": team.organization}
        role = world.one(roles[RoleLevel.TEAM])
        own = None if is_of_team else role  # a team's account has its membership's
        ServiceAccount.objects.create(user=user, label=f"bot{number}", role=own, **place)
        if is_of_team and world.draw(_BOOLEANS):
            Membership.objects.create(team=team, user=user, role=role)


def _work(world: World, teams: list[Team]) -> None:
    roles = list(Role.objects.filter(level=RoleLevel.TEAM).order_by("pk"))
    for number in range(4):
        project = Project(
            team=world.one(teams), name=f"project{number}", visibility=world.one(Visibility.values),
            deleted_at=timezone.now() if world.draw(_DELETED) else None,
        )  # fmt: skip
        world.add(project)
        for user in world.some(world.users):
            ProjectMember.objects.create(project=project, user=user, role=world.one(roles))
        owner = world.one([None, *world.users])
        world.add(Run(project=project, uid=f"run{number}", number=1, user=owner, started_at=timezone.now()))
        type_ = ArtifactType.objects.create(project=project, name="model")
        collection = Collection(project=project, type=type_, name="model", created_by=owner)
        world.add(Version(collection=world.add(collection), digest="0", created_by=owner))
        world.add(Sweep(project=project, uid=f"sweep{number}", method="random", created_by=owner))
    for number in range(2):
        access = world.one(ChartAccess.values)
        world.add(StoredChart(team=world.one(teams), name=f"chart{number}", access=access, spec="{}"))
        owner = world.one(world.users)
        world.add(ApiKey(user=owner, prefix=f"prefix{number}", hash=f"hash{number}"))
        world.add(EmailAddress(user=owner, email=f"address{number}@example.com"))
        world.add(Export(team=world.one(teams), asked_by=owner, state="canceled"))
        organization_id = world.one([None, *(team.organization_id for team in teams)])
        entry = AuditEntry(
            actor_name="x", action="run.stop", object_type="runs.Run", organization_id=organization_id
        )
        world.add(entry)


def _registries(world: World, organizations: list[Organization], teams: list[Team]) -> None:
    """Give organizations and a team registries, in which anybody and any team may have a role."""
    entities = [
        Team.objects.create(
            name=organization.name, claim=organization.claim, organization=organization, kind=TeamKind.ORGANIZATION
        )
        for organization in organizations
    ]  # fmt: skip
    for team, name in (*((entity, f"{PREFIX}x") for entity in entities), (world.one(teams), MODEL_REGISTRY)):
        everyone = "" if name == MODEL_REGISTRY else world.one(["", *EVERYONE_ROLES])
        is_restricted = name != MODEL_REGISTRY and not everyone
        project = Project(
            team=team, name=name, is_registry=True, deleted_at=timezone.now() if world.draw(_DELETED) else None,
            visibility=Visibility.RESTRICTED if is_restricted else Visibility.TEAM,
        )  # fmt: skip
        registry = world.add(Registry(project=world.add(project), everyone_role=everyone))
        for user in world.some(world.users):
            RegistryMember.objects.create(registry=registry, user=user, role=world.one(RegistryRole.values))
        for member in world.some(each for each in teams if each.organization_id == team.organization_id):
            RegistryMember.objects.create(registry=registry, team=member, role=world.one(RegistryRole.values))
        type_ = ArtifactType.objects.create(project=project, name="model")
        world.add(Collection(project=project, type=type_, name="best", kind=CollectionKind.PORTFOLIO))


def _alerts(world: World, teams: list[Team]) -> None:
    for number in range(2):
        team = world.one(teams)
        project = world.one([None, *(row for row in world.rows["runs.Project"] if row.team_id == team.pk)])
        owner = world.one([None, *world.users])
        told = {"team": team, "name": f"alerts{number}"}
        world.add(Automation(**told, project=project, event="RUN_STATE", action="NO_OP", created_by=owner))
        world.add(Destination(**told, kind="webhook", sealed_url="x"))
        world.add(Secret(**told, sealed="x"))
        message = Message(team=team, recipient=f"x{number}", is_open=False, send_at=timezone.now())
        world.add(message)


def _billing(world: World, organizations: list[Organization]) -> None:
    """Give organizations billing admins, admins of theirs or not, and both of them something to pay."""
    ensure_plans()
    plan = Plan.objects.order_by("pk")[0]
    for number, organization in enumerate(organizations):
        for user in world.some(world.users):
            BillingAdmin.objects.create(organization=organization, user=user)
        subscription = Subscription.objects.create(organization=organization, plan=plan)
        told = {"subscription": subscription}
        world.add(PaymentMethod(**told, gateway="manual", ref=f"ref{number}", brand="bank transfer"))
        days = {"period_start": "2026-01-01", "period_end": "2026-02-01", "due_at": timezone.now()}
        world.add(Invoice(**told, **days, sequence=1, number=f"invoice{number}", kind="period", total_usd=1))


def _built(draw: Any) -> World:
    world = World(draw)
    organizations, teams = _organizations(world)
    _people(world, organizations, teams)
    _work(world, teams)
    _registries(world, organizations, teams)
    _alerts(world, teams)
    _billing(world, organizations)
    return world


def _asking(world: World) -> tuple[Actor, User | None]:
    """Return somebody, with a key of any scopes or none."""
    user = world.one([None, *world.users])
    if user is None:
        return ANONYMOUS, None
    actor = actor_of_user(user)
    scopes = world.draw(st.none() | st.frozensets(st.sampled_from(sorted(ACTIONS))))
    limited = Actor(kind=actor.kind, user_id=actor.user_id, name=actor.name, scopes=scopes)
    return limited, user


def _check_list(actor: Actor, action: str, rows: list[Any]) -> None:
    shown = sorted(visible(actor, action, type(rows[0])._default_manager.all()).values_list("pk", flat=True))
    assert len(shown) == len(set(shown)), "a list shows each row once"
    allowed = sorted(row.pk for row in rows if can(actor, action, row))
    ours = {row.pk for row in rows}
    assert allowed == [pk for pk in shown if pk in ours], f"{actor} {action} {rows[0]._meta.label}"


def _check_who(world: World, action: str, row: Any) -> None:
    """Compare "who may" with asking everybody, where neither being public nor open lets others in, too."""
    spec, resource, manager = ACTIONS[action], resource_of(type(row)), type(row)._default_manager
    if spec.public and manager.filter(resource.public, pk=row.pk).exists():
        return
    named = set(who_may(action, row).values_list("pk", flat=True))
    each = who_may_each(action, manager.filter(pk=row.pk))
    assert (each[row.pk].people if row.pk in each else set()) == named, f"{action} {row!r}"
    for user in world.users:
        if spec.open and manager.filter(resource.open(user.pk), pk=row.pk).exists():
            continue
        expected = user.is_active and can(actor_of_user(user), action, row)
        assert (user.pk in named) is expected, f"{user} {action} {row!r}"


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(draw=st.data())
def test_can_is_in_visible_is_who_may(draw: Any):
    """TEAM-25: can == in visible == who may, for any registered action on a model of each world."""
    with transaction.atomic():
        world = _built(draw.draw)
        actor, _user = _asking(world)
        for action in draw.draw(
            st.lists(st.sampled_from(sorted(ACTIONS)), min_size=8, max_size=8, unique=True)
        ):
            rows = world.rows.get(world.one(ACTIONS[action].on))
            if rows:
                _check_list(actor, action, rows[:4])
                _check_who(world, action, world.one(rows))
        transaction.set_rollback(True)


def test_worlds_hold_a_row_of_every_model_that_actions_are_about():
    """TEAM-25: a model that is missing here would be checked by nobody."""
    about = {label for spec in ACTIONS.values() for label in spec.on}
    made = {
        model._meta.label
        for model in (
            User,
            ApiKey,
            EmailAddress,
            Organization,
            Team,
            Project,
            Run,
            StoredChart,
            Export,
            AuditEntry,
            Automation,
            Destination,
            Secret,
            Message,
            Invoice,
            PaymentMethod,
            Collection,
            Version,
            Registry,
            Sweep,
        )
    }
    assert about == made
