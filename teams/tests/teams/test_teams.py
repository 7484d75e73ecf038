"""Organizations, teams and membership at service level."""

import dataclasses

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from access.actions import Preset, all_actions
from access.actor import ANONYMOUS, SYSTEM
from access.engine import can
from access.models import AuditEntry
from accounts.models import Name, User
from common.errors import Conflict, DomainError, Forbidden, Invalid, NotFound
from runs.access import RunAction
from runs.models import Run
from runs.projects.services import change_visibility, create_project
from teams.access import OrganizationAction, TeamAction
from teams.members import services
from teams.models import Membership, Organization, OrganizationMember, Role, RoleGrant, Team, TeamKind
from teams.organizations.services import create_organization
from teams.plan_policy import has_feature
from teams.roles.builtin import built_in, sync_roles, team_role_named
from teams.teams.selectors import code_saving_of, entities_of, teams_of
from teams.teams.services import create_team
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    custom_role,
    make_member,
)
from tests.suite.examples import examples

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return TeamFactory()


def _organization(team: Team) -> Organization:
    assert team.organization is not None
    return team.organization


def _admin_of(team: Team) -> Membership:
    return team.memberships.get(role__preset=Preset.ADMIN, user__kind="person")


class TestMaking:
    def test_who_makes_an_organization_is_its_admin(self):
        """TEAM-2, TEAM-12."""
        user = UserFactory()
        organization = create_organization(actor=actor(user), name="acme", admin=user)
        assert can(actor(user), OrganizationAction.CREATE_TEAM, organization)

    @pytest.mark.parametrize("who", ["stranger", "anonymous"])
    def test_nobody_makes_an_organization_for_somebody_else(self, who: str):
        asking = ANONYMOUS if who == "anonymous" else actor(UserFactory())
        with pytest.raises(Forbidden):
            create_organization(actor=asking, name="acme", admin=UserFactory())

    def test_a_limited_key_makes_no_organization(self):
        user = UserFactory()
        limited = dataclasses.replace(actor(user), scopes=frozenset({"run.log"}))
        with pytest.raises(Forbidden, match=r"scopes of the API key do not include team\.create"):
            create_organization(actor=limited, name="acme", admin=user)
        assert not Name.objects.filter(text="acme").exists()

    @pytest.mark.parametrize(
        ("preset", "error"), [("O", None), ("Om", Forbidden), ("A", Forbidden), ("M", Forbidden)]
    )
    def test_only_organization_admins_make_teams(
        self, team: Team, preset: str, error: type[DomainError] | None
    ):
        """TEAM-2."""
        person = make_member(team, Preset(preset))

        def make() -> Team:
            return create_team(
                actor=actor(person), name="novel", organization=_organization(team), admin=person
            )

        if error is None:
            assert make().memberships.get().user == person
        else:
            with pytest.raises(error):
                make()

    def test_strangers_do_not_learn_of_the_organization(self, team: Team):
        with pytest.raises(NotFound):
            create_team(
                actor=actor(UserFactory()),
                name="novel",
                organization=_organization(team),
                admin=UserFactory(),
            )

    def test_a_team_that_was_refused_takes_no_name(self, team: Team):
        with pytest.raises(Forbidden):
            create_team(
                actor=actor(make_member(team)),
                name="novel",
                organization=_organization(team),
                admin=UserFactory(),
            )
        assert not Name.objects.filter(text="novel").exists()

    def test_a_personal_team_is_not_made_by_hand(self, team: Team):
        with pytest.raises(Invalid, match="Work or Academic"):
            create_team(
                actor=SYSTEM,
                name="novel",
                organization=_organization(team),
                admin=UserFactory(),
                kind=TeamKind.PERSONAL,
            )

    @pytest.mark.parametrize("kind", [TeamKind.PERSONAL, TeamKind.WORK])
    def test_the_database_keeps_personal_teams_out_of_organizations(self, kind: str):
        organization = OrganizationFactory() if kind == TeamKind.PERSONAL else None
        with pytest.raises(IntegrityError), transaction.atomic():
            Team.objects.create(
                name="x", claim=Name.objects.create(text="x"), kind=kind, organization=organization
            )


class TestMembers:
    def test_joining_a_team_is_joining_its_organization(self, team: Team):
        person = make_member(team)
        assert OrganizationMember.objects.get(user=person).role.preset == Preset.ORGANIZATION_MEMBER

    def test_nobody_joins_twice(self, team: Team):
        person = make_member(team)
        with pytest.raises(Conflict, match=r"already a member of"):
            services.add_member(actor=SYSTEM, team=team, user=person, role=built_in(Preset.ADMIN))

    def test_a_personal_team_has_one_member(self):
        owner = UserFactory()
        with pytest.raises(Conflict, match="one member"):
            services.add_member(
                actor=actor(owner), team=owner.claim.team, user=UserFactory(), role=built_in(Preset.MEMBER)
            )

    def test_a_role_of_organizations_is_none_of_teams(self, team: Team):
        with pytest.raises(Invalid, match="organization role"):
            services.add_member(
                actor=SYSTEM, team=team, user=UserFactory(), role=built_in(Preset.ORGANIZATION_ADMIN)
            )

    def test_a_custom_role_stays_in_its_organization(self, team: Team):
        """TEAM-20."""
        foreign = custom_role(OrganizationFactory(), [RunAction.VIEW])
        with pytest.raises(Invalid, match="another organization"):
            services.add_member(actor=SYSTEM, team=team, user=UserFactory(), role=foreign)
        with pytest.raises(Invalid, match="another organization"):
            services.change_role(actor=SYSTEM, membership=team.memberships.get(), role=foreign)

    @pytest.mark.parametrize(("preset", "may"), [("V", False), ("M", False), ("A", True), ("O", True)])
    def test_admins_add_change_and_remove(self, team: Team, preset: str, may: bool):
        """TEAM-21, row "add / remove members, change roles"."""
        asking = actor(make_member(team, Preset(preset)))
        other = Membership.objects.get(team=team, user=make_member(team))

        def act() -> None:
            services.add_member(actor=asking, team=team, user=UserFactory(), role=built_in(Preset.MEMBER))
            services.change_role(actor=asking, membership=other, role=built_in(Preset.VIEW_ONLY))
            services.remove_member(actor=asking, membership=other)

        if may:
            act()
            assert not Membership.objects.filter(pk=other.pk).exists()
        else:
            with pytest.raises(Forbidden):
                act()

    def test_every_change_is_audited(self, team: Team):
        membership = Membership.objects.get(team=team, user=make_member(team, username="ada"))
        services.change_role(actor=SYSTEM, membership=membership, role=built_in(Preset.VIEW_ONLY))
        services.remove_member(actor=SYSTEM, membership=membership)
        entries = AuditEntry.objects.filter(team_id=team.pk, action__startswith="team.").order_by("pk")
        assert [entry.action for entry in entries][-3:] == [
            "team.add_member",
            "team.change_role",
            "team.remove_member",
        ]
        assert {entry.organization_id for entry in entries} == {team.organization_id}
        assert entries[len(entries) - 2].before == {"user": "ada", "role": "Member"}

    def test_runs_of_who_leaves_stay(self, team: Team):
        """TEAM-5."""
        membership = Membership.objects.get(team=team, user=make_member(team))
        run = RunFactory(project=ProjectFactory(team=team), user=membership.user)
        services.remove_member(actor=SYSTEM, membership=membership)
        assert Run.objects.get(pk=run.pk).user == membership.user


class TestLastAdmin:
    """TEAM-5: a team never loses its last admin."""

    def test_is_neither_removed_nor_demoted(self, team: Team):
        for act in (
            lambda: services.remove_member(actor=SYSTEM, membership=_admin_of(team)),
            lambda: services.change_role(
                actor=SYSTEM, membership=_admin_of(team), role=built_in(Preset.MEMBER)
            ),
        ):
            with pytest.raises(Conflict, match="the last admin"):
                act()

    def test_may_go_when_there_is_another(self, team: Team):
        first = _admin_of(team)
        make_member(team, Preset.ADMIN)
        services.remove_member(actor=SYSTEM, membership=first)
        assert team.memberships.count() == 1

    def test_is_not_replaced_by_one_who_is_switched_off(self, team: Team):
        first = _admin_of(team)
        User.objects.filter(pk=make_member(team, Preset.ADMIN).pk).update(is_active=False)
        with pytest.raises(Conflict):
            services.remove_member(actor=SYSTEM, membership=first)

    def test_keeps_the_role_when_it_is_given_again(self, team: Team):
        services.change_role(actor=SYSTEM, membership=_admin_of(team), role=built_in(Preset.ADMIN))
        assert team.memberships.filter(role__preset=Preset.ADMIN).exists()

    def test_is_recognized_from_a_row_read_before_the_promotion(self, team: Team):
        """What the caller holds may be old: the rows that count are those in the database."""
        stale = Membership.objects.select_related("role").get(team=team, user=make_member(team))
        fresh = Membership.objects.get(pk=stale.pk)
        services.change_role(actor=SYSTEM, membership=fresh, role=built_in(Preset.ADMIN))
        services.remove_member(actor=SYSTEM, membership=team.memberships.exclude(pk=fresh.pk).get())
        with pytest.raises(Conflict):
            services.remove_member(actor=SYSTEM, membership=stale)
        with pytest.raises(Conflict):
            services.change_role(actor=SYSTEM, membership=stale, role=built_in(Preset.MEMBER))

    @settings(
        max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(
        acts=st.lists(st.tuples(st.sampled_from(["remove", "M", "V", "A"]), st.integers(0, 2)), max_size=8)
    )
    def test_whatever_is_done_in_whatever_order_one_admin_is_left(self, acts: list[tuple[str, int]]):
        with transaction.atomic():
            team = TeamFactory()
            make_member(team, Preset.ADMIN)
            make_member(team)
            for act, number in acts:
                membership = team.memberships.order_by("pk")[number : number + 1].first()
                if membership is not None:
                    self._try(act, membership)
                assert team.memberships.filter(role__preset=Preset.ADMIN).exists()
            transaction.set_rollback(True)

    def _try(self, act: str, membership: Membership) -> None:
        try:
            if act == "remove":
                services.remove_member(actor=SYSTEM, membership=membership)
            else:
                services.change_role(actor=SYSTEM, membership=membership, role=built_in(Preset(act)))
        except Conflict:
            pass


class TestInviteSwitch:
    @pytest.mark.parametrize(
        ("preset", "off", "on"), [("V", False, False), ("M", False, True), ("A", True, True)]
    )
    def test_members_invite_when_the_switch_is_on(self, team: Team, preset: str, off: bool, on: bool):
        """TEAM-4."""
        person = actor(make_member(team, Preset(preset)))
        assert can(person, TeamAction.INVITE, team) is off
        Team.objects.filter(pk=team.pk).update(members_may_invite=True)
        assert can(person, TeamAction.INVITE, team) is on
        assert not can(person, TeamAction.INVITE, TeamFactory(organization=team.organization))


class TestBuiltInRoles:
    def test_say_what_the_registry_says(self):
        """TEAM-20, TEAM-21: after every migration the rows are those of the registered actions."""
        member = built_in(Preset.MEMBER)
        member.grants.all().delete()
        RoleGrant.objects.create(role=member, action="run.invented")
        sync_roles()
        for preset in Preset:
            granted = set(built_in(preset).grants.values_list("action", flat=True))
            assert granted == {name for name, spec in all_actions() if preset in spec.roles}

    def test_are_each_there_once(self):
        sync_roles()
        assert Role.objects.exclude(preset="").count() == len(Preset)

    @pytest.mark.parametrize(
        ("name", "preset"),
        [("View-Only", "V"), (" member ", "M"), ("ADMIN", "A"), ("king", None), ("O", None)],
    )
    def test_are_found_by_the_names_people_use(self, name: str, preset: str | None):
        role = team_role_named(name)
        assert (role and role.preset) == preset


class TestPublicProjects:
    """TEAM-24: a team whose privacy forbids it has no project Public or Open; TEAM-8: what is public stays so."""

    @pytest.fixture
    def private_team(self) -> Team:
        team = TeamFactory()
        Team.objects.filter(pk=team.pk).update(public_projects_allowed=False)
        return Team.objects.get(pk=team.pk)

    @pytest.mark.parametrize("visibility", ["public", "open"])
    def test_are_neither_made_nor_opened_where_privacy_forbids(self, private_team: Team, visibility: str):
        with pytest.raises(Conflict, match="do not allow public projects"):
            create_project(actor=SYSTEM, team=private_team, name="p", visibility=visibility)
        project = ProjectFactory(team=private_team)
        with pytest.raises(Conflict):
            change_visibility(actor=SYSTEM, project=project, visibility=visibility)

    @pytest.mark.parametrize("visibility", ["team", "restricted"])
    def test_closed_ones_are(self, private_team: Team, visibility: str):
        assert ProjectFactory(team=private_team, visibility=visibility).visibility == visibility

    def test_a_personal_project_is_never_restricted(self):
        with pytest.raises(Invalid, match="Private, Public or Open"):
            ProjectFactory(team=UserFactory().claim.team, visibility="restricted")

    def test_ones_that_were_public_stay_when_privacy_changes(self):
        project = ProjectFactory(visibility="public")
        Team.objects.update(public_projects_allowed=False)
        assert can(ANONYMOUS, "project.view", project)


def test_every_feature_is_on_until_billing_answers():
    assert has_feature(OrganizationFactory(), "service_accounts")


class TestLists:
    def test_a_persons_teams_are_the_shared_ones(self, team: Team):
        person = make_member(team)
        TeamFactory(organization=team.organization)
        assert list(teams_of(actor(person))) == [team]

    def test_entities_begin_with_ones_own(self):
        person = UserFactory(username="zoe")
        for name in ("b-team", "a-team"):
            services.add_member(
                actor=SYSTEM, team=TeamFactory(name=name), user=person, role=built_in(Preset.MEMBER)
            )
        assert entities_of(actor(person)) == ["zoe", "a-team", "b-team"]

    def test_a_programs_entities_are_its_teams(self, team: Team):
        assert entities_of(actor(ServiceAccountFactory(team=team))) == [team.name]

    def test_nobody_has_none(self):
        assert list(teams_of(ANONYMOUS)) == []
        assert entities_of(ANONYMOUS) == []


@pytest.mark.parametrize(("kind", "expected"), [("team", True), ("own", True), ("elsewhere", None)])
def test_sdks_save_code_where_a_team_of_theirs_wants_it(team: Team, kind: str, expected: bool | None):
    """TEAM-8: the SDK reads it from the viewer's flags, before it knows where it will log."""
    person = make_member(team)
    places: dict[str, Team] = {"team": team, "own": person.claim.team, "elsewhere": TeamFactory()}
    Team.objects.filter(pk=places[kind].pk).update(code_saving_default=True)
    assert code_saving_of(actor(person)) is expected


@pytest.mark.parametrize(("choice", "expected"), [("", True), ("always", True), ("never", False)])
def test_what_a_person_chose_comes_before_what_their_teams_do(team: Team, choice: str, expected: bool):
    """TEAM-8."""
    person = make_member(team)
    Team.objects.filter(pk=team.pk).update(code_saving_default=True)
    User.objects.filter(pk=person.pk).update(code_saving=choice)
    assert code_saving_of(actor(person)) is expected


def test_a_team_that_forbids_code_or_is_deleted_does_not_save_it_by_default(team: Team):
    """TEAM-8."""
    person = make_member(team)
    for without in (
        {"code_saving_allowed": False},
        {"code_saving_allowed": True, "deleted_at": timezone.now()},
    ):
        Team.objects.filter(pk=team.pk).update(code_saving_default=True, **without)
        assert code_saving_of(actor(person)) is None


def test_sdks_of_an_organizations_program_save_code_as_its_home_team_wants_it(team: Team):
    """TEAM-8."""
    bot = ServiceAccountFactory(organization=team.organization, default_team=team)
    assert code_saving_of(actor(bot)) is None
    Team.objects.update(code_saving_default=True)
    assert code_saving_of(actor(bot)) is True
    Team.objects.update(code_saving_allowed=False)
    assert code_saving_of(actor(bot)) is False
