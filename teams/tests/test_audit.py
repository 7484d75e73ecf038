"""The audit log as people and programs read it (BIL-11): pages, filters, exports, REST, and how long it is kept."""

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from access.actor import SYSTEM, Actor
from access.audit.log import purge, record
from access.audit.words import register_words, words_of
from access.models import AuditEntry
from accounts.models import User
from runs.lifecycle import services as lifecycle
from runs.projects import services as projects
from teams.audit.log import PAGE, AuditFilter, chunks, matching
from teams.models import Organization, Team
from teams.tests.visiting import as_user, organization, team, text_of
from tests.factories import ProjectFactory, RunFactory, UserFactory, actor, basic, make_key, make_member

__all__ = ["as_user", "organization", "team"]

pytestmark = pytest.mark.django_db

LOG = "/organizations/acme/audit"


def _entries(organization: Organization, n: int, **fields: Any) -> None:
    rows = [
        AuditEntry(actor_name="ada", actor_kind="person", action="run.stop", object_type="runs.Run", object_id="0",
                   object_name=f"thing-{number}", organization_id=organization.pk, **fields)
        for number in range(n)
    ]  # fmt: skip
    AuditEntry.objects.bulk_create(rows)


def _body(response: Any) -> str:
    pieces = response.streaming_content
    if response.is_async:
        from asgiref.sync import async_to_sync

        async def read() -> bytes:
            return b"".join([piece async for piece in pieces])

        return async_to_sync(read)().decode()
    return b"".join(pieces).decode()


class TestPage:
    def test_says_who_did_what_to_which_thing_and_what_changed(self, team: Team, as_user: Any):
        """BIL-11: who, what, which thing, from where, before and after."""
        project = ProjectFactory(team=team, name="cifar")
        ada = Actor(user_id=User.objects.get(username="ada").pk, name="ada", address="192.0.2.7")
        projects.change_visibility(actor=ada, project=project, visibility="public")
        page = text_of(as_user("chief", LOG))
        for part in (
            "Changed project visibility", "192.0.2.7", "<dt>Visibility</dt>", "<del>Team</del>", "<ins>Public</ins>",
            '<a href="/vision/cifar/overview">cifar</a>', '<a href="/ada">ada</a>',
        ):  # fmt: skip
            assert part in page, part

    def test_does_not_link_what_is_gone(self, team: Team, as_user: Any):
        """BIL-11: an entry outlives what it is about."""
        project = ProjectFactory(team=team, name="cifar")
        project.delete()
        page = text_of(as_user("chief", LOG))
        assert "cifar" in page
        assert "/vision/cifar/overview" not in page

    def test_holds_no_other_organization(self, team: Team, as_user: Any):
        """BIL-11: an admin reads their own organization's log."""
        elsewhere = ProjectFactory(name="elsewhere")
        assert elsewhere.team.organization_id != team.organization_id
        assert "elsewhere" not in text_of(as_user("chief", LOG))

    def test_operators_read_all_of_it(self, team: Team, as_user: Any):
        """TEAM-21: S manages the installation."""
        ProjectFactory(name="elsewhere")
        UserFactory(username="boss", is_operator=True)
        page = text_of(as_user("boss", "/audit"))
        assert "elsewhere" in page
        assert "Created an account" in page
        assert 'href="/audit"' in page

    def test_pages_by_place_so_that_new_entries_move_nothing(self, organization: Organization, as_user: Any):
        """BIL-11: every entry is on one page, and on one alone."""
        _entries(organization, 2 * PAGE + 3)
        seen: list[int] = []
        cursor = ""
        while True:
            response = as_user("chief", f"{LOG}?before={cursor}")
            seen += [line.entry.pk for line in response.context["lines"]]
            cursor = response.context["older"]
            if not cursor:
                break
            _entries(organization, 2)
        before = AuditEntry.objects.filter(organization_id=organization.pk).count()
        assert len(seen) == len(set(seen)) == before - 4

    @pytest.mark.parametrize(
        "cursor", ["x", "1-", "99999999999999999999999999-1", "-1-1", "1-99999999999999999999"]
    )
    def test_a_cursor_that_nobody_gave_shows_a_page(
        self, organization: Organization, as_user: Any, cursor: str
    ):
        assert as_user("chief", f"{LOG}?before={cursor}").status_code == 200

    def test_makes_as_many_queries_for_a_full_page_as_for_one_line(
        self, team: Team, as_user: Any, django_assert_max_num_queries: Any
    ):
        """BIL-11: links, keys and names are looked up at once."""
        project = ProjectFactory(team=team)
        as_user("chief", LOG)
        with django_assert_max_num_queries(33) as few:
            as_user("chief", LOG)
        count = len(few)
        for number in range(20):
            run = RunFactory(project=project, uid=f"r{number}")
            lifecycle.stop_run(actor=SYSTEM, run=run)
        with django_assert_max_num_queries(count + 1):  # runs are a further kind of thing
            as_user("chief", LOG)

    def test_says_that_nothing_matches(self, organization: Organization, as_user: Any):
        assert "No matching entries." in text_of(as_user("chief", f"{LOG}?q=xyzzy"))

    def test_gives_htmx_the_list_alone(self, organization: Organization, as_user: Any):
        page = text_of(as_user("chief", LOG, headers={"HX-Request": "true", "Accept": "text/html"}))
        assert "<html" not in page
        assert "Created an organization" in page


class TestFilters:
    @pytest.fixture
    def log(self, team: Team) -> Organization:
        """Fill a log with two people, two kinds of things and two days."""
        other = make_member(team, username="bob")
        project = ProjectFactory(team=team, name="cifar")
        with time_machine.travel("2026-01-05 12:00Z", tick=False):
            run = RunFactory(project=project, uid="lively")
            bob = Actor(user_id=other.pk, name="bob", address="192.0.2.9")
            record(bob, "run.stop", run, organization_id=team.organization_id, team_id=team.pk)
        assert team.organization is not None
        return team.organization

    @pytest.mark.parametrize(
        "query",
        ["person=bob", "action=run.stop", "action=run.*", "kind=runs.Run", "address=192.0.2.9",
         "since=2026-01-05&until=2026-01-05", "q=stopped+run", "team=vision&person=bob"],
    )  # fmt: skip
    def test_keep_what_matches_alone(self, log: Organization, as_user: Any, query: str):
        """BIL-11: by person, action or group of actions, kind, team, days in UTC, address, words."""
        lines = as_user("chief", f"{LOG}?{query}").context["lines"]
        assert [line.entry.action for line in lines] == ["run.stop"]

    @pytest.mark.parametrize(
        "query",
        ["person=nobody", "action=run.*x", "since=2026-01-06&until=2026-01-07", "team=none", "q=bob+xyzzy",
         "address=192.0.2"],
    )  # fmt: skip
    def test_leave_out_the_rest(self, log: Organization, as_user: Any, query: str):
        assert as_user("chief", f"{LOG}?{query}").context["lines"] == []

    @pytest.mark.parametrize("query", ["since=2026-13-45", "until=x", "since=9999-12-31&until=9999-12-31"])
    def test_days_that_make_no_sense_are_left_out(self, log: Organization, as_user: Any, query: str):
        assert as_user("chief", f"{LOG}?{query}").context["lines"]

    def test_words_find_whom_an_act_was_about(self, log: Organization, as_user: Any):
        """BIL-11: an act on somebody is found by their name."""
        actions = {line.entry.action for line in as_user("chief", f"{LOG}?q=bob").context["lines"]}
        assert actions == {"team.add_member", "run.stop"}

    def test_are_shown_as_they_are_asked(self, log: Organization, as_user: Any):
        page = text_of(as_user("chief", f"{LOG}?person=bob&since=2026-01-05&until=2026-01-06&action=run.*"))
        for part in (
            'value="bob"',
            'value="2026-01-05"',
            'value="2026-01-06"',
            '<option value="run.*" selected>',
        ):
            assert part in page, part


class TestExport:
    def test_as_csv_keeps_formulas_from_running(self, team: Team, as_user: Any):
        """BIL-11: CSV export; a spreadsheet must not run what somebody wrote."""
        record(SYSTEM, "team.change_settings", team, organization_id=team.organization_id, team_id=team.pk,
               before={"display_name": "=1+1"}, after={"display_name": "@x"})  # fmt: skip
        AuditEntry.objects.filter(action="team.change_settings").update(object_name="=HYPERLINK()")
        response = as_user("chief", f"{LOG}/export?form=csv&action=team.change_settings")
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        assert response["Content-Disposition"] == 'attachment; filename="acme-audit-log.csv"'
        (row,) = csv.DictReader(io.StringIO(_body(response)))
        assert row["object_name"] == "'=HYPERLINK()"
        assert json.loads(row["after"]) == {"display_name": "@x"}
        assert row["team"] == "vision"

    def test_as_json_lines_is_exact_and_whole(self, organization: Organization, as_user: Any, settings: Any):
        """BIL-11: NDJSON export of everything that matches, in chunks."""
        _entries(organization, 2300)
        lines = _body(as_user("chief", f"{LOG}/export?form=ndjson&action=run.stop")).splitlines()
        assert len({json.loads(line)["id"] for line in lines}) == len(lines) == 2300
        assert json.loads(lines[0])["description"] == "Stopped a run"

    def test_reads_a_chunk_with_a_fixed_number_of_queries(self, team: Team, django_assert_num_queries: Any):
        """BIL-11: constant memory and fixed queries, however long the log."""
        assert team.organization is not None
        _entries(team.organization, 2500)
        rows = matching(SYSTEM, AuditFilter(action="run.stop"))
        with django_assert_num_queries(
            3 * 3 + 1
        ):  # entries, organizations, runs of each; then there are none
            assert [len(chunk) for chunk in chunks(SYSTEM, rows)] == [1000, 1000, 500]

    def test_is_written_down(self, organization: Organization, as_user: Any):
        """BIL-11: who took the log out, in which form, with which filter."""
        as_user("chief", f"{LOG}/export?form=ndjson&person=ada")
        entry = AuditEntry.objects.get(action="audit.export")
        assert (entry.actor_name, entry.organization_id) == ("chief", organization.pk)
        assert entry.after == {"form": "ndjson", "person": "ada"}

    def test_in_another_form_is_refused(self, organization: Organization, as_user: Any):
        assert as_user("chief", f"{LOG}/export?form=xml").status_code == 400
        assert not AuditEntry.objects.filter(action="audit.export").exists()


class TestRest:
    def _get(self, key: str, query: str = "", **headers: str) -> Any:
        return Client().get(f"/api/v1/audit/?{query}", headers={"Authorization": basic(key), **headers})

    def test_pages_through_an_organization(self, team: Team):
        """BIL-11: the same filters over REST."""
        assert team.organization is not None
        _entries(team.organization, 5)
        key = make_key(User.objects.get(username="chief"))
        first = self._get(key, "organization=acme&action=run.stop&per_page=3").json()
        assert [row["object_name"] for row in first["results"]] == ["thing-4", "thing-3", "thing-2"]
        second = Client().get(first["next"], headers={"Authorization": basic(key)}).json()
        assert [row["object_name"] for row in second["results"]] == ["thing-1", "thing-0"]
        assert second["next"] is None

    @pytest.mark.parametrize(
        ("query", "headers"), [("format=ndjson", {}), ("", {"Accept": "application/x-ndjson"})]
    )
    def test_streams_json_lines(self, team: Team, query: str, headers: dict[str, str]):
        key = make_key(User.objects.get(username="chief"))
        response = self._get(key, f"organization=acme&{query}", **headers)
        assert response["Content-Type"] == "application/x-ndjson"
        assert {json.loads(line)["organization"] for line in _body(response).splitlines()} == {"acme"}

    @pytest.mark.parametrize("form", ["json", "ndjson"])
    def test_answers_nothing_to_who_is_not_signed_in(self, form: str):
        """A download is written down with its person, so there has to be one."""
        response = Client().get(f"/api/v1/audit/?format={form}")
        assert (response.status_code, response.json()["error"]["code"]) == (401, "unauthenticated")

    def test_refuses_who_is_no_admin(self, team: Team):
        """BIL-11: organization admins alone; a stranger hears of no organization."""
        assert self._get(make_key(User.objects.get(username="ada")), "organization=acme").status_code == 403
        assert self._get(make_key(UserFactory()), "organization=acme").status_code == 404
        assert self._get(make_key(UserFactory())).json()["results"] == []

    def test_names_what_is_wrong_with_a_filter(self, team: Team):
        response = self._get(make_key(User.objects.get(username="chief")), "since=yesterday")
        assert response.status_code == 400
        assert "since" in response.json()["error"]["detail"]


class TestKeeping:
    def test_is_for_ever_unless_said_otherwise(self, organization: Organization):
        """RUNYARD_AUDIT_DAYS: 0 keeps everything."""
        AuditEntry.objects.update(at=timezone.now() - timedelta(days=9999))
        assert purge() == 0
        assert AuditEntry.objects.exists()

    def test_ends_after_the_days_that_are_set(self, organization: Organization, settings: Any):
        """RUNYARD_AUDIT_DAYS: what is older goes, in small transactions."""
        settings.AUDIT_DAYS = 30
        recent = AuditEntry.objects.count()
        _entries(organization, 1100)
        AuditEntry.objects.filter(action="run.stop").update(at=timezone.now() - timedelta(days=31))
        assert purge() == 1100
        assert AuditEntry.objects.count() == recent


class TestWords:
    def test_an_unknown_action_is_shown_by_its_name(self):
        assert words_of("no.such") == "no.such"

    def test_come_from_whoever_registers_them(self):
        register_words("run", "Runs", {"run.stop": words_of("run.stop")})
        assert str(words_of("run.stop")) == "Stopped a run"


def test_an_actor_of_the_organization_alone_reads_it(team: Team):
    """TEAM-21: reading the log is O's."""
    boss = UserFactory()
    assert not matching(actor(boss), AuditFilter()).exists()
    assert matching(actor(User.objects.get(username="chief")), AuditFilter()).exists()
