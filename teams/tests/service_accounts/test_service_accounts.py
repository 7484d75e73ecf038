"""TEAM-30..34: programs with keys, what they reach and for whom they log."""

import dataclasses

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM
from access.engine import can
from accounts.models import User
from common.errors import Conflict, Forbidden, Invalid
from runs.access import ProjectAction, RunAction
from runs.models import Run
from runs.projects.members import add_project_member
from teams.models import ServiceAccount, Team
from teams.roles.builtin import built_in
from teams.service_accounts.services import attributed_user, create_service_account
from teams.teams.selectors import default_team_of
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    basic,
    custom_role,
    make_key,
    make_member,
)
from tests.plans import lacking

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def bot(team: Team) -> ServiceAccount:
    return ServiceAccountFactory(team=team, label="nightly")


@pytest.fixture
def org_bot(team: Team) -> ServiceAccount:
    return ServiceAccountFactory(organization=team.organization, default_team=team, label="wide")


def _for(account: ServiceAccount, name: str) -> User | None:
    return attributed_user(dataclasses.replace(actor(account), on_behalf_of=name))


class TestMaking:
    """TEAM-30."""

    def test_has_no_password_no_address_and_no_personal_team(self, bot: ServiceAccount):
        assert not bot.user.has_usable_password()
        assert bot.user.email == ""
        assert not EmailAddress.objects.filter(user=bot.user).exists()
        assert list(bot.user.memberships.values_list("team__name", flat=True)) == ["vision"]
        assert not bot.user.organization_memberships.exists(), "it takes no seat"

    @pytest.mark.parametrize(("preset", "may"), [("V", False), ("M", False), ("A", True), ("O", True)])
    def test_is_for_admins(self, team: Team, preset: str, may: bool):
        asking = actor(make_member(team, Preset(preset)))
        if may:
            assert create_service_account(actor=asking, label="b", team=team).team == team
        else:
            with pytest.raises(Forbidden):
                create_service_account(actor=asking, label="b", team=team)

    def test_of_an_organization_is_for_its_admins(self, team: Team):
        with pytest.raises(Forbidden):
            create_service_account(
                actor=actor(make_member(team, Preset.ADMIN)), label="b", organization=team.organization
            )

    def test_has_one_scope(self, team: Team):
        with pytest.raises(Invalid, match="one team or one organization"):
            create_service_account(actor=SYSTEM, label="b")
        with pytest.raises(Invalid, match="one team or one organization"):
            create_service_account(actor=SYSTEM, label="b", team=team, organization=team.organization)

    def test_a_default_team_is_one_of_the_organization(self, team: Team):
        with pytest.raises(Invalid, match="belongs to another organization"):
            create_service_account(
                actor=SYSTEM, label="b", organization=OrganizationFactory(), default_team=team
            )

    def test_has_a_label_of_its_own(self, team: Team, bot: ServiceAccount):
        with pytest.raises(Conflict, match="service account named “nightly” already"):
            ServiceAccountFactory(team=team, label="nightly")

    def test_is_not_for_personal_entities(self):
        with pytest.raises(Conflict, match="personal entity"):
            ServiceAccountFactory(team=UserFactory().claim.team)

    def test_needs_a_plan_that_has_them(self, team: Team):
        with lacking("service_accounts"), pytest.raises(Forbidden, match="does not include service accounts"):
            ServiceAccountFactory(team=team)

    def test_that_was_refused_takes_no_name(self, team: Team):
        with pytest.raises(Invalid):
            ServiceAccountFactory(team=team, label="no spaces please")
        assert not User.objects.filter(kind="service").exists()


class TestReach:
    """TEAM-31, TEAM-33."""

    @pytest.mark.parametrize(("visibility", "may"), [("team", True), ("public", True), ("restricted", False)])
    def test_logs_to_its_own_team(self, team: Team, bot: ServiceAccount, visibility: str, may: bool):
        project = ProjectFactory(team=team, visibility=visibility)
        assert can(actor(bot), RunAction.LOG, project) is may

    @pytest.mark.parametrize(("visibility", "may"), [("team", False), ("public", False), ("open", True)])
    def test_logs_elsewhere_to_open_projects_only(
        self, team: Team, bot: ServiceAccount, visibility: str, may: bool
    ):
        for elsewhere in (TeamFactory(), TeamFactory(organization=team.organization)):
            project = ProjectFactory(team=elsewhere, visibility=visibility)
            assert can(actor(bot), RunAction.LOG, project) is may

    @pytest.mark.parametrize(("visibility", "may"), [("team", True), ("open", True), ("restricted", False)])
    def test_of_an_organization_logs_to_all_its_teams(
        self, team: Team, org_bot: ServiceAccount, visibility: str, may: bool
    ):
        project = ProjectFactory(team=TeamFactory(organization=team.organization), visibility=visibility)
        assert can(actor(org_bot), RunAction.LOG, project) is may

    def test_of_an_organization_logs_to_restricted_projects_it_was_added_to(
        self, team: Team, org_bot: ServiceAccount
    ):
        project = ProjectFactory(team=team, visibility="restricted")
        add_project_member(actor=SYSTEM, project=project, user=org_bot.user, role=built_in(Preset.MEMBER))
        assert can(actor(org_bot), RunAction.LOG, project)

    def test_of_an_organization_stays_in_it(self, org_bot: ServiceAccount):
        assert not can(actor(org_bot), ProjectAction.VIEW, ProjectFactory())

    def test_reaches_no_personal_project(self, team: Team, bot: ServiceAccount, org_bot: ServiceAccount):
        project = ProjectFactory(team=make_member(team).claim.team)
        assert not can(actor(bot), ProjectAction.VIEW, project)
        assert not can(actor(org_bot), ProjectAction.VIEW, project)

    def test_manages_nothing(self, team: Team, bot: ServiceAccount, org_bot: ServiceAccount):
        for account in (bot, org_bot):
            assert not can(actor(account), "team.manage_members", team)
            assert not can(actor(account), "team.create", team.organization or team)

    def test_goes_home_when_no_team_is_named(self, team: Team, bot: ServiceAccount, org_bot: ServiceAccount):
        """TEAM-32."""
        assert default_team_of(actor(bot)) == team
        assert default_team_of(actor(org_bot)) == team
        homeless = ServiceAccountFactory(organization=team.organization)
        assert default_team_of(actor(homeless)) is None


class TestAttribution:
    """TEAM-34."""

    def test_a_named_member_of_the_parent_team_is_the_author(self, team: Team, bot: ServiceAccount):
        ada = make_member(team, username="ada", email="ada@example.com")
        for name in ("ada", "ADA", "ada@example.com", "Ada@Example.com"):
            assert _for(bot, name) == ada

    def test_nobody_else_is(self, team: Team, bot: ServiceAccount):
        UserFactory(username="eve", email="eve@example.com")
        make_member(TeamFactory(organization=team.organization), username="kim")
        for name in ("eve", "eve@example.com", "kim", "nobody", "", bot.user.username):
            assert _for(bot, name) is None

    def test_an_address_counts_only_when_it_is_verified(self, team: Team, bot: ServiceAccount):
        ada = make_member(team, email="ada@example.com")
        EmailAddress.objects.filter(user=ada).update(verified=False)
        assert _for(bot, "ada@example.com") is None

    def test_an_account_that_is_switched_off_is_no_author(self, team: Team, bot: ServiceAccount):
        ada = make_member(team, username="ada")
        User.objects.filter(pk=ada.pk).update(is_active=False)
        assert _for(bot, "ada") is None

    def test_of_an_organization_names_any_of_its_people(self, team: Team, org_bot: ServiceAccount):
        kim = make_member(TeamFactory(organization=team.organization), username="kim")
        UserFactory(username="eve")
        assert _for(org_bot, "kim") == kim
        assert _for(org_bot, "eve") is None

    def test_a_person_logs_for_themselves_only(self, team: Team):
        make_member(team, username="ada")
        person = actor(make_member(team))
        assert attributed_user(dataclasses.replace(person, on_behalf_of="ada")) is None

    @pytest.mark.parametrize("header", ["X-WANDB-USERNAME", "X-WANDB-USER-EMAIL"])
    def test_both_are_kept_with_the_run(self, client: Client, team: Team, bot: ServiceAccount, header: str):
        ada = make_member(team, username="ada", email="ada@example.com")
        named = "ada" if header == "X-WANDB-USERNAME" else "ada@example.com"
        document = (
            'mutation { upsertBucket(input: {entityName: "vision", modelName: "p", name: "r1"})'
            " { bucket { user { username } } } }"
        )
        answer = client.post(
            "/graphql", {"query": document}, content_type="application/json",
            headers={"Authorization": basic(make_key(bot.user)), header: named},
        ).json()  # fmt: skip
        assert answer["data"]["upsertBucket"]["bucket"]["user"]["username"] == "ada"
        run = Run.objects.get(uid="r1")
        assert (run.user, run.logged_by) == (ada, bot.user)

    def test_what_is_logged_for_a_member_is_the_members_own(self, team: Team, bot: ServiceAccount):
        from runs.lifecycle import services as lifecycle
        from runs.lifecycle.fields import RunFields

        ada = make_member(team, username="ada")
        run, _ = lifecycle.log_run(
            actor=actor(bot),
            project=ProjectFactory(team=team),
            uid="r1",
            fields=RunFields(),
            user=ada,
        )
        assert can(actor(ada), RunAction.DELETE, run)
        assert not can(actor(bot), RunAction.DELETE, run)


def test_an_organization_s_account_can_be_its_admin_for_identity_providers(team: Team):
    """TEAM-30: not a team's account, and nobody but the organization's admins makes one."""
    chief = built_in(Preset.ORGANIZATION_ADMIN)
    made = ServiceAccountFactory(organization=team.organization, role=chief)
    assert can(actor(made), "organization.manage_members", made.organization)
    with pytest.raises(Invalid, match="an organization role, not a team role"):
        ServiceAccountFactory(team=team, role=chief)
    with pytest.raises(Invalid, match="cannot be assigned to a service account of"):
        ServiceAccountFactory(organization=OrganizationFactory(), role=custom_role(made.organization, []))
    with pytest.raises(Forbidden):
        create_service_account(
            actor=actor(make_member(team, Preset.ADMIN)),
            label="x",
            organization=team.organization,
            role=chief,
        )
