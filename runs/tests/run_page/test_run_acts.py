"""The menu of a run's page, and the way to the run before and after it (RUN-4, RUN-7)."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from access.actions import Preset
from runs.models import Run, SavedView
from tests.factories import ProjectFactory, RunFactory, TeamFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def team():
    return TeamFactory(name="vision")


@pytest.fixture
def member(team, client):
    member = make_member(team)
    client.force_login(member)
    return member


@pytest.fixture
def run(team, member):
    project = ProjectFactory(team=team, name="digits")
    run = RunFactory(project=project, uid="r1", user=member)
    Run.objects.update(state="finished")
    return run


def page(client, uid="r1"):
    return client.get(f"/vision/digits/runs/{uid}/overview").content.decode()


def act(client, name, **data):
    return client.post(reverse("runs:run_act", args=["vision", "digits", "r1", name]), data)


def test_who_may_delete_the_run_has_the_menu(client, team, run):
    assert 'id="delete-run-dialog"' in page(client)
    client.force_login(make_member(team, Preset.VIEW_ONLY))
    assert 'id="run-acts"' not in page(client)
    assert act(client, "delete").status_code == 403


def test_a_deleted_run_leads_to_the_list(client, run):
    assert act(client, "delete").headers["Location"] == "/vision/digits/runs"
    assert Run.objects.get().deleted_at is not None


def test_a_protected_run_is_not_deleted_until_it_is_unprotected(client, run):
    act(client, "protect")
    assert "act/unprotect" in page(client)
    assert act(client, "delete").headers["Location"] == "/vision/digits/runs/r1/overview"
    assert "cannot be deleted" in page(client)
    act(client, "unprotect")
    act(client, "delete")
    assert Run.objects.get().deleted_at is not None


@pytest.mark.parametrize("typed", ["letters", "vision/letters"])
def test_a_moved_run_is_shown_where_it_is_now(client, team, run, typed):
    ProjectFactory(team=team, name="letters")
    assert act(client, "move", value=typed).headers["Location"] == "/vision/letters/runs/r1/overview"


def test_a_run_that_cannot_be_moved_says_why(client, run):
    reply = client.post("/vision/digits/runs/r1/act/move", {"value": "nowhere"}, follow=True)
    assert "The project vision/nowhere doesn’t exist" in reply.content.decode()


def test_there_is_no_other_act(client, run):
    assert act(client, "purge").status_code == 404


class TestBeside:
    @pytest.fixture
    def runs(self, run):
        now = timezone.now()
        rows = [run, *(RunFactory(project=run.project, uid=f"r{n}") for n in (2, 3))]
        for age, row in enumerate(rows):  # r1 is the newest
            Run.objects.filter(pk=row.pk).update(created_at=now - timedelta(days=age))
        return rows

    def go(self, client, uid, way, tab="runs:run_logs"):
        url = reverse("runs:run_beside", args=["vision", "digits", uid, way])
        return client.get(url, {"tab": tab}).headers["Location"]

    def test_leads_down_and_up_the_list_at_the_same_tab(self, client, runs):
        assert self.go(client, "r1", "next") == "/vision/digits/runs/r2/logs"
        assert self.go(client, "r3", "previous") == "/vision/digits/runs/r2/logs"
        assert self.go(client, "r2", "next", "") == "/vision/digits/runs/r3"

    def test_stays_at_the_end_and_says_so(self, client, runs):
        assert self.go(client, "r3", "next") == "/vision/digits/runs/r3/logs"
        assert "This is the last run in the list." in page(client, "r3")

    def test_follows_order_and_filter_of_the_list(self, client, member, runs):
        for row, loss in zip(runs, (3, 1, 2), strict=True):
            row.pulse.summary_flat = {"loss": loss}
            row.pulse.save()
        spec = {"runs": {"order": "summary.loss"}}
        SavedView.objects.create(project=runs[0].project, user=member, spec=spec)
        assert self.go(client, "r2", "next").endswith("r3/logs")
        assert self.go(client, "r3", "next").endswith("r1/logs")
        spec["runs"]["filter"] = "summary.loss != 2"
        SavedView.objects.update(spec=spec)
        assert self.go(client, "r2", "next").endswith("r1/logs")
        assert self.go(client, "r3", "previous").endswith("r2/logs")  # left out, so by age

    def test_is_cheap(self, client, runs, django_assert_max_num_queries):
        self.go(client, "r1", "next")
        with django_assert_max_num_queries(6):
            self.go(client, "r1", "next")
