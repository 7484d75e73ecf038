"""TEAM-21: two accounts of one person become one: everything moves, nothing is lost, and it is said before."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.apps import apps
from django.db.models import ForeignKey
from django.test import Client
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.lifecycle.account_merge import merge_accounts, plan_merge
from accounts.lifecycle.services import create_service_user, set_active
from accounts.models import ApiKey, User
from alerts.models import AlertSettings, Delivery, Destination, Event, EventKind, Message, Mute, Route, Secret
from alerts.tests.places import a_place
from automations.models import Automation
from billing.models import BillingAdmin
from common.errors import Conflict, Invalid, NotFound
from exports.services import request_export
from runs.lifecycle import services as lifecycle
from runs.models import Project, ProjectMember, Run, SavedView, StoredChart
from storage.services import record_bytes, stored_bytes
from sweeps.agents.services import register_agent
from sweeps.lifecycle.services import create_sweep
from sweeps.models import Sweep, SweepAgent
from teams.invitations.services import invite
from teams.members.services import add_member
from teams.models import Invitation, Membership, Organization, OrganizationMember, Team
from teams.organizations.services import create_organization
from teams.roles.builtin import built_in
from tests.factories import (
    ProjectFactory,
    RunFactory,
    TeamFactory,
    UserFactory,
    actor,
    delivered,
    make_key,
    make_member,
)

pytestmark = pytest.mark.django_db


def personal(user: User) -> Team:
    return Team.objects.get(claim=user.claim_id)


def merge(source: User, target: User) -> None:
    merge_accounts(actor=SYSTEM, source=source, target=target, typed=source.username)


def finished(run: Run) -> Run:
    lifecycle.finish_run(run_id=run.pk, exit_code=0, at=timezone.now())
    return run


@pytest.fixture
def ada() -> User:
    return UserFactory(username="ada", email="ada@example.com")


@pytest.fixture
def old() -> User:
    """Give an account that has something in every table that names a person."""
    user = UserFactory(username="old", email="old@example.com")
    team = TeamFactory(name="lab")
    add_member(actor=SYSTEM, team=team, user=user, role=built_in(Preset.ADMIN))
    create_organization(actor=SYSTEM, name="own-org", admin=user)
    make_key(user)
    SocialAccount.objects.create(user=user, provider="github", uid="7")
    Authenticator.objects.create(user=user, type="totp", data={})
    project = ProjectFactory(team=team, name="shared")
    Project.objects.filter(pk=project.pk).update(created_by=user)
    RunFactory(project=project, user=user)
    run = finished(RunFactory(project=ProjectFactory(team=personal(user), name="notes"), user=user))
    Run.objects.update(logged_by=user)
    text = "{method: random, parameters: {lr: {values: [1, 2]}}}"
    sweep, _warnings = create_sweep(actor=actor(user), project=project, config_text=text)
    register_agent(actor=actor(user), sweep=sweep, host="")
    record_bytes(
        team_id=personal(user).pk, project_id=run.project_id, run_id=run.pk, delta_bytes=70, category="file"
    )
    SavedView.objects.create(project=project, user=user, name="mine")
    SavedView.objects.create(project=project, user=user, name="")
    StoredChart.objects.create(team=personal(user), name="chart", spec="{}", created_by=user)
    ProjectMember.objects.create(project=project, user=user, role=built_in(Preset.MEMBER))
    invite(actor=actor(user), team=team, role=built_in(Preset.MEMBER), email="x@example.com")
    invite(actor=SYSTEM, team=TeamFactory(name="asking"), role=built_in(Preset.MEMBER), username="old")
    request_export(actor=actor(user), team=personal(user))
    _give_alerts(user, team, run)
    return user


def _give_alerts(user: User, team: Team, run: Run) -> None:
    """Let alerts go to a webhook of one's own that a secret signs, and be made in a team, too."""
    own = personal(user)
    place = a_place(own, "phone")
    Destination.objects.filter(pk=place.pk).update(
        created_by=user, signing_secret_name="token", template="${token}"
    )
    Secret.objects.create(team=own, name="token", sealed="x", created_by=user)
    Automation.objects.create(
        team=own, name="tell", event="RUN_STATE", action="GENERIC_WEBHOOK", destination=place, created_by=user
    )
    Destination.objects.create(team=team, name="#lab", kind="slack", created_by=user)
    Route.objects.create(settings=AlertSettings.objects.create(user=user, on_crashed=True), destination=place)
    Mute.objects.create(user=user, team=team)
    message = Message.objects.create(recipient=f"user:{user.pk}", user=user, send_at=timezone.now())
    event = Event.objects.create(kind=EventKind.RUN_STATE, team=own, project=run.project, run=run)
    Delivery.objects.create(event=event, message=message, recipient=message.recipient)


def test_everything_changes_hands(old: User, ada: User):
    """TEAM-21."""
    merge(old, ada)
    assert Membership.objects.get(team__name="lab", user=ada).role.preset == Preset.ADMIN
    assert OrganizationMember.objects.get(organization__name="own-org").user == ada
    assert BillingAdmin.objects.get(organization__name="own-org").user == ada
    assert ApiKey.objects.get().user == ada
    assert SocialAccount.objects.get().user == ada
    addresses = EmailAddress.objects.filter(user=ada).values_list("email", "primary", "verified")
    assert set(addresses) == {("ada@example.com", True, True), ("old@example.com", False, True)}
    assert {run.user for run in Run.objects.all()} == {run.logged_by for run in Run.objects.all()} == {ada}
    moved = Project.objects.get(name="notes")
    assert (moved.team, moved.deleted_at) == (personal(ada), None)
    assert stored_bytes(team_id=personal(ada).pk) == 70
    assert stored_bytes(team_id=personal(old).pk) == 0
    assert Project.objects.get(name="shared").created_by == ada
    assert (Sweep.objects.get().created_by, SweepAgent.objects.get().user) == (ada, ada)
    assert set(SavedView.objects.values_list("user__username", "name")) == {("ada", "mine"), ("ada", "")}
    assert StoredChart.objects.get().team == personal(ada)
    assert ProjectMember.objects.get().user == ada
    assert Invitation.objects.get(email="x@example.com").invited_by == ada
    assert Invitation.objects.pending().get(team__name="asking").user == ada


def test_alerts_change_hands(old: User, ada: User):
    """TEAM-21, ALR-2."""
    merge(old, ada)
    assert AlertSettings.objects.get().user == ada
    assert set(Destination.objects.values_list("team__name", "name", "created_by__username")) == {
        ("ada", "phone", "ada"),
        ("lab", "#lab", "ada"),
    }
    assert Automation.objects.get().team == Secret.objects.get().team == personal(ada)
    assert Mute.objects.get().user == ada
    assert {event.team for event in Event.objects.all()} == {personal(ada)}
    message = Message.objects.get()
    assert (message.user, message.recipient, message.is_open) == (ada, f"user:{ada.pk}", False)
    assert Delivery.objects.get().recipient == message.recipient


def test_alerts_that_both_have_keep_working(old: User, ada: User):
    """TEAM-21: the choice of the account that stays holds, and no way, name or secret is lost."""
    kept = AlertSettings.objects.create(user=ada)
    Mute.objects.create(user=ada, team=Team.objects.get(name="lab"))
    Secret.objects.create(team=personal(ada), name="token", sealed="y")
    a_place(personal(ada), "phone")
    merge(old, ada)
    assert AlertSettings.objects.get() == kept
    route = Route.objects.select_related("destination").get()
    assert (route.settings, route.destination.name) == (kept, "phone-old")
    name = Secret.objects.get(sealed="x").name
    assert name != "token"
    assert (route.destination.signing_secret_name, route.destination.template) == (name, f"${{{name}}}")
    assert Mute.objects.get().user == ada


def test_nothing_names_the_account_that_ended_but_what_was_its_own(old: User, ada: User):
    """TEAM-21: whoever adds a table that names people says what becomes of it in a merge."""
    merge(old, ada)
    left: set[str] = set()
    for model in apps.get_models():
        for field in model._meta.get_fields():
            if isinstance(field, ForeignKey) and field.related_model is User:
                rows: Any = model._default_manager.filter(**{field.name: old.pk})
                left |= {f"{model._meta.label}.{field.name}"} if rows.exists() else set()
    assert left <= {"access.AuditEntry.user"}
    old.refresh_from_db()
    assert old.deleted_at is not None
    assert not old.is_active
    assert personal(old).deleted_at is not None
    assert not Authenticator.objects.exists()


def test_it_is_audited_on_both_sides_and_told(old: User, ada: User):
    """TEAM-21."""
    merge(old, ada)
    entry = AuditEntry.objects.get(action="account.merge", object_name="ada")
    assert entry.after["merged"] == "old"
    assert entry.after["moved"]["runs"] == 2
    assert AuditEntry.objects.filter(action="account.merge_away", object_name="old").exists()
    assert ("ada@example.com", "Your accounts old and ada were merged") in [
        (mail.to[0], mail.subject) for mail in delivered()
    ]


def test_what_both_have_keeps_the_names_and_the_stronger_role(old: User, ada: User):
    """TEAM-5, TEAM-21: no team loses its last admin, no project its name."""
    lab = Team.objects.get(name="lab")
    add_member(actor=SYSTEM, team=lab, user=ada, role=built_in(Preset.VIEW_ONLY))
    ProjectFactory(team=personal(ada), name="notes")
    project = Project.objects.get(name="shared")
    SavedView.objects.create(project=project, user=ada, name="mine")
    SavedView.objects.create(project=project, user=ada, name="", spec={"kept": True})
    StoredChart.objects.create(team=personal(ada), name="chart", spec="{}")
    assert any("notes → notes-old" in line.note for line in plan_merge(old, ada).lines)
    merge(old, ada)
    assert Membership.objects.get(team=lab, user=ada).role.preset == Preset.ADMIN
    names = set(Project.objects.live().filter(team=personal(ada)).values_list("name", flat=True))
    assert names == {"notes", "notes-old"}
    views = SavedView.objects.filter(user=ada).values_list("name", flat=True)
    assert sorted(views) == ["", "mine", "mine-old"]
    assert SavedView.objects.get(user=ada, name="").spec == {"kept": True}
    assert set(StoredChart.objects.values_list("name", flat=True)) == {"chart", "chart-old"}


def test_a_run_under_way_in_a_personal_project_stands_in_the_way(ada: User):
    """TEAM-21: its client knows it by its old path."""
    old = UserFactory(username="old")
    run = RunFactory(project=ProjectFactory(team=personal(old)), user=old)
    with pytest.raises(Conflict, match="still running"):
        merge(old, ada)
    assert User.objects.get(pk=old.pk).is_active
    finished(run)
    merge(old, ada)


def test_neither_operators_nor_programs_nor_what_ended_nor_itself(ada: User):
    """TEAM-21."""
    boss, off = UserFactory(is_operator=True), UserFactory()
    set_active(actor=SYSTEM, user=off, is_active=False)
    bot = create_service_user(username="t.bot", display_name="bot")
    pairs: list[tuple[User, User]] = [(boss, ada), (bot, ada), (ada, bot), (ada, ada), (ada, off)]
    for source, target in pairs:
        with pytest.raises(Conflict):
            merge(source, target)
    with pytest.raises(Invalid, match="Type the username"):
        merge_accounts(actor=SYSTEM, source=off, target=ada, typed="x")
    with pytest.raises(NotFound):
        merge_accounts(actor=actor(ada), source=off, target=ada, typed=off.username)
    assert Organization.objects.count() == 0


def test_the_page_shows_what_would_move_before_it_does(client: Client, old: User, ada: User):
    """TEAM-21: a dry preview."""
    client.force_login(UserFactory(username="boss", is_operator=True))
    path = f"/admin/accounts/user/{old.pk}/do/merge/"
    seen = client.post(path, {"into": "ada", "typed": "old"}).content.decode()
    assert "old would be merged into ada" in seen
    assert "runs: 2" in seen
    assert User.objects.get(pk=old.pk).is_active
    done = client.post(path, {"into": "ada", "typed": "old", "confirmed": "yes"})
    assert done.headers["Location"] == f"/admin/accounts/user/{ada.pk}/change/"
    assert not User.objects.get(pk=old.pk).is_active


def test_an_old_key_goes_on_working_as_the_account_that_stays(client: Client, ada: User):
    """ACC-40."""
    old = make_member(TeamFactory(), username="old")
    secret = make_key(old)
    merge(old, ada)
    answer = client.post(
        "/graphql",
        {"query": "{ viewer { username } }"},
        "application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )
    assert answer.json()["data"]["viewer"]["username"] == "ada"
