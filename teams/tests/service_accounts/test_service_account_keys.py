"""TEAM-30: changing, switching off and deleting service accounts; making, rotating and revoking their keys."""

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM
from access.engine import can
from access.models import AuditEntry
from accounts.models import ApiKey, User
from common.errors import Conflict, Forbidden, Invalid, NotFound
from runs.access import RunAction
from runs.models import Run
from teams.members.services import change_role, remove_member
from teams.models import Membership, Organization, ServiceAccount, Team
from teams.roles.builtin import built_in
from teams.service_accounts.keys import create_key, revoke_key, rotate_key
from teams.service_accounts.services import (
    change_service_account,
    create_service_account,
    delete_service_account,
    managed_accounts,
    set_service_account_active,
)
from teams.teams.selectors import default_team_of, entities_of
from tests.factories import (
    ProjectFactory,
    RunFactory,
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
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def bot(team: Team) -> ServiceAccount:
    return ServiceAccountFactory(team=team, label="nightly")


@pytest.fixture
def org_bot(team: Team) -> ServiceAccount:
    return ServiceAccountFactory(organization=team.organization, default_team=team, label="wide")


def _status(client: Client, secret: str) -> int:
    return client.get("/api/v1/runs/", headers={"Authorization": basic(secret)}).status_code


def _audited(action: str) -> AuditEntry:
    return AuditEntry.objects.get(action=action)


class TestChanging:
    def test_a_new_label_keeps_the_username(self, team: Team, bot: ServiceAccount):
        """TEAM-30: scripts and runs know it by its username."""
        change_service_account(actor=SYSTEM, account=bot, label="weekly", description="trains on Sundays")
        bot = ServiceAccount.objects.get()
        assert (bot.label, bot.user.username, bot.user.display_name) == ("weekly", "vision.nightly", "weekly")
        told = _audited("service_account.change")
        assert (told.before["label"], told.after["label"]) == ("nightly", "weekly")
        assert (told.team_id, told.organization_id) == (team.pk, team.organization_id)

    def test_a_label_that_was_given_up_can_be_taken(self, team: Team, bot: ServiceAccount):
        """TEAM-30: usernames are never given again, labels are."""
        change_service_account(actor=SYSTEM, account=bot, label="weekly")
        assert ServiceAccountFactory(team=team, label="nightly").user.username == "vision.nightly-2"

    def test_two_do_not_have_one_label(self, team: Team, bot: ServiceAccount):
        """TEAM-30."""
        ServiceAccountFactory(team=team, label="weekly")
        with pytest.raises(Conflict, match="service account named “Weekly” already"):
            change_service_account(actor=SYSTEM, account=bot, label="Weekly")
        change_service_account(actor=SYSTEM, account=ServiceAccount.objects.get(pk=bot.pk), label="Nightly")

    def test_nothing_changed_is_not_audited(self, bot: ServiceAccount):
        """TEAM-30."""
        change_service_account(actor=SYSTEM, account=bot, label="nightly", description="")
        assert not AuditEntry.objects.filter(action="service_account.change").exists()

    @pytest.mark.parametrize("preset", [Preset.VIEW_ONLY, Preset.ADMIN])
    def test_a_team_s_account_holds_its_membership_s_role(
        self, team: Team, bot: ServiceAccount, preset: Preset
    ):
        """TEAM-21: Member's grants unless given a role."""
        project = ProjectFactory(team=team)
        assert can(actor(bot), RunAction.LOG, project)
        change_service_account(actor=SYSTEM, account=bot, role=built_in(preset))
        assert can(actor(bot), RunAction.LOG, project) is (preset == Preset.ADMIN)
        assert can(actor(bot), RunAction.DELETE, RunFactory(project=project)) is (preset == Preset.ADMIN)

    def test_the_members_page_changes_the_same_role(self, bot: ServiceAccount):
        """TEAM-30: there is one role, whatever page it is changed on."""
        change_role(
            actor=SYSTEM, membership=Membership.objects.get(user=bot.user), role=built_in(Preset.ADMIN)
        )
        held = ServiceAccount.objects.get().effective_role
        assert held is not None
        assert held.preset == Preset.ADMIN

    def test_a_custom_role_is_given(self, team: Team, org_bot: ServiceAccount):
        """TEAM-20, TEAM-21: any role of the organization's teams."""
        assert team.organization is not None
        role = custom_role(team.organization, [RunAction.VIEW, RunAction.DELETE])
        change_service_account(actor=SYSTEM, account=org_bot, role=role)
        run = RunFactory(project=ProjectFactory(team=team))
        assert can(actor(org_bot), RunAction.DELETE, run)
        assert not can(actor(org_bot), RunAction.LOG, run)

    def test_a_role_of_elsewhere_is_refused(self, bot: ServiceAccount, org_bot: ServiceAccount):
        """TEAM-20."""
        elsewhere = TeamFactory().organization
        assert elsewhere is not None
        foreign, chief = custom_role(elsewhere, []), built_in(Preset.ORGANIZATION_ADMIN)
        for account, role in ((bot, foreign), (org_bot, foreign), (bot, chief)):
            with pytest.raises(Invalid):
                change_service_account(actor=SYSTEM, account=account, role=role)

    def test_nobody_gives_a_role_above_their_own(self, team: Team, bot: ServiceAccount):
        """TEAM-30: or a helper with a custom role would make an admin of a key of theirs."""
        assert team.organization is not None
        helper = custom_role(team.organization, ["team.view", "team.manage_service_accounts"], Preset.MEMBER)
        asking = actor(make_member(team, helper))
        with pytest.raises(Forbidden, match="above your own"):
            change_service_account(actor=asking, account=bot, role=built_in(Preset.ADMIN))
        with pytest.raises(Forbidden, match="above your own"):
            create_service_account(actor=asking, team=team, label="b", role=built_in(Preset.ADMIN))

    def test_the_default_team_is_one_of_the_organization(self, team: Team, org_bot: ServiceAccount):
        """TEAM-32."""
        other = TeamFactory(organization=team.organization)
        change_service_account(actor=SYSTEM, account=org_bot, default_team=other)
        assert default_team_of(actor(org_bot)) == other
        with pytest.raises(Invalid, match="another organization"):
            change_service_account(actor=SYSTEM, account=org_bot, default_team=TeamFactory())
        change_service_account(actor=SYSTEM, account=org_bot, no_default_team=True)
        assert default_team_of(actor(org_bot)) is None

    def test_an_organization_s_account_can_log_to_all_its_teams(self, team: Team, org_bot: ServiceAccount):
        """TEAM-33: a refusal names them."""
        TeamFactory(organization=team.organization, name="speech")
        TeamFactory(name="foreign")
        assert entities_of(actor(org_bot)) == ["speech", "vision"]

    def test_it_is_not_taken_out_as_a_member_is(self, bot: ServiceAccount):
        """TEAM-30: one without its team would be of no use."""
        with pytest.raises(Conflict, match="is a service account"):
            remove_member(actor=SYSTEM, membership=Membership.objects.get(user=bot.user))

    @pytest.mark.parametrize(("preset", "seen"), [("V", 0), ("M", 0), ("A", 1), ("O", 2)])
    def test_who_manages_which(
        self, team: Team, bot: ServiceAccount, org_bot: ServiceAccount, preset: str, seen: int
    ):
        """TEAM-21: admins of the team its own, admins of the organization all."""
        ServiceAccountFactory(team=TeamFactory())
        asking = actor(make_member(team, Preset(preset)))
        assert managed_accounts(asking).count() == seen
        for account in (bot, org_bot)[seen:]:
            with pytest.raises((Forbidden, NotFound)):
                change_service_account(actor=asking, account=account, label="mine")
            with pytest.raises((Forbidden, NotFound)):
                create_key(actor=asking, account=account)


class TestEnding:
    def test_deactivated_its_keys_are_refused_until_it_is_active_again(
        self, client: Client, bot: ServiceAccount
    ):
        """TEAM-30."""
        secret = make_key(bot.user)
        set_service_account_active(actor=SYSTEM, account=bot, is_active=False)
        assert _status(client, secret) == 401
        with pytest.raises(Conflict, match="deactivated"):
            create_key(actor=SYSTEM, account=bot)
        set_service_account_active(actor=SYSTEM, account=bot, is_active=True)
        assert _status(client, secret) == 200
        changes = AuditEntry.objects.filter(action="service_account.set_active").order_by("pk")
        assert [entry.after["active"] for entry in changes] == [False, True]

    def test_deleted_its_keys_end_and_its_runs_stay_its_own(
        self, client: Client, team: Team, bot: ServiceAccount
    ):
        """TEAM-5, TEAM-30: nobody gets its name again."""
        secret, user = make_key(bot.user), bot.user
        run: Run = RunFactory(project=ProjectFactory(team=team), user=user)
        delete_service_account(actor=SYSTEM, account=bot)
        assert _status(client, secret) == 401
        assert not ApiKey.objects.filter(user=user).exists()
        run.refresh_from_db()
        assert run.user is not None
        assert (run.user.username, run.user.is_active) == ("vision.nightly", False)
        assert not Membership.objects.filter(user=user).exists()
        assert _audited("service_account.delete").before["username"] == "vision.nightly"
        assert ServiceAccountFactory(team=team, label="nightly").user.username == "vision.nightly-2"


class TestKeys:
    def test_are_made_by_managers_and_audited_at_the_team(self, team: Team, bot: ServiceAccount):
        """TEAM-30."""
        admin = make_member(team, Preset.ADMIN)
        key, _secret = create_key(actor=actor(admin), account=bot, label="cluster", scopes=["run.view"])
        told = _audited("api_key.create")
        assert (told.user, told.team_id, told.organization_id) == (admin, team.pk, team.organization_id)
        assert told.after == {
            "owner": "vision.nightly", "label": "cluster", "scopes": ["run.view"], "expires_at": None
        }  # fmt: skip
        revoke_key(actor=actor(admin), account=bot, key=key)
        assert _audited("api_key.delete").team_id == team.pk

    def test_a_limited_key_makes_none_that_reaches_further(self, team: Team, bot: ServiceAccount):
        """ACC-40."""
        admin = actor(make_member(team, Preset.ADMIN))
        limited = dataclasses.replace(admin, scopes=frozenset({"team.view", "team.manage_service_accounts"}))
        with pytest.raises(Forbidden, match="some of its own scopes"):
            create_key(actor=limited, account=bot)

    def test_members_policies_do_not_bind_it(self, bot: ServiceAccount, org_bot: ServiceAccount):
        """Organization service accounts are exempt from "no key creation" (semantics, section 3)."""
        Organization.objects.update(api_keys_allowed=False, api_keys_limited=True, api_key_max_days=1)
        for account in (bot, org_bot):
            create_key(actor=SYSTEM, account=account)

    def test_a_plan_without_service_accounts_gives_no_keys(self, bot: ServiceAccount):
        """TEAM-30: an Enterprise feature."""
        with lacking("service_accounts"), pytest.raises(Forbidden, match="does not include service accounts"):
            create_key(actor=SYSTEM, account=bot)

    def test_rotated_the_old_one_ends_at_once(self, client: Client, bot: ServiceAccount):
        """TEAM-30."""
        old_key, old = create_key(actor=SYSTEM, account=bot, label="cluster", scopes=["run.view"])
        key, new = rotate_key(actor=SYSTEM, account=bot, key=old_key)
        assert (_status(client, old), _status(client, new)) == (401, 200)
        assert (key.label, key.scopes) == ("cluster", ["run.view"])
        assert _audited("service_account.rotate_key").before == {"key": old_key.prefix}

    @pytest.mark.parametrize(("life_h", "overlap_h", "ends_h"), [(None, 24, 24), (100, 24, 24), (10, 24, 10)])
    def test_rotated_with_an_overlap_both_work_for_it(
        self, client: Client, bot: ServiceAccount, life_h: int | None, overlap_h: int, ends_h: int
    ):
        """TEAM-30: and the old one never lives longer than it would have."""
        with time_machine.travel(NOW, tick=False):
            end = NOW + timedelta(hours=life_h) if life_h else None
            old_key, old = create_key(actor=SYSTEM, account=bot, expires_at=end)
            key, new = rotate_key(actor=SYSTEM, account=bot, key=old_key, overlap_hours=overlap_h)
            assert (_status(client, old), _status(client, new)) == (200, 200)
        assert key.expires_at == end
        with time_machine.travel(NOW + timedelta(hours=ends_h), tick=False):
            assert _status(client, old) == 401

    def test_an_overlap_has_an_end(self, bot: ServiceAccount):
        """TEAM-30."""
        key, _ = create_key(actor=SYSTEM, account=bot)
        for hours in (-1, 721):
            with pytest.raises(Invalid, match="at most 720 hours"):
                rotate_key(actor=SYSTEM, account=bot, key=key, overlap_hours=hours)

    def test_a_key_of_another_account_is_not_rotated(self, team: Team, bot: ServiceAccount):
        """TEAM-30."""
        key, _ = create_key(actor=SYSTEM, account=ServiceAccountFactory(team=team))
        with pytest.raises(ApiKey.DoesNotExist):
            rotate_key(actor=SYSTEM, account=bot, key=key)


def _rest(client: Client, secret: str, method: str, path: str, body: Any = None) -> Any:
    headers = {"Authorization": basic(secret)}
    return client.generic(method, f"/api/v1/{path}", _json(body), "application/json", headers=headers)


def _json(body: Any) -> str:
    import json

    return "" if body is None else json.dumps(body)


class TestRest:
    """TEAM-30 over REST, from making an account to its end."""

    def test_the_life_of_an_account(self, client: Client, team: Team):
        assert team.organization is not None
        key = make_key(make_member(team, Preset.ADMIN, username="boss"))
        made = _rest(client, key, "POST", "service-accounts/", {"label": "ci", "team": "vision"})
        assert made.status_code == 201
        account = made.json()
        assert (account["username"], account["role"], account["created_by"]) == (
            "vision.ci",
            "Member",
            "boss",
        )
        path = f"service-accounts/{account['id']}/"
        changed = _rest(client, key, "PATCH", path, {"role": "view-only", "description": "nightly builds"})
        assert (changed.json()["role"], changed.json()["description"]) == ("View-only", "nightly builds")
        body = {"account": account["id"], "label": "runner", "scopes": ["run.view"]}
        secret = _rest(client, key, "POST", "service-account-keys/", body).json()
        assert _status(client, secret["secret"]) == 200
        rotated = _rest(
            client, key, "POST", f"service-account-keys/{secret['id']}/rotate/", {"overlap_hours": 1}
        )
        assert rotated.status_code == 201
        listed = _rest(client, key, "GET", f"service-account-keys/?account={account['id']}").json()["results"]
        assert [row["label"] for row in listed] == ["runner", "runner"]
        assert all("secret" not in row for row in listed)
        assert _rest(client, key, "DELETE", f"service-account-keys/{secret['id']}/").status_code == 204
        assert _status(client, secret["secret"]) == 401
        assert _rest(client, key, "DELETE", path).status_code == 204
        assert _status(client, rotated.json()["secret"]) == 401

    @pytest.mark.parametrize(
        ("body", "status", "told"),
        [
            ({"label": "ci"}, 400, "Give `team` or `organization`"),
            ({"label": "a b", "team": "vision"}, 400, "isn’t a valid name"),
            ({"label": "ci", "team": "no-such-team"}, 404, "no-such-team"),
            ({"label": "ci", "team": "vision", "role": "boss"}, 400, "Unknown role “boss”"),
            ({"label": "nightly", "team": "vision"}, 409, "already"),
        ],
    )
    def test_what_is_wrong_is_told(
        self, client: Client, bot: ServiceAccount, body: Any, status: int, told: str
    ):
        assert bot.team is not None
        key = make_key(make_member(bot.team, Preset.ADMIN))
        answer = _rest(client, key, "POST", "service-accounts/", body)
        assert answer.status_code == status, answer.content
        assert told in answer.json()["error"]["message"]

    @pytest.mark.parametrize(
        "wrong", [{"scopes": ["run.veiw"]}, {"scopes": []}, {"expires_at": "2020-01-01T00:00Z"}]
    )
    def test_a_key_that_could_not_work_is_not_made(
        self, client: Client, team: Team, bot: ServiceAccount, wrong: Any
    ):
        key = make_key(make_member(team, Preset.ADMIN))
        answer = _rest(client, key, "POST", "service-account-keys/", {"account": bot.pk, **wrong})
        assert answer.status_code == 400
        assert not bot.user.api_keys.exists()

    def test_members_make_no_keys_for_it(self, client: Client, team: Team, bot: ServiceAccount):
        key = make_key(make_member(team))
        assert _rest(client, key, "POST", "service-account-keys/", {"account": bot.pk}).status_code == 404
        assert not bot.user.api_keys.exists()

    def test_the_lists_cost_the_same_for_many(
        self, client: Client, team: Team, django_assert_max_num_queries: Any
    ):
        key = make_key(make_member(team, Preset.ADMIN))
        for number in range(12):
            make_key(ServiceAccountFactory(team=team, label=f"b{number}").user)
        for path in ("service-accounts/", "service-account-keys/"):
            with django_assert_max_num_queries(8):
                found = _rest(client, key, "GET", path).json()["results"]
            assert len(found) == 12


def test_a_stranger_s_name_is_no_key_owner(team: Team):
    """TEAM-30: only service accounts have keys that others make."""
    assert not managed_accounts(actor(UserFactory())).exists()
    assert not User.objects.filter(kind="service").exists()


def test_who_acts_as_somebody_makes_no_keys(team: Team, bot: ServiceAccount):
    """TEAM-21: a key would outlast the hour, and nothing in it would say who made it."""
    acting = dataclasses.replace(actor(make_member(team, Preset.ADMIN)), impersonated_by="root")
    with pytest.raises(Forbidden, match="while acting as someone else"):
        create_key(actor=acting, account=bot)
    assert not ApiKey.objects.filter(user=bot.user).exists()
