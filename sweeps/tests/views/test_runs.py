"""What pages of runs say of their sweeps, and taking runs out of them (RUN-50)."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from access.actions import Preset
from access.models import AuditEntry
from runs.models import Run
from sweeps.models import Sweep
from tests.factories import RunFactory, make_member

TABLE = "/vision/cifar/runs"
RUN = "/vision/cifar/runs/{}"


def _cells(client, **query: str) -> str:
    layout = json.dumps({"order": ["sweep", "state"]})
    return str(client.get(TABLE, {"part": "table", "layout": layout, **query}).content.decode())


def test_a_run_names_its_sweep_and_what_it_was_given(client, member, sweep, add_run):
    """RUN-50: with a link, and that it was stopped early."""
    client.force_login(member)
    run = add_run("a", 0.5, is_early_stop=True)
    text = client.get(f"{RUN.format(run.uid)}/overview").content.decode()
    assert f'href="/vision/cifar/sweeps/{sweep.uid}"' in text
    assert "Stopped early" in text
    assert ">model.width</dt>" in text


def test_a_run_without_a_sweep_says_nothing_of_sweeps(client, member, project):
    """RUN-50: and is offered no way out of one."""
    client.force_login(member)
    RunFactory(project=project, uid="plain", user=member)
    text = client.get(f"{RUN.format('plain')}/overview").content.decode()
    assert "sweep-title" not in text
    assert "remove_from_sweep" not in text


def test_the_runs_table_shows_the_names_of_sweeps(client, member, sweep, add_run):
    """RUN-50: the ID of one that was deleted."""
    client.force_login(member)
    add_run("a", 0.5)
    link = f'<a href="/vision/cifar/sweeps/{sweep.uid}" title="widths">widths</a>'
    assert link in _cells(client)
    Sweep.objects.update(deleted_at=timezone.now())
    text = _cells(client)
    assert link not in text
    assert f">{sweep.uid}</td>" in text


def test_names_of_sweeps_are_escaped(client, member, sweep, add_run):
    """RUN-50: people choose them."""
    client.force_login(member)
    add_run("a", 0.5)
    Sweep.objects.update(display_name='<b title="x">')
    assert "&lt;b title=&quot;x&quot;&gt;" in _cells(client)
    assert '<b title="x">' not in client.get(f"/vision/cifar/sweeps/{sweep.uid}").content.decode()
    assert '<b title="x">' not in client.get(f"{RUN.format('a')}/overview").content.decode()


def test_groups_of_runs_by_sweep_have_its_name(client, member, sweep, add_run, project):
    """RUN-50: filters and groups are by the ID, people read the name."""
    client.force_login(member)
    add_run("a", 0.5)
    RunFactory(project=project, uid="plain", user=member)
    assert "widths" in _cells(client, group="sweep")


def test_the_table_asks_for_no_names_where_no_sweep_is_shown(client, member, add_run):
    """RUN-50: lists without the column cost what they did."""
    client.force_login(member)
    add_run("a", 0.5)
    query = {"part": "rows", "columns": "state", "offset": "0"}
    client.get(TABLE, query)
    assert "sweeps_sweep" not in _asked(client, query)
    assert "sweeps_sweep" in _asked(client, {**query, "columns": "sweep"})


def _asked(client, query: dict[str, str]) -> str:
    with CaptureQueriesContext(connection) as asked:
        client.get(TABLE, query)
    return "\n".join(one["sql"] for one in asked)


@pytest.mark.parametrize("is_bulk", [True, False])
def test_a_run_is_taken_out_of_its_sweep(client, member, sweep, add_run, is_bulk):
    """RUN-50: from the runs table, and from its page."""
    client.force_login(member)
    run = add_run("a", 0.5)
    if is_bulk:
        reply = client.post("/vision/cifar/acts/remove_from_sweep", {"uid": "a"})
        assert reply.json()["done"] == 1
    else:
        reply = client.post(f"{RUN.format('a')}/act/remove_from_sweep", follow=True)
        assert "Run removed from its sweep" in reply.content.decode()
    assert Run.objects.get(pk=run.pk).sweep == ""
    assert AuditEntry.objects.filter(action="run.remove_from_sweep").count() == 1
    assert client.get(f"/vision/cifar/sweeps/{sweep.uid}").context["runs"] == []


def test_runs_of_others_stay_in_their_sweep(client, project, sweep, add_run):
    """RUN-50: it is a change of the run."""
    client.force_login(make_member(project.team, role=Preset.VIEW_ONLY))
    run = add_run("a", 0.5)
    assert client.post(f"{RUN.format('a')}/act/remove_from_sweep").status_code == 403
    assert client.post("/vision/cifar/acts/remove_from_sweep", {"uid": "a"}).json()["done"] == 0
    assert Run.objects.get(pk=run.pk).sweep == sweep.uid
