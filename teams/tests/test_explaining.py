"""TEAM-21: who may have whose access explained; what nobody learns by asking."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from access.actions import Preset
from accounts.models import ApiKey, User
from common.errors import DomainError, Forbidden, Invalid, NotFound
from exports.models import Export
from runs.access import RunAction
from runs.models import Project, Run, StoredChart
from teams.access import TeamAction
from teams.explain.services import Question, explain_to
from teams.models import Organization, Team
from teams.tests.visiting import as_user, organization, team, text_of
from tests.automations import make_automation
from tests.factories import (
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    basic,
    make_key,
    make_member,
)

__all__ = ["as_user", "organization", "team"]

pytestmark = pytest.mark.django_db
RUN = "vision/cifar/runs/abc"


@pytest.fixture
def run(team: Team) -> Run:
    made: Run = RunFactory(
        project__team=team, project__name="cifar", uid="abc", user=UserFactory(username="olga")
    )
    return made


def _ask(who: str, action: str, on: str, user: str = "", key: str = "") -> Any:
    return explain_to(actor(User.objects.get(username=who)), Question(str(action), on, user, key))


class TestNames:
    @pytest.mark.parametrize(
        "path",
        [RUN, "vision/cifar/abc", f"/{RUN}/overview", f"https://ml.example.com/{RUN}?x=1#L3", f" {RUN} "],
    )
    def test_a_run_is_named_by_its_path_or_page(self, run: Run, path: str):
        assert _ask("ada", RunAction.VIEW, path).thing == str(run)

    def test_a_project_a_team_and_an_organization(self, run: Run):
        assert _ask("ada", "project.view", "vision/cifar").kind == "project"
        assert _ask("ada", TeamAction.VIEW, "vision").kind == "team"
        assert _ask("ada", TeamAction.VIEW, "/teams/vision/settings").kind == "team"
        assert _ask("ada", "organization.view", "organizations/acme").kind == "organization"

    def test_an_automation_a_chart_a_key_and_an_export(self, run: Run):
        """Issue 18: by their page, or as the page of explanations shows it."""
        ada, team = User.objects.get(username="ada"), run.project.team
        row = make_automation(run.project)
        chart = StoredChart.objects.create(team=team, name="bars", spec="{}")
        make_key(ada)
        key = ApiKey.objects.get(user=ada)
        export = Export.objects.create(team=team, asked_by=ada)
        for path in (f"teams/vision/automations/{row.pk}", f"/vision/cifar/automations/{row.pk}/edit"):
            assert _ask("ada", "automation.manage", path).allowed
        for path in ("charts/vision/bars", "/api/v1/charts/vision/bars/"):
            assert _ask("ada", "chart.save", path).thing == str(chart)
        for path in (f"api-keys/ry-{key.prefix}…", f"/settings/api-keys/{key.pk}"):
            assert _ask("ada", "api_key.delete", path).allowed
        assert _ask("ada", "export.use", f"https://ml.example.com/exports/{export.pk}/download").allowed

    def test_nobody_asks_about_another_s_key_or_export(self, run: Run):
        ada, chief = User.objects.get(username="ada"), User.objects.get(username="chief")
        make_key(chief)
        export = Export.objects.create(team=run.project.team, asked_by=chief)
        for action, path in (
            ("api_key.view", f"api-keys/ry-{ApiKey.objects.get(user=chief).prefix}"),
            ("export.use", f"exports/{export.pk}"),
            ("export.use", f"exports/{10**30}"),
        ):
            with pytest.raises(NotFound):
                _ask(ada.username, action, path)

    @pytest.mark.parametrize(
        "path", ["", "/", "nowhere", "vision/none", "a/b/c/d/e", "vision/cifar/runs", "a\x00b"]
    )
    def test_anything_else_is_not_found(self, run: Run, path: str):
        with pytest.raises(NotFound):
            _ask("ada", RunAction.VIEW, path)

    def test_an_action_is_asked_about_its_kind_of_thing(self, run: Run):
        with pytest.raises(Invalid, match=r"Unknown permission “run\.fly”"):
            _ask("ada", "run.fly", RUN)
        with pytest.raises(
            Invalid,
            match=r"“Stop any run” does not apply to the team vision\. Enter, for example: team/project, team/",
        ):
            _ask("ada", RunAction.STOP, "vision")

    def test_a_project_stands_for_what_lies_in_it(self, run: Run):
        """“May Nora delete runs there?”, whosever they are; her own are another permission."""
        nora = make_member(run.project.team, username="nora")
        single = "To ask about a single one, enter for example: team/project/runs/id."
        assert _ask("ada", RunAction.DELETE, "vision/cifar").notes == (single,)
        for refused in (RunAction.DELETE, RunAction.STOP, RunAction.DELETE_FILES):
            found = _ask("ada", refused, "vision/cifar", user="nora")
            assert not found.allowed
            assert found.notes[0].startswith("nora has the permission “")
        found = _ask("ada", RunAction.DELETE_FILES, "vision/cifar", user="nora")
        assert found.notes == ("nora has the permission “Delete files of own runs” there.", single)
        for allowed in (RunAction.DELETE_OWN, RunAction.VIEW, RunAction.UPDATE, "automation.manage_own"):
            assert _ask("ada", allowed, "vision/cifar", user="nora").allowed
        assert _ask("ada", RunAction.LOG, "vision/cifar", user="nora").notes == ()
        make_key(nora, scopes=frozenset({"run.delete"}))
        limited = _ask("nora", RunAction.DELETE, "vision/cifar", key=nora.api_keys.get().prefix)
        assert limited.notes[0] == "nora does not have the permission “Delete own runs” there, either."

    def test_a_deleted_project_is_explained_to_who_may_restore_it(self, run: Run):
        Project.objects.update(deleted_at=timezone.now())
        found = _ask("ada", "project.view", "vision/cifar")
        assert not found.allowed
        assert "was deleted" in found.because[0].text
        make_member(run.project.team, username="bob")
        with pytest.raises(NotFound):
            _ask("bob", "project.view", "vision/cifar")


class TestWhoAsks:
    def test_everybody_about_themselves(self, run: Run):
        make_member(run.project.team, Preset.VIEW_ONLY, username="vera")
        assert not _ask("vera", RunAction.STOP, RUN).allowed
        assert _ask("vera", RunAction.VIEW, RUN, user="Vera").allowed

    @pytest.mark.parametrize("preset", ["V", "M"])
    def test_others_than_admins_about_nobody_else(self, run: Run, preset: str):
        make_member(run.project.team, Preset(preset), username="bob")
        for name in ("ada", "no-such-user"):
            with pytest.raises(Forbidden, match="Remove members, change roles"):
                _ask("bob", RunAction.STOP, RUN, user=name)

    @pytest.mark.parametrize("who", ["ada", "chief"])
    def test_admins_about_anybody(self, run: Run, who: str):
        UserFactory(username="stranger")
        assert not _ask(who, RunAction.VIEW, RUN, user="stranger").allowed
        assert _ask(who, RunAction.DELETE, RUN, user="ada").allowed

    def test_admins_of_one_team_not_about_another(self, run: Run):
        TeamFactory(
            name="speech", organization=run.project.team.organization, admin=UserFactory(username="host")
        )
        with pytest.raises(NotFound):
            _ask("host", RunAction.VIEW, RUN, user="ada")

    def test_nobody_about_what_they_do_not_see(self, run: Run):
        """A hidden thing and one that is not there read the same."""
        UserFactory(username="stranger")
        told = set()
        for path in (RUN, "vision/cifar/runs/none", "vision/none", "none/none"):
            with pytest.raises(NotFound) as refused:
                _ask("stranger", RunAction.VIEW, path)
            told.add(refused.value.message.replace(path, "_"))
        assert len(told) == 1 or told == {m for m in told if m.startswith("_ doesn’t exist here")}

    def test_admins_not_about_restricted_projects_they_are_not_in(self, run: Run):
        """TEAM-24."""
        ProjectFactory(team=run.project.team, name="secret", visibility="restricted")
        with pytest.raises(NotFound):
            _ask("ada", "project.view", "vision/secret", user="chief")


class TestWhatNobodyLearns:
    def test_whether_a_stranger_is_deactivated(self, run: Run):
        UserFactory(username="gone")
        make_member(run.project.team, username="left")
        User.objects.filter(username__in=("gone", "left")).update(is_active=False)
        messages = set()
        for name in ("gone", "none"):
            with pytest.raises(Invalid) as refused:
                _ask("ada", RunAction.VIEW, RUN, user=name)
            messages.add(refused.value.message.replace(name, "_"))
        assert messages == {"User “_” doesn’t exist."}
        assert "deactivated" in _ask("ada", RunAction.VIEW, RUN, user="left").because[0].text

    def test_who_is_an_operator(self, run: Run):
        make_member(run.project.team, username="boss")
        User.objects.filter(username="boss").update(is_operator=True)
        assert _ask("ada", RunAction.STOP, RUN, user="boss").notes == ()
        assert "is an operator" in _ask("boss", RunAction.STOP, RUN).notes[0]

    def test_other_peoples_keys(self, run: Run):
        """Of one's own, and of service accounts for who manages them."""
        bob = make_member(run.project.team, username="bob")
        make_key(bob, label="one", scopes=frozenset({"run.view"}))
        key = bob.api_keys.get()
        assert not _ask("bob", RunAction.LOG, RUN, key=f"ry-{key.prefix}…").allowed
        with pytest.raises(Invalid) as refused:
            _ask("ada", RunAction.LOG, RUN, user="bob", key=key.prefix)
        with pytest.raises(Invalid) as missing:
            _ask("ada", RunAction.LOG, RUN, user="bob", key="zzzz")
        assert refused.value.message.replace(key.prefix, "") == missing.value.message.replace("zzzz", "")


class TestKeys:
    def test_a_service_accounts_key(self, run: Run):
        """TEAM-30."""
        bot = ServiceAccountFactory(team=run.project.team, label="nightly").user
        make_key(bot, scopes=frozenset({"run.view"}))
        found = _ask("ada", RunAction.LOG, RUN, user=bot.username, key=bot.api_keys.get().prefix)
        assert found.because[0].kind == "key scopes"

    def test_an_expired_one(self, run: Run):
        ada = User.objects.get(username="ada")
        make_key(ada)
        ApiKey.objects.update(expires_at=timezone.now() - timedelta(days=1))
        found = _ask("ada", RunAction.VIEW, RUN, key=ada.api_keys.get().prefix)
        assert not found.allowed
        assert "has expired" in found.because[0].text


class TestPages:
    def test_the_teams_page_answers(self, run: Run, as_user: Any):
        make_member(run.project.team, Preset.VIEW_ONLY, username="vera")
        page = text_of(as_user("ada", f"/teams/vision/explain?user=vera&action=run.log&on={RUN}"))
        assert "No: vera does not have the permission “Log runs” on the run" in page
        assert "How to change this" in page
        assert "In the team vision, vera is View-only" in page

    def test_it_is_about_things_of_the_team_only(self, run: Run, as_user: Any):
        page = text_of(as_user("ada", "/teams/vision/explain?user=ada&action=team.view&on=ada"))
        assert "ada is not in vision." in page

    def test_the_organizations_page_reaches_into_its_teams(self, run: Run, as_user: Any):
        page = text_of(as_user("chief", f"/organizations/acme/explain?user=ada&action=run.log&on={RUN}"))
        assert "Yes: ada has the permission “Log runs” on" in page
        page = text_of(
            as_user("chief", "/organizations/acme/explain?user=ada&action=organization.manage_roles")
        )
        assert "No: ada does not have the permission “Define roles” on" in page

    def test_a_refused_page_leads_to_the_reason(self, run: Run, as_user: Any, client: Client):
        make_member(run.project.team, username="bob")
        refused = as_user("bob", "/teams/vision/settings")
        assert refused.status_code == 403
        link = "/explain?action=team.manage_settings&amp;on=vision"
        assert f'href="{link}"' in text_of(refused)
        page = text_of(as_user("bob", link.replace("&amp;", "&")))
        assert "No: bob does not have the permission “Change team settings” on the team vision." in page

    def test_only_who_is_signed_in_is_led_there(self, run: Run, client: Client):
        Project.objects.update(visibility="public")
        refused = client.post(f"/{RUN}/stop", headers={"Accept": "text/html"})
        assert refused.status_code == 403
        assert "/explain" not in refused.content.decode()

    def test_an_empty_page_only_asks(self, organization: Organization, team: Team, as_user: Any):
        for path in ("/teams/vision/explain", "/organizations/acme/explain", "/explain"):
            page = text_of(as_user("chief", path))
            assert "verdict" not in page
            assert "<optgroup" in page

    def test_the_page_offers_people_things_and_keys_to_choose_from(self, run: Run, as_user: Any):
        account = ServiceAccountFactory(team=run.project.team)
        make_key(account.user)
        prefix = ApiKey.objects.get(user=account.user).prefix
        make_member(run.project.team, username="vera")
        other = RunFactory(project__team=TeamFactory(name="speech"), uid="xyz")
        page = text_of(as_user("ada", "/teams/vision/explain"))
        for offered in ("vera", "vision", "vision/cifar", RUN, f"ry-{prefix}"):
            assert f'<option value="{offered}">' in page
        assert other.uid not in page
        mine = text_of(as_user("olga", "/explain"))
        assert RUN not in mine  # olga logged it, but is in no team

    def test_what_can_be_asked_is_what_applies_to_the_thing(self, run: Run, as_user: Any):
        """Issue 18: *What* narrowed by *On*, at once when another thing is named."""
        everything = text_of(as_user("ada", "/explain"))
        in_order = (
            "team.view",
            "project.view",
            "run.stop",
            "chart.save",
            "api_key.view",
            "organization.view",
        )
        places = [everything.index(f'value="{action}"') for action in in_order]
        assert places == sorted(places)
        of_project = text_of(as_user("ada", "/explain?on=vision/cifar"))
        assert all(f'value="{action}"' in of_project for action in ("project.view", "run.delete"))
        assert 'value="team.view"' not in of_project
        narrowed = as_user(
            "ada", f"/explain?on={RUN}", headers={"HX-Request": "true", "HX-Target": "explain-what"}
        )
        page = text_of(narrowed)
        assert 'value="run.stop"' in page
        assert 'value="team.view"' not in page
        assert "<form" not in page


class TestRest:
    def test_answers_by_key(self, run: Run, client: Client):
        make_member(run.project.team, username="bob")
        headers = {"Authorization": basic(make_key(User.objects.get(username="ada")))}
        answer = client.get(f"/api/v1/explain/?user=bob&action=run.stop&on={RUN}", headers=headers).json()
        assert answer["allowed"] is False
        assert {"kind", "holds", "text", "help"} == set(answer["grants"][0])
        assert answer["user"] == "bob"

    def test_wants_to_know_what_and_on_what(self, client: Client):
        answer = client.get("/api/v1/explain/")
        assert answer.status_code == 400
        assert set(answer.json()["error"]["detail"]) == {"action", "on"}


def test_refusals_are_of_the_domain(run: Run):
    """Whatever is typed, the page has words for it."""
    for question in [
        Question("x", "y"),
        Question("run.view", RUN, "a\x00b"),
        Question("run.view", RUN, "", "\x00"),
    ]:
        with pytest.raises(DomainError):
            explain_to(actor(User.objects.get(username="ada")), question)
