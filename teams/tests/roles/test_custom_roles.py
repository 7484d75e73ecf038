"""TEAM-20: roles that an organization defines, on View-only or Member, and what becomes of who holds them."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from access.actions import Preset, actions_by_group, all_actions, with_own
from access.actor import SYSTEM
from access.engine import can, visible
from access.models import AuditEntry
from access.signals import rights_changed
from common.errors import Conflict, Forbidden, Invalid, NotFound
from runs.access import ProjectAction, RunAction
from runs.models import ProjectMember, Run
from runs.projects.members import add_project_member
from teams.access import OrganizationAction, TeamAction
from teams.invitations.services import invite
from teams.members import services
from teams.models import GroupMapping, Organization, OrganizationMember, ProductAccess, Role, RoleGrant, Team
from teams.plan_policy import plan_policy
from teams.roles import custom
from teams.roles.builtin import addable_actions, built_in, sync_roles
from teams.roles.custom import MOST_ROLES, RoleFields
from teams.tests.visiting import organization, team
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    UserFactory,
    actor,
    make_member,
)

__all__ = ["organization", "team"]

pytestmark = pytest.mark.django_db


def _define(
    organization: Organization, *actions: str, name: str = "Labeler", base: Preset = Preset.VIEW_ONLY
) -> Role:
    fields = RoleFields(name, base, frozenset(map(str, actions)))
    return custom.create_role(actor=SYSTEM, organization=organization, fields=fields)


@pytest.fixture
def labeler(organization: Organization) -> Role:
    return _define(organization, RunAction.UPDATE)


@pytest.fixture
def run(team: Team) -> Run:
    return RunFactory(project__team=team)


class TestRegistry:
    def test_every_action_has_a_group_a_label_and_an_explanation(self):
        """TEAM-20: the editor is made of them."""
        bare = [name for name, spec in all_actions() if not (spec.group and spec.label and spec.help)]
        assert bare == []

    def test_explanations_are_sentences_and_labels_are_told_apart(self):
        assert [name for name, spec in all_actions() if not str(spec.help).endswith(".")] == []
        labels = [str(spec.label) for _, spec in all_actions()]
        assert len(labels) == len(set(labels))

    def test_nothing_of_organizations_or_of_people_can_be_added(self):
        """TEAM-20, TEAM-21: what only admins of the organization may is no part of a team's role."""
        subjects = {name.partition(".")[0] for name in addable_actions()}
        assert subjects == {"team", "project", "run", "chart", "artifact", "registry", "sweep", "automation"}
        assert not addable_actions() & {
            TeamAction.DELETE,
            TeamAction.MANAGE_PRIVACY,
            OrganizationAction.CREATE_TEAM,
        }

    def test_organization_admins_hold_whatever_they_can_add(self):
        """Or they could define what they may not do themselves."""
        held = set(built_in(Preset.ORGANIZATION_ADMIN).grants.values_list("action", flat=True))
        assert addable_actions() <= with_own(held)

    def test_subjects_stay_together(self):
        assert [*actions_by_group(addable_actions())][:4] == ["Team", "Projects", "Runs", "Charts"]


class TestDefining:
    def test_a_role_gives_its_base_and_what_it_adds(self, team: Team, run: Run, labeler: Role):
        lea = actor(make_member(team, labeler))
        assert can(lea, RunAction.VIEW, run)
        assert can(lea, RunAction.UPDATE, run)
        assert not can(lea, RunAction.LOG, run)
        assert list(visible(lea, RunAction.UPDATE, Run.objects.all())) == [run]

    def test_what_the_base_gives_is_not_added(self, organization: Organization):
        role = _define(organization, RunAction.VIEW, RunAction.UPDATE)
        assert custom.added_by(role) == {RunAction.UPDATE}

    def test_an_action_that_a_later_release_gives_the_base_reaches_roles_on_it(self, labeler: Role):
        base = built_in(Preset.VIEW_ONLY)
        gone = base.grants.get(action=RunAction.VIEW)
        RoleGrant.objects.filter(action=RunAction.VIEW).delete()
        assert not labeler.grants.filter(action=gone.action).exists()
        sync_roles()
        assert labeler.grants.filter(action=gone.action, is_added=False).exists()
        assert labeler.grants.filter(action=RunAction.UPDATE, is_added=True).exists()

    def test_an_action_that_is_no_more_goes_from_all_roles(self, labeler: Role):
        RoleGrant.objects.create(role=labeler, action="run.frobnicate", is_added=True)
        sync_roles()
        assert not labeler.grants.filter(action="run.frobnicate").exists()

    def test_syncing_twice_changes_nothing(self, labeler: Role):
        before = set(RoleGrant.objects.values_list("pk", flat=True))
        sync_roles()
        assert set(RoleGrant.objects.values_list("pk", flat=True)) == before

    @pytest.mark.parametrize("name", ["", "  ", "x" * 81, "Member", "view-ONLY", "Organization admin"])
    def test_refuses_names_that_are_none_or_those_of_built_in_roles(
        self, organization: Organization, name: str
    ):
        with pytest.raises(Invalid):
            _define(organization, name=name)

    def test_refuses_a_name_that_differs_by_case_alone(self, organization: Organization):
        _define(organization, name="Größe")
        with pytest.raises(Conflict, match="already has a role named “GRÖSSE”"):
            _define(organization, name="GRÖSSE")
        _define(OrganizationFactory(), name="Größe")

    @pytest.mark.parametrize("action", ["organization.view", "team.delete", "no.such", "export.use"])
    def test_refuses_what_no_role_of_teams_has(self, organization: Organization, action: str):
        with pytest.raises(Invalid, match=f"cannot include these permissions: {action}"):
            _define(organization, action)

    @pytest.mark.parametrize("base", [Preset.ADMIN, Preset.ORGANIZATION_ADMIN])
    def test_refuses_another_base(self, organization: Organization, base: Preset):
        with pytest.raises(Invalid, match="based on View-only or Member"):
            _define(organization, base=base)

    def test_refuses_more_than_a_hundred(self, organization: Organization):
        base = built_in(Preset.MEMBER)
        Role.objects.bulk_create(
            [Role(organization=organization, name=f"role {n}", base=base) for n in range(MOST_ROLES)]
        )
        with pytest.raises(Conflict, match="at most 100"):
            _define(organization)

    def test_is_a_feature_of_plans(
        self, organization: Organization, labeler: Role, monkeypatch: pytest.MonkeyPatch
    ):
        """TEAM-20: what is there goes on holding and can be deleted."""
        monkeypatch.setattr(
            plan_policy(), "has_feature", lambda _organization, feature: feature != "custom_roles"
        )
        with pytest.raises(Conflict, match="plan of acme does not include custom roles"):
            _define(organization, name="other")
        with pytest.raises(Conflict):
            custom.change_role_fields(
                actor=SYSTEM, role=labeler, fields=RoleFields("other", Preset.MEMBER, frozenset())
            )
        custom.delete_role(actor=SYSTEM, role=labeler)

    @pytest.mark.parametrize("preset", ["A", "M", "Om"])
    def test_is_for_admins_of_the_organization(self, team: Team, labeler: Role, preset: str):
        who = actor(make_member(team, Preset(preset)))
        fields = RoleFields("mine", Preset.MEMBER, frozenset())
        assert team.organization is not None
        with pytest.raises(Forbidden):
            custom.create_role(actor=who, organization=team.organization, fields=fields)
        with pytest.raises(Forbidden):
            custom.change_role_fields(actor=who, role=labeler, fields=fields)
        with pytest.raises(Forbidden):
            custom.delete_role(actor=who, role=labeler)

    def test_built_in_roles_cannot_be_changed(self):
        with pytest.raises(Invalid, match="built-in role"):
            custom.delete_role(actor=SYSTEM, role=built_in(Preset.MEMBER))

    def test_is_written_down_before_and_after(self, labeler: Role):
        fields = RoleFields("Reviewer", Preset.MEMBER, frozenset({RunAction.STOP}), "Night shift")
        custom.change_role_fields(actor=SYSTEM, role=labeler, fields=fields)
        made, changed = AuditEntry.objects.filter(action__startswith="role.").order_by("pk")
        assert made.after == {"name": "Labeler", "description": "", "base": "V", "adds": ["run.update"]}
        assert changed.before == made.after
        assert changed.after == {
            "name": "Reviewer", "description": "Night shift", "base": "M", "adds": ["run.stop"]
        }  # fmt: skip
        assert changed.organization_id == labeler.organization_id


class TestChanging:
    def test_holds_at_once_and_drops_what_is_remembered(
        self, team: Team, run: Run, labeler: Role, django_capture_on_commit_callbacks: Any
    ):
        """Permissions that processes remember end with the change."""
        lea = actor(make_member(team, labeler))
        told: list[Any] = []
        rights_changed.connect(lambda **_: told.append(1), weak=False, dispatch_uid="test")
        fields = RoleFields("Labeler", Preset.VIEW_ONLY, frozenset({RunAction.LOG}))
        with django_capture_on_commit_callbacks(execute=True):
            custom.change_role_fields(actor=SYSTEM, role=labeler, fields=fields)
        rights_changed.disconnect(dispatch_uid="test")
        assert told
        assert can(lea, RunAction.LOG, run)
        assert not can(lea, RunAction.UPDATE, run)

    def test_another_base_changes_what_open_invitations_fall_back_to(self, team: Team, labeler: Role):
        row = invite(actor=SYSTEM, team=team, role=labeler, email="new@example.com")
        fields = RoleFields("Labeler", Preset.MEMBER, frozenset())
        custom.change_role_fields(actor=SYSTEM, role=labeler, fields=fields)
        row.refresh_from_db()
        assert row.base_role == built_in(Preset.MEMBER)

    def test_may_keep_its_name_in_another_case(self, labeler: Role):
        fields = RoleFields("LABELER", Preset.VIEW_ONLY, frozenset())
        assert custom.change_role_fields(actor=SYSTEM, role=labeler, fields=fields).name == "LABELER"


class TestDeleting:
    def test_whoever_holds_it_falls_back_to_the_base(self, team: Team, labeler: Role):
        """TEAM-20: members, programs, invitations, restricted projects, groups of a provider."""
        person = make_member(team, labeler, username="lea")
        project = ProjectFactory(team=team, visibility="restricted")
        add_project_member(actor=SYSTEM, project=project, user=person, role=labeler)
        bot = ServiceAccountFactory(organization=team.organization, label="bot", role=labeler)
        row = invite(actor=SYSTEM, team=team, role=labeler, email="new@example.com")
        mapping = GroupMapping.objects.create(provider="okta", group="x", team=team, role=labeler)
        with pytest.raises(Conflict, match="becomes View-only") as refused:
            custom.delete_role(actor=SYSTEM, role=labeler)
        assert refused.value.detail == {
            "members": ["vision/lea"], "service_accounts": ["bot"], "pending_invitations": 1,
            "elsewhere": {"members of restricted projects": 1, "group mappings": 1},
        }  # fmt: skip
        custom.delete_role(actor=SYSTEM, role=labeler, is_confirmed=True)
        base = built_in(Preset.VIEW_ONLY)
        for held in (bot, row, mapping):
            held.refresh_from_db()
        assert person.memberships.get(team=team).role == base
        assert ProjectMember.objects.get(project=project).role == base
        assert (bot.role, row.granted_role, mapping.role) == (base, base, base)
        assert AuditEntry.objects.get(action="role.delete").before["held"] == refused.value.detail

    def test_everything_that_refers_to_roles_is_known(self, labeler: Role):
        """What refers to roles and is added later falls back, too, without a line here."""
        named = {model.__name__ for model, _column in custom._references()}
        assert {
            "Membership",
            "OrganizationMember",
            "ServiceAccount",
            "ProjectMember",
            "GroupMapping",
        } <= named

    def test_an_unused_role_needs_no_confirmation(self, organization: Organization, labeler: Role):
        custom.delete_role(actor=SYSTEM, role=labeler)
        with pytest.raises(NotFound):
            custom.role_of(organization, labeler.pk)

    def test_a_role_of_another_organization_is_not_found(self, labeler: Role):
        with pytest.raises(NotFound):
            custom.role_of(OrganizationFactory(), labeler.pk)


class TestAccessOfTheOrganization:
    """TEAM-1: what the organization lets a member do limits custom roles as it does built-in ones."""

    def _limit(self, access: str = ProductAccess.FULL, role: Preset = Preset.ORGANIZATION_MEMBER) -> None:
        OrganizationMember.objects.filter(user__username="lea").update(
            models_access=access, role=built_in(role)
        )

    def test_viewers_only_read_whatever_a_role_adds(self, team: Team, organization: Organization, run: Run):
        role = _define(organization, RunAction.UPDATE, RunAction.LOG, TeamAction.INVITE)
        lea = actor(make_member(team, role, username="lea"))
        self._limit(role=Preset.ORGANIZATION_VIEWER)
        assert can(lea, RunAction.VIEW, run)
        assert not can(lea, RunAction.UPDATE, run)
        assert not can(lea, RunAction.LOG, run.project)
        assert not can(lea, TeamAction.INVITE, team)

    def test_view_only_access_keeps_what_is_no_part_of_models(
        self, team: Team, organization: Organization, run: Run
    ):
        role = _define(organization, RunAction.UPDATE, TeamAction.INVITE)
        lea = actor(make_member(team, role, username="lea"))
        self._limit(ProductAccess.VIEW_ONLY)
        assert can(lea, TeamAction.INVITE, team)
        assert not can(lea, RunAction.UPDATE, run)

    def test_no_access_hides_everything(self, team: Team, run: Run, labeler: Role):
        lea = actor(make_member(team, labeler, username="lea"))
        self._limit(ProductAccess.NONE)
        assert not can(lea, RunAction.VIEW, run)
        assert not can(lea, ProjectAction.VIEW, run.project)

    def test_they_hold_in_restricted_projects_too(self, team: Team, organization: Organization):
        role = _define(organization, RunAction.UPDATE)
        lea = make_member(team, Preset.MEMBER, username="lea")
        run = RunFactory(project__team=team, project__visibility="restricted")
        add_project_member(actor=SYSTEM, project=run.project, user=lea, role=role)
        assert can(actor(lea), RunAction.UPDATE, run)
        assert not can(actor(lea), RunAction.LOG, run.project)
        self._limit(ProductAccess.VIEW_ONLY)
        assert not can(actor(lea), RunAction.UPDATE, run)

    def test_the_invite_switch_takes_roles_on_member_for_members(
        self, team: Team, organization: Organization
    ):
        """TEAM-4."""
        on_member = actor(make_member(team, _define(organization, name="on member", base=Preset.MEMBER)))
        on_view_only = actor(make_member(team, _define(organization, name="on view-only")))
        Team.objects.filter(pk=team.pk).update(members_may_invite=True)
        team.refresh_from_db()
        assert can(on_member, TeamAction.INVITE, team)
        assert not can(on_view_only, TeamAction.INVITE, team)


class TestRank:
    """TEAM-4, TEAM-20: a role that manages members makes nobody more than its holder is."""

    @pytest.fixture
    def steward(self, team: Team, organization: Organization) -> Any:
        role = _define(organization, TeamAction.MANAGE_MEMBERS, name="Steward", base=Preset.MEMBER)
        return actor(make_member(team, role, username="stew"))

    def test_gives_no_role_above_its_own(self, team: Team, steward: Any):
        bob = make_member(team, Preset.VIEW_ONLY).memberships.get(team=team)
        services.change_role(actor=steward, membership=bob, role=built_in(Preset.MEMBER))
        with pytest.raises(Forbidden, match="above your own"):
            services.change_role(actor=steward, membership=bob, role=built_in(Preset.ADMIN))
        with pytest.raises(Forbidden, match="above your own"):
            services.add_member(actor=steward, team=team, user=UserFactory(), role=built_in(Preset.ADMIN))

    def test_promotes_not_even_themselves(self, team: Team, steward: Any):
        own = team.memberships.get(user__username="stew")
        with pytest.raises(Forbidden, match="above your own"):
            services.change_role(actor=steward, membership=own, role=built_in(Preset.ADMIN))

    def test_takes_no_admin_down(self, team: Team, steward: Any):
        admin = make_member(team, Preset.ADMIN).memberships.get(team=team)
        with pytest.raises(Forbidden, match="above your own"):
            services.change_role(actor=steward, membership=admin, role=built_in(Preset.MEMBER))
        with pytest.raises(Forbidden, match="above your own"):
            services.remove_member(actor=steward, membership=admin)

    def test_admins_do_all_of_it(self, team: Team, organization: Organization):
        admin, labeler = actor(make_member(team, Preset.ADMIN)), _define(organization, RunAction.STOP)
        bob = make_member(team, Preset.ADMIN).memberships.get(team=team)
        for role in (labeler, built_in(Preset.ADMIN), built_in(Preset.VIEW_ONLY)):
            services.change_role(actor=admin, membership=bob, role=role)
        services.remove_member(actor=admin, membership=bob)


def test_rights_cost_one_query_however_many_roles(
    team: Team, run: Run, labeler: Role, organization: Organization
):
    lea = actor(make_member(team, labeler))
    for number in range(3):
        _define(organization, RunAction.LOG, name=f"role {number}")
    with CaptureQueriesContext(connection) as asked:
        assert not can(lea, RunAction.LOG, run)
    assert len(asked) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor == 'sqlite'", reason="SQLite writes one after the other")
def test_two_who_define_the_same_name_at_once_make_one_role(organization: Organization):
    outcomes: list[str] = []

    def make() -> None:
        try:
            _define(organization, name="Twin")
            outcomes.append("made")
        except Conflict:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=make) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made", "refused", "refused"]
