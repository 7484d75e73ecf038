"""The engine: one decision as a filter, as an answer, as an exception, and turned round."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import Model, Q
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from access.actions import Preset, UnknownActionError, all_actions, presets, register_actions
from access.actor import ANONYMOUS, SYSTEM, Actor, ActorKind
from access.audit import log
from access.callers.elevation import elevated
from access.engine import can, require, require_operator, visible, who_may, who_may_each
from access.models import AuditEntry
from access.resources.registry import resource_of
from access.web.requests import actor_of_user
from accounts.access import AccountAction
from accounts.models import ApiKey, Name, User
from common.database import compiled_sql
from common.errors import Forbidden, NotFound
from runs.access import ProjectAction, RunAction
from runs.models import Project, Run
from runs.projects.members import add_project_member
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, Team
from teams.roles.builtin import built_in
from tests.factories import (
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    custom_role,
    make_key,
    make_member,
)
from tests.matrix.world import World, build
from tests.suite.examples import examples

pytestmark = pytest.mark.django_db


def _limited(user: User, *scopes: str) -> Actor:
    return Actor(kind=ActorKind.PERSON, user_id=user.pk, name=user.username, scopes=frozenset(scopes))


@pytest.fixture
def run() -> Run:
    return RunFactory()


class TestRequire:
    def test_not_visible_is_not_found(self, run: Run):
        with pytest.raises(NotFound):
            require(actor(UserFactory()), RunAction.UPDATE, run)

    def test_visible_but_missing_is_forbidden_and_named(self, run: Run):
        viewer = make_member(run.project.team, Preset.VIEW_ONLY, username="vera")
        with pytest.raises(
            Forbidden, match="You don’t have the permission “Edit runs” on the run"
        ) as refused:
            require(actor(viewer), RunAction.UPDATE, run)
        assert refused.value.action == "run.update"
        assert refused.value.detail == {"permission": "run.update"}
        assert "can give vera a role that includes it: Member, Admin." in refused.value.message

    def test_a_key_whose_scopes_lack_the_action_is_told_so(self, run: Run):
        member = make_member(run.project.team)
        with pytest.raises(Forbidden, match=r"do not include run\.update\. Use a key with"):
            require(_limited(member, RunAction.VIEW), RunAction.UPDATE, run)

    def test_allowed_passes(self, run: Run):
        require(actor(make_member(run.project.team)), RunAction.UPDATE, run)

    def test_an_unknown_action_is_an_error_never_a_permission(self, run: Run):
        for who in (ANONYMOUS, SYSTEM, actor(run.user or UserFactory())):
            with pytest.raises(UnknownActionError):
                can(who, "run.upadte", run)

    def test_an_action_of_another_model_is_an_error(self, run: Run):
        with pytest.raises(UnknownActionError):
            can(SYSTEM, TeamAction.VIEW, run)

    def test_a_model_that_is_not_registered_is_an_error(self):
        with pytest.raises(LookupError):
            can(SYSTEM, RunAction.VIEW, Name.objects.create(text="somebody"))

    def test_an_action_is_registered_once(self):
        spec = dict(all_actions())[RunAction.VIEW]
        register_actions({RunAction.VIEW: spec})
        with pytest.raises(ValueError, match="twice"):
            register_actions({RunAction.VIEW: dict(all_actions())[RunAction.STOP]})


class TestAnonymous:
    @pytest.fixture(autouse=True)
    def _nobodys(self, run: Run):
        Run.objects.update(user=None)

    def test_never_owns_what_has_no_owner(self, run: Run):
        """A NULL owner must not meet an anonymous actor's None."""
        for name, spec in all_actions():
            if "runs.Run" in spec.on:
                assert not can(ANONYMOUS, name, run)

    def test_sees_public_runs_and_logs_to_none(self, run: Run):
        Project.objects.update(visibility="open")
        assert can(ANONYMOUS, RunAction.VIEW, run)
        assert not can(ANONYMOUS, RunAction.LOG, run)
        assert not can(ANONYMOUS, RunAction.LOG, run.project)


class TestKeyScopes:
    @pytest.mark.parametrize("visibility", ["team", "public", "open"])
    def test_a_key_reaches_no_further_than_its_scopes(self, visibility: str):
        run = RunFactory(project__visibility=visibility)
        member = make_member(run.project.team)
        nothing, reads = _limited(member), _limited(member, RunAction.VIEW)
        assert not can(nothing, RunAction.VIEW, run)
        assert can(reads, RunAction.VIEW, run)
        assert not can(reads, RunAction.LOG, run)

    def test_scopes_give_nothing_that_the_owner_lacks(self, run: Run):
        assert not can(_limited(UserFactory(), RunAction.VIEW), RunAction.VIEW, run)

    def test_scopes_hold_for_a_persons_own_things_too(self):
        user = UserFactory()
        make_key(user)
        keys = ApiKey.objects.all()
        assert visible(_limited(user, AccountAction.VIEW_KEYS), AccountAction.VIEW_KEYS, keys).exists()
        assert not visible(_limited(user), AccountAction.VIEW_KEYS, keys).exists()


class TestKeptQueries:
    """What is kept of a check is its text: no answer, and nothing of who asked about what."""

    def test_a_check_that_was_asked_before_hears_of_what_changed_since(self, run: Run):
        member = make_member(run.project.team)
        asked = [lambda: can(actor(member), RunAction.UPDATE, run)]
        asked += [lambda: visible(actor(member), RunAction.UPDATE, Run.objects.all()).exists()]
        assert [ask() for ask in asked] == [True, True]
        place = member.memberships.get(team=run.project.team)
        place.delete()
        assert [ask() for ask in asked] == [False, False]
        place.save(force_insert=True)
        assert [ask() for ask in asked] == [True, True]

    def test_others_and_other_rows_get_answers_of_their_own_from_the_same_text(self, run: Run):
        other: Run = RunFactory()
        people: list[User] = [make_member(run.project.team), make_member(other.project.team), UserFactory()]
        first = can(actor(people[0]), RunAction.UPDATE, run)
        kept = set(compiled_sql._compiled)
        answers = [can(actor(person), RunAction.UPDATE, row) for person in people for row in (run, other)]
        assert first
        assert answers == [True, False, False, True, False, False]
        assert set(compiled_sql._compiled) == kept

    def test_keys_of_other_scopes_have_other_texts(self, run: Run):
        member = make_member(run.project.team)
        for scopes, may in (
            ({RunAction.UPDATE}, True),
            ({RunAction.VIEW}, False),
            ({RunAction.UPDATE}, True),
        ):
            assert can(_limited(member, *scopes), RunAction.UPDATE, run) is may

    def test_a_row_that_was_never_saved_is_nobodys(self, run: Run):
        assert not can(SYSTEM, RunAction.VIEW, Run(project=run.project))


def test_the_system_and_an_elevated_operator_may_everything(run: Run):
    operator = actor_of_user(UserFactory(is_operator=True), elevated=True)
    for name, spec in all_actions():
        if "runs.Run" in spec.on:
            assert can(SYSTEM, name, run)
            assert can(operator, name, run)


def test_an_operator_without_elevation_is_a_stranger(run: Run):
    """TEAM-21."""
    assert not can(actor(UserFactory(is_operator=True)), RunAction.VIEW, run)


class TestRequireOperator:
    """What belongs to the installation is for operators who ask for their rights; every adapter makes its actor so."""

    def test_lets_pass_operators_who_use_their_rights_and_the_machine(self):
        boss = UserFactory(is_operator=True)
        require_operator(actor_of_user(boss, elevated=True), "operator")
        require_operator(elevated(actor(boss), "true", what="a test"), "operator")
        require_operator(SYSTEM, "operator")

    @pytest.mark.parametrize(
        "who", ["nobody", "person", "service account", "scoped key", "not asked", "acting"]
    )
    def test_refuses_everybody_else(self, who: str):
        boss = UserFactory(is_operator=True, username="boss")
        ada = UserFactory()
        ada.impersonated_by = boss.username
        asking = {
            "nobody": ANONYMOUS,
            "person": actor(UserFactory()),
            "service account": actor(ServiceAccountFactory(team=TeamFactory())),
            "scoped key": _limited(boss, *(name for name, _ in all_actions())),
            "acting": actor_of_user(ada, elevated=True),
        }
        found = actor(boss) if who == "not asked" else elevated(asking[who], "true", what="a test")
        with pytest.raises(Forbidden, match="Only operators of this installation can do this") as refusal:
            require_operator(found, "plan.save")
        assert refusal.value.action == "plan.save"


def test_only_an_operator_can_be_elevated():
    assert not actor_of_user(UserFactory(), elevated=True).elevated


def test_a_custom_role_adds_to_its_base(run: Run):
    """TEAM-20: based on View-only, with the right to change runs."""
    organization = run.project.team.organization
    assert organization is not None
    role = custom_role(organization, [RunAction.VIEW, RunAction.UPDATE])
    editor = actor(make_member(run.project.team, role))
    assert can(editor, RunAction.UPDATE, run)
    assert not can(editor, RunAction.DELETE, run)


def test_own_follows_the_creator():
    """TEAM-22: in one project, a member deletes their own runs and nobody else's."""
    mine = RunFactory()
    member = make_member(mine.project.team)
    Run.objects.filter(pk=mine.pk).update(user=member)
    others = RunFactory(project=mine.project)
    assert can(actor(member), RunAction.DELETE, mine)
    assert not can(actor(member), RunAction.DELETE, others)


def test_a_member_who_left_no_longer_owns_there():
    run = RunFactory()
    member = make_member(run.project.team)
    Run.objects.filter(pk=run.pk).update(user=member)
    member.memberships.filter(team=run.project.team).delete()
    assert not can(actor(member), RunAction.DELETE, run)
    assert not can(actor(member), RunAction.VIEW, run)


class TestRestricted:
    """TEAM-24: Restricted is for the invited only; admins manage who they are."""

    @pytest.fixture
    def project(self) -> Project:
        return ProjectFactory(visibility="restricted")

    @pytest.mark.parametrize("preset", sorted(presets("V M A O")))
    def test_roles_of_the_team_do_not_reach_in(self, project: Project, preset: Preset):
        assert not can(actor(make_member(project.team, preset)), ProjectAction.VIEW, project)

    @pytest.mark.parametrize(("preset", "may"), [("A", True), ("O", True), ("M", False), ("V", False)])
    def test_admins_manage_its_members(self, project: Project, preset: str, may: bool):
        person = actor(make_member(project.team, Preset(preset)))
        assert can(person, ProjectAction.MANAGE_MEMBERS, project) is may
        assert can(person, ProjectAction.CHANGE_VISIBILITY, project) is may

    def test_the_invitations_role_replaces_the_teams(self, project: Project):
        member = make_member(project.team, Preset.MEMBER)
        add_project_member(actor=SYSTEM, project=project, user=member, role=built_in(Preset.VIEW_ONLY))
        run = RunFactory(project=project, user=member)
        assert can(actor(member), RunAction.VIEW, run)
        assert not can(actor(member), RunAction.LOG, run)

    def test_an_invitation_counts_only_while_the_project_is_restricted(self, project: Project):
        viewer = make_member(project.team, Preset.VIEW_ONLY)
        add_project_member(actor=SYSTEM, project=project, user=viewer, role=built_in(Preset.MEMBER))
        Project.objects.update(visibility="team")
        assert not can(actor(viewer), RunAction.LOG, project)

    def test_who_leaves_the_team_loses_the_invitation(self, project: Project):
        member = make_member(project.team, Preset.MEMBER)
        add_project_member(actor=SYSTEM, project=project, user=member, role=built_in(Preset.MEMBER))
        member.memberships.filter(team=project.team).delete()
        assert not can(actor(member), ProjectAction.VIEW, project)


def _rows(world: World) -> list[Model]:
    things = [thing.row for kind in world.things.values() for thing in kind if thing.row is not None]
    return [*things, *Organization.objects.all(), *Team.objects.all()]


def _people(world: World) -> list[User]:
    return list(world.users.values())


def _keys(model: type[Model], found: Q) -> set[int]:
    return set(model._default_manager.filter(found).values_list("pk", flat=True))


@pytest.mark.turns
@pytest.mark.takes(20)
def test_who_may_agrees_with_can_and_with_who_may_each_for_everybody_and_everything():
    """The inverse names exactly who may by role or ownership; what is public or open needs no role.

    The inverse for many rows names the same people, and besides says what is public.
    """
    world = build()
    by_label: dict[str, list[Model]] = defaultdict(list)
    for row in _rows(world):
        by_label[row._meta.label].append(row)
    people, checked = _people(world), 0
    for name, spec in all_actions():
        for rows in filter(None, map(by_label.get, spec.on)):
            model = type(rows[0])
            resource = resource_of(model)
            public = _keys(model, resource.public) if spec.public else set()
            opened = {
                user.pk: _keys(model, resource.open(user.pk)) if spec.open else set() for user in people
            }
            held = who_may_each(name, model._default_manager.filter(pk__in=[row.pk for row in rows]))
            for row in rows:
                named = set(who_may(name, row).values_list("pk", flat=True))
                assert (held[row.pk].people if row.pk in held else set()) == named, f"{name} {row!r}"
                if row.pk in held:
                    assert held[row.pk].is_public is (row.pk in public)
                for user in people:
                    if user.pk in named or row.pk not in public | opened[user.pk]:
                        assert can(actor(user), name, row) is (user.pk in named), f"{user} {name} {row!r}"
                    checked += 1
    assert checked > 1000


def test_who_may_each_asks_as_much_for_many_rows_as_for_one(run: Run, django_assert_num_queries: Any):
    others = [make_member(run.project.team) for _ in range(3)]
    for _ in range(5):
        RunFactory()
    with django_assert_num_queries(5):
        who_may_each(RunAction.VIEW, Run.objects.filter(pk=run.pk))
    with django_assert_num_queries(5):
        held = who_may_each(RunAction.VIEW, Run.objects.all(), among=[others[0].pk])
    assert held[run.pk].people == {others[0].pk}


def test_who_may_leaves_out_accounts_that_are_switched_off(run: Run):
    member = make_member(run.project.team)
    assert member in who_may(RunAction.LOG, run)
    User.objects.filter(pk=member.pk).update(is_active=False)
    assert member not in who_may(RunAction.LOG, run)


_ACTIONS = [
    *RunAction, ProjectAction.VIEW, ProjectAction.UPDATE, ProjectAction.CREATE, TeamAction.VIEW, TeamAction.INVITE,
    TeamAction.DELETE, OrganizationAction.VIEW, AccountAction.VIEW_KEYS,
]  # fmt: skip


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_can_is_being_in_the_visible_rows(world_once: World, data: Any):
    """For any actor, action and key scopes, one row and the list are decided alike."""
    action = data.draw(st.sampled_from(_ACTIONS))
    rows = [row for row in _rows(world_once) if row._meta.label in dict(all_actions())[str(action)].on]
    row = data.draw(st.sampled_from(rows))
    scopes = data.draw(st.none() | st.frozensets(st.sampled_from([str(each) for each in _ACTIONS])))
    user = data.draw(st.none() | st.sampled_from(_people(world_once)))
    who = ANONYMOUS if user is None else Actor(kind=ActorKind.PERSON, user_id=user.pk, scopes=scopes)
    shown = visible(who, action, type(row)._default_manager.all())
    assert can(who, action, row) is (row in shown)
    assert shown.count() == shown.distinct().count(), "a list shows each row once"


@pytest.fixture
def world_once() -> World:
    return build()


class TestQueries:
    def test_can_and_visible_are_one_query_each(
        self, run: Run, django_assert_num_queries: Callable[..., Any]
    ):
        member = actor(make_member(run.project.team))
        with django_assert_num_queries(1):
            assert can(member, RunAction.STOP, run) is False
        with django_assert_num_queries(1):
            assert list(visible(member, RunAction.VIEW, Run.objects.all())) == [run]

    def test_a_refusal_costs_two_and_what_it_explains(
        self, run: Run, django_assert_max_num_queries: Callable[..., CaptureQueriesContext]
    ):
        member = actor(make_member(run.project.team))
        with django_assert_max_num_queries(2 + 30), pytest.raises(Forbidden):
            require(member, RunAction.STOP, run)


def test_an_audit_entry_says_who_did_what_to_what_from_where(run: Run):
    user = UserFactory(username="ada")
    who = Actor(kind=ActorKind.PERSON, user_id=user.pk, name="ada", key_id=7, address="192.0.2.1")
    log.record(who, RunAction.STOP, run, before={"state": "running"}, organization_id=1, team_id=2)
    entry = AuditEntry.objects.get(action="run.stop")
    assert (entry.user, entry.actor_name, entry.actor_kind) == (user, "ada", "person")
    assert (entry.key_id, entry.address, entry.object_type) == (7, "192.0.2.1", "runs.Run")
    assert (entry.object_id, entry.before, entry.team_id) == (str(run.pk), {"state": "running"}, 2)


def test_an_audit_entry_outlives_its_actor(run: Run):
    bot = ServiceAccountFactory(team=TeamFactory()).user
    log.record(actor(bot), RunAction.STOP, run)
    bot.memberships.all().delete()
    bot.delete()
    assert AuditEntry.objects.get(action="run.stop").actor_name == bot.username
