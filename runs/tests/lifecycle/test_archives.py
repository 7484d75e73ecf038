"""RUN-6: what a run had before it was rewound stays, and no list, count or sum has it."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from access.actor import SYSTEM
from access.web.requests import actor_of_user
from metrics.ingest.branching import rewind_run
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import history, post
from runs import selectors
from runs.bulk_actions import deletion
from runs.entity_pages.entity import entity_page
from runs.entity_pages.project_list import ProjectFilter
from runs.lifecycle import services as lifecycle
from runs.lifecycle.instrumentation import states
from runs.models import Run
from runs.projects import search
from runs.projects.run_counts import counted
from runs.run_page.overview import about_facts
from runs.table.catalogue import catalogue_of
from runs.table.query import TableQuery
from runs.table.rows import rows_of
from tests.factories import ProjectFactory, RunFactory, TeamFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def team():
    return TeamFactory()


@pytest.fixture
def member(team):
    return make_member(team)


@pytest.fixture
def run(team, member):
    project = ProjectFactory(team=team, name="rewinding")
    made = RunFactory(project=project, uid="a", user=member, display_name="swift-fox")
    write_group([post(made, history=(0, history(0, 10)))])
    lifecycle.finish_run(run_id=made.pk, exit_code=0, at=timezone.now())
    made.refresh_from_db()
    rewind_run(actor=SYSTEM, run=made, step=6)
    return Run.objects.get(pk=made.pk)


@pytest.fixture
def archive(run):
    return run.archives.get()


def listed(client, member, run):
    """Return the ids of runs in every list."""
    actor, project = actor_of_user(member), run.project
    found = {
        "table": [row.run for row in rows_of(actor, project, TableQuery()).rows],
        "own": selectors.own_runs(actor),
        "entity": [one.run for one in entity_page(actor, project.team.name, ProjectFilter()).recent_runs],
        "search": [],
        "GraphQL": selectors.listed_runs_of(actor, project),
    }
    uids = {name: sorted(one.uid for one in runs) for name, runs in found.items()}
    uids["search"] = sorted(
        hit.url.rstrip("/").rsplit("/", 1)[-1] for hit in search.find_runs(actor, "swift", 10)
    )
    client.force_login(member)
    uids["REST"] = sorted(one["uid"] for one in client.get("/api/v1/runs/").json()["results"])
    return uids


def test_no_list_has_what_was_before_a_rewind(client, member, run, archive):
    assert set(map(tuple, listed(client, member, run).values())) == {("a",)}
    assert archive.uid == "a.rewound-1"
    deletion.delete_run(actor=SYSTEM, run=run)
    assert set(map(tuple, listed(client, member, run).values())) == {("a.rewound-1",)}  # else nobody finds it


def test_no_count_and_no_sum_has_it(member, run, archive):
    totals = selectors.totals_of(run.project)
    assert (totals["run_count"], totals["states"], totals["seconds"]) == (
        1,
        [("finished", 1)],
        run.duration_s,
    )
    projects = selectors.projects_of(actor_of_user(member), run.project.team)
    assert [one.run_count for one in counted(projects)] == [1]
    [family] = states()
    assert sum(sample.value for sample in family.samples) == 1


def test_columns_are_those_of_runs_in_the_table(run, archive):
    Run.objects.filter(pk=archive.pk).update(config_flat={"gone": 1})
    assert "config.gone" not in [column.name for column in catalogue_of(run.project)]


def test_it_is_reached_by_its_address_and_from_its_run(client, member, run, archive):
    client.force_login(member)
    address = [run.project.team.name, run.project.name, archive.uid]
    for name in ("runs:run_overview", "metrics:run_workspace"):
        assert client.get(reverse(name, args=address)).status_code == 200
    facts = {fact.label: fact for fact in about_facts(run)}
    assert facts["Before rewind 1"].url.endswith("/runs/a.rewound-1")
    assert (facts["Rewound to step"].value, "Fork" in facts) == ("6", False)
    facts = {fact.label: fact for fact in about_facts(archive)}
    assert facts["Rewound run"].url.endswith("/runs/a")
    assert "Fork" not in facts
    assert client.get(f"/api/v1/runs/{run.pk}/").json()["archives"] == ["a.rewound-1"]
    assert client.get(f"/api/v1/runs/{archive.pk}/").json()["archive_of"] == "a"
    named = client.get("/api/v1/runs/?uid=a.rewound-1").json()["results"]
    assert [one["id"] for one in named] == [archive.pk]


def test_it_is_deleted_and_restored_by_itself(client, member, run, archive):
    client.force_login(member)
    act = {"entity": run.project.team.name, "project": run.project.name, "uids": [archive.uid]}
    for name in ("delete", "restore"):
        told = client.post(
            "/api/v1/runs/act/", json.dumps({**act, "act": name}), content_type="application/json"
        )
        assert told.json()["done"] == [archive.uid]
    assert run.archives.live().count() == 1


def test_rewinding_again_finds_a_free_id(run):
    RunFactory(project=run.project, uid="a.rewound-2")  # somebody's own choice
    rewind_run(actor=SYSTEM, run=run, step=3)
    assert [one.uid for one in run.archives.order_by("pk")] == ["a.rewound-1", "a.rewound-3"]
    assert Run.objects.listed().count() == 2
