"""Explanations say what the engine decides, and from the same sources (TEAM-21)."""

import dataclasses
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Model
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from access.actions import Preset, all_actions
from access.actor import ANONYMOUS, SYSTEM, Actor, ActorKind
from access.engine import can, require
from access.explain import Explanation, explain
from access.web.requests import actor_of_user
from accounts.access import AccountAction
from accounts.models import User
from billing.models import BillingAdmin
from common.errors import Forbidden, NotFound
from runs.access import ProjectAction, RunAction
from runs.models import Project, ProjectMember, Run
from runs.projects.members import add_project_member
from teams.access import OrganizationAction, TeamAction
from teams.models import Membership, Organization, OrganizationMember, ProductAccess, Role, Team
from teams.roles.builtin import built_in
from tests.factories import (
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    UserFactory,
    actor,
    custom_role,
    make_member,
)
from tests.matrix.world import World, build
from tests.plans import lacking
from tests.suite.examples import examples
from usage.access import BillingAction

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return RunFactory(project__team__name="vision", project__name="cifar", user=UserFactory(username="olga"))


def _kinds(found: Explanation) -> set[str]:
    return {reason.kind for reason in found.because}


def _check(who: Actor, action: str, row: Model) -> Explanation:
    """Hold the explanation against the decision, and against itself."""
    found = explain(who, action, row)
    told = f"{who.name} {action} {row!r}: {found}"
    assert found.allowed is can(who, action, row), told
    assert any(reason.holds for reason in found.because) is found.allowed, told
    assert found.verdict.startswith("Yes" if found.allowed else "No"), told
    assert all(reason.text and "%(" not in reason.text + reason.help for reason in found.because), told
    assert not (found.allowed and found.helps), told
    return found


@pytest.fixture
def world_once() -> World:
    return build()


def _rows(world: World) -> list[Model]:
    things = [thing.row for kind in world.things.values() for thing in kind if thing.row is not None]
    return [*things, *Organization.objects.all(), *Team.objects.all()]


def _change_the_world(data: Any) -> None:
    """Bend the rules for somebody: access, roles, invitations, the switch, deletion."""
    places = list(OrganizationMember.objects.filter(user__username__in=("viewer", "member", "lead", "chief")))
    place = data.draw(st.sampled_from(places))
    place.models_access = data.draw(st.sampled_from(ProductAccess.values))
    place.role = built_in(data.draw(st.sampled_from([Preset("O"), Preset("Om"), Preset("Ov")])))
    place.save()
    team = Team.objects.get(name="team")
    Team.objects.filter(pk=team.pk).update(members_may_invite=data.draw(st.booleans()))
    assert team.organization is not None
    base = data.draw(st.sampled_from([Preset.VIEW_ONLY, Preset.MEMBER]))
    role = custom_role(team.organization, data.draw(st.sets(st.sampled_from(_ADDABLE))), base)
    given_role = data.draw(st.sampled_from([role, built_in(Preset.VIEW_ONLY), built_in(Preset.MEMBER)]))
    Membership.objects.filter(user__username="colleague", team=team).update(role=given_role)
    ProjectMember.objects.filter(user__username="member").update(role=given_role)
    if data.draw(st.booleans()):
        Membership.objects.filter(user__username="member", team=team).delete()
    if data.draw(st.booleans()):
        Project.objects.filter(team=team, name="public-project").update(deleted_at=timezone.now())


_ADDABLE = [str(action) for action in (*RunAction, ProjectAction.UPDATE, TeamAction.INVITE, TeamAction.VIEW)]


@settings(
    max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_an_explanation_says_what_the_engine_decides(world_once: World, data: Any):
    """TEAM-21, TEAM-24: whoever asks, for whatever, with any key, in any bent world."""
    with transaction.atomic():
        _change_the_world(data)
        known = {label for _, spec in all_actions() for label in spec.on}
        row = data.draw(st.sampled_from([row for row in _rows(world_once) if row._meta.label in known]))
        action = data.draw(
            st.sampled_from([name for name, spec in all_actions() if row._meta.label in spec.on])
        )
        scopes = data.draw(st.none() | st.frozensets(st.sampled_from(_ADDABLE)))
        people = st.sampled_from(sorted(world_once.users))
        for user in map(world_once.users.get, data.draw(st.sets(people, min_size=2, max_size=4))):
            assert user is not None
            _check(dataclasses.replace(actor(user), scopes=scopes), action, row)
        _check(ANONYMOUS, action, row)
        transaction.set_rollback(True)


@pytest.mark.turns
def test_every_action_on_every_kind_of_thing_is_explained(world_once: World):
    """TEAM-21: as many cells as one row of each kind and visibility has, of a project or of a whole team."""
    seen, checked = set(), 0
    for row in _rows(world_once):
        visibility = getattr(row, "visibility", getattr(row, "access", ""))
        sort = (row._meta.label, visibility, getattr(row, "project_id", "") is None)
        if sort in seen:
            continue
        seen.add(sort)
        for action, spec in all_actions():
            if row._meta.label in spec.on:
                for name in ("stranger", "viewer", "member", "admin", "chief", "org_bot"):
                    _check(actor(world_once.users[name]), action, row)
                    checked += 1
    assert checked > 300


def test_a_project_is_answered_for_as_the_runs_of_others_in_it(world_once: World):
    """TEAM-21, TEAM-24: for everybody, in projects of every visibility."""
    checked = 0
    nobody = UserFactory()
    for project in Project.objects.live().filter(team__name="team"):
        run = RunFactory(project=project, user=nobody)
        for action in (
            RunAction.VIEW,
            RunAction.UPDATE,
            RunAction.STOP,
            RunAction.DELETE,
            RunAction.DELETE_OWN,
        ):
            for who in (*map(actor, world_once.users.values()), ANONYMOUS):
                found = explain(who, action, project)
                assert found.allowed is can(who, action, run), f"{who.name} {action} {project!r}: {found}"
                checked += found.allowed
    assert checked > 20


class TestWhatIsNamed:
    def test_a_role_and_its_base(self, run: Run):
        """TEAM-20."""
        organization = run.project.team.organization
        assert organization is not None
        role = custom_role(organization, [RunAction.VIEW, RunAction.UPDATE])
        Role.objects.filter(pk=role.pk).update(name="Labeler")
        role.refresh_from_db()
        found = _check(actor(make_member(run.project.team, role, username="lea")), RunAction.UPDATE, run)
        assert [reason.text for reason in found.because] == [
            "In the team vision, lea is Labeler (based on View-only): this role includes run.update."
        ]

    def test_who_can_give_which_roles(self, run: Run):
        found = _check(actor(make_member(run.project.team, Preset.VIEW_ONLY)), RunAction.UPDATE, run)
        assert len(found.helps) == 1
        assert found.helps[0].endswith("a role that includes it: Member, Admin.")

    def test_following_the_help_gives_the_permission(self, run: Run):
        viewer = make_member(run.project.team, Preset.VIEW_ONLY)
        assert "Member" in _check(actor(viewer), RunAction.LOG, run).helps[0]
        viewer.memberships.filter(team=run.project.team).update(role=built_in(Preset.MEMBER))
        assert _check(actor(viewer), RunAction.LOG, run).allowed

    def test_a_role_that_the_plan_lacks_is_no_help(self, run: Run):
        """TEAM-20: View-only and custom roles are part of a plan."""
        organization = run.project.team.organization
        assert organization is not None
        custom_role(organization, [RunAction.UPDATE])
        stranger = actor(UserFactory())
        with_all = _check(stranger, RunAction.UPDATE, run).helps[0]
        with lacking("custom_roles"):
            without = _check(stranger, RunAction.UPDATE, run).helps[0]
        assert with_all.count("based on") == 1
        assert without.count("based on") == 0

    def test_ownership(self, run: Run):
        """TEAM-22."""
        assert run.user is not None
        member = make_member(run.project.team)
        refused = _check(actor(member), RunAction.STOP, run)
        assert "belongs to olga, not to" in " ".join(reason.text for reason in refused.because)
        Run.objects.filter(pk=run.pk).update(user=member)
        assert _kinds(_check(actor(member), RunAction.STOP, run)) == {"own, team role"}

    def test_visibility(self, run: Run):
        """TEAM-24."""
        Project.objects.update(visibility="public")
        assert _kinds(_check(actor(UserFactory()), RunAction.VIEW, run)) == {"visibility"}
        assert _kinds(_check(ANONYMOUS, RunAction.VIEW, run)) == {"visibility"}
        Project.objects.update(visibility="open")
        assert _kinds(_check(actor(UserFactory()), RunAction.LOG, run.project)) == {"open project"}

    def test_a_restricted_project_names_the_invitation(self):
        """TEAM-24."""
        project = ProjectFactory(visibility="restricted")
        member = make_member(project.team)
        refused = _check(actor(member), ProjectAction.VIEW, project)
        assert {"restricted", "restricted project"} <= _kinds(refused)
        assert "invite" in refused.helps[0]
        add_project_member(actor=SYSTEM, project=project, user=member, role=built_in(Preset.VIEW_ONLY))
        assert _kinds(_check(actor(member), ProjectAction.VIEW, project)) == {"restricted project"}
        assert "does not include project.update" in str(
            _check(actor(member), ProjectAction.UPDATE, project).because
        )

    def test_what_the_organization_lets_them_do(self, run: Run):
        """TEAM-1."""
        member = make_member(run.project.team, username="mia")
        OrganizationMember.objects.filter(user=member).update(models_access=ProductAccess.VIEW_ONLY)
        limited = _check(actor(member), RunAction.LOG, run)
        assert "limits mia’s access to Models: View-only" in str(limited.because)
        assert "can extend mia’s access" in limited.helps[0]
        OrganizationMember.objects.filter(user=member).update(
            models_access=ProductAccess.FULL, role=built_in(Preset.ORGANIZATION_VIEWER)
        )
        assert "mia is a Viewer" in str(_check(actor(member), RunAction.LOG, run).because)

    def test_the_scopes_of_a_key(self, run: Run):
        member = actor(make_member(run.project.team))
        found = _check(dataclasses.replace(member, scopes=frozenset({RunAction.VIEW})), RunAction.LOG, run)
        assert _kinds(found) == {"key scopes", *_kinds(found)}
        assert found.helps == ("Use a key with this scope, or an unrestricted key.",)

    def test_an_organizations_service_account(self, run: Run):
        """TEAM-33."""
        bot = ServiceAccountFactory(organization=run.project.team.organization).user
        assert _kinds(_check(actor(bot), RunAction.LOG, run)) == {"organization role"}

    def test_the_invite_switch(self, run: Run):
        """TEAM-4."""
        team, member = run.project.team, make_member(run.project.team)
        refused = _check(actor(member), TeamAction.INVITE, team)
        assert any("Every member can invite" in help_ for help_ in refused.helps)
        team.members_may_invite = True
        team.save()
        assert _kinds(_check(actor(member), TeamAction.INVITE, team)) == {"invite switch"}

    def test_what_only_the_organization_gives(self, run: Run):
        team = run.project.team
        admin = _check(actor(make_member(team, Preset.ADMIN)), TeamAction.DELETE, team)
        assert any("make" in help_ and "an admin of it" in help_ for help_ in admin.helps)
        chief = make_member(team, Preset.ORGANIZATION_ADMIN)
        assert _kinds(_check(actor(chief), TeamAction.DELETE, team)) == {"organization role"}
        assert team.organization is not None
        member = _check(actor(make_member(team)), OrganizationAction.MANAGE_ROLES, team.organization)
        assert not member.allowed

    def test_a_deleted_thing(self, run: Run):
        project = run.project
        admin = actor(make_member(project.team, Preset.ADMIN))
        Project.objects.filter(pk=project.pk).update(deleted_at=timezone.now())
        assert _kinds(_check(admin, ProjectAction.VIEW, project)) == {"deletion"}
        assert _check(admin, ProjectAction.DELETE, project).allowed

    def test_a_deactivated_account(self, run: Run):
        """ACC-42: nobody can act as it, so the engine is never asked."""
        member = make_member(run.project.team)
        User.objects.filter(pk=member.pk).update(is_active=False)
        found = explain(actor(member), RunAction.LOG, run)
        assert not found.allowed
        assert _kinds(found) == {"account"}

    def test_an_operator(self, run: Run):
        operator = UserFactory(is_operator=True)
        plain = _check(actor(operator), RunAction.LOG, run)
        assert "Use-Admin-Privileges" in plain.notes[0]
        assert _kinds(_check(actor_of_user(operator, elevated=True), RunAction.LOG, run)) == {"operator"}
        assert _kinds(_check(SYSTEM, RunAction.LOG, run)) == {"operator"}


class TestRefusals:
    """TEAM-21: a refusal is words of the explanation, and names who can help."""

    def _told(self, who: Actor, action: str, row: Model) -> str:
        with pytest.raises(Forbidden) as refused:
            require(who, action, row)
        assert refused.value.detail == {"permission": action}
        assert explain(who, action, row).remedy in refused.value.message
        return refused.value.message

    def test_a_viewer_of_the_organization_is_sent_to_its_admins(self, run: Run):
        """TEAM-1: no admin of the team can help."""
        member = make_member(run.project.team, username="mia")
        OrganizationMember.objects.filter(user=member).update(role=built_in(Preset.ORGANIZATION_VIEWER))
        told = self._told(actor(member), RunAction.LOG, run.project)
        assert "admin of the team" not in told
        assert "can make mia a Member of it, with full access" in told

    def test_billing_names_its_admins(self, run: Run):
        """BIL-9: an admin of the organization alone may not, so nobody is told to become one."""
        organization = run.project.team.organization
        assert organization is not None
        BillingAdmin.objects.all().delete()
        chief = make_member(run.project.team, Preset.ORGANIZATION_ADMIN, username="chief")
        told = self._told(actor(chief), BillingAction.MANAGE, organization)
        assert told.endswith(f"An admin of the organization {organization} can choose a usage admin.")
        bursar = make_member(run.project.team, Preset.ORGANIZATION_ADMIN, username="bursar")
        BillingAdmin.objects.create(organization=organization, user=bursar)
        told = self._told(actor(chief), BillingAction.MANAGE, organization)
        assert told.endswith(f"Ask a usage admin of {organization}: bursar.")

    def test_a_key_names_its_owner_and_what_it_lacks(self, run: Run):
        member = make_member(run.project.team, username="mia")
        limited = dataclasses.replace(actor(member), key_id=1, scopes=frozenset({ProjectAction.VIEW}))
        told = self._told(limited, RunAction.LOG, run.project)
        assert told == (
            "mia does not have the permission “Log runs” on the project cifar. The scopes of the API key do not"
            " include run.log. Use a key with this scope, or an unrestricted key."
        )

    def test_whoever_acts_as_somebody_is_told_to_stop(self, run: Run):
        """ACC-10."""
        assert run.user is not None
        acting = dataclasses.replace(actor(run.user), impersonated_by="root")
        told = self._told(acting, AccountAction.DELETE, run.user)
        assert told.endswith("not someone acting as olga. Stop acting as olga first.")
        _check(acting, AccountAction.DELETE, run.user)
        _check(acting, AccountAction.UPDATE, run.user)

    def test_a_service_account_is_not_told_to_become_an_admin(self, run: Run):
        """TEAM-30."""
        organization = run.project.team.organization
        assert organization is not None
        bot = ServiceAccountFactory(organization=organization).user
        told = self._told(actor(bot), TeamAction.DELETE, run.project.team)
        assert "can make" not in told
        assert told.endswith("Use the API key of a person who does.")

    def test_strangers_are_told_to_sign_in(self, run: Run):
        Project.objects.update(visibility="public")
        assert self._told(ANONYMOUS, RunAction.STOP, run).endswith("Sign in, or send an API key.")

    def test_what_is_hidden_is_not_explained(self, run: Run):
        stranger = actor(UserFactory())
        with pytest.raises(NotFound, match="This run doesn’t exist, or you don’t have access to it"):
            require(stranger, RunAction.STOP, run)

    def test_a_page_says_it_and_names_no_code(self, client: Client, run: Run):
        member = make_member(run.project.team, username="mia")
        client.force_login(member)
        page = client.get("/teams/vision/settings", headers={"Accept": "text/html"})
        told = page.content.decode()
        assert page.status_code == 403
        assert "You don’t have the permission “Change team settings” on the team vision." in told
        assert "An admin of the team vision can give mia a role that includes it: Admin." in told
        assert "<code>team." not in told


def test_one_explanation_costs_as_much_whoever_belongs_there(run: Run, django_assert_max_num_queries: Any):
    member = actor(make_member(run.project.team))
    for _ in range(3):
        make_member(run.project.team)
    with django_assert_max_num_queries(30):
        explain(member, RunAction.STOP, run)


def test_nobody_is_asked_about_kinds_that_do_not_matter(run: Run):
    """An actor of a user that is gone holds nothing."""
    gone = Actor(kind=ActorKind.PERSON, user_id=10**6, name="gone")
    assert not _check(gone, RunAction.VIEW, run).allowed
