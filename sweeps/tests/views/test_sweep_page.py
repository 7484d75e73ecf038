"""The page of a sweep: what it says, what it does not say yet, and what is done from it (RUN-50, RUN-51)."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from runs.models import Run
from sweeps.lifecycle.services import change_state, create_sweep
from sweeps.models import Sweep, SweepAgent, SweepState, Trial
from tests.factories import RunFactory, actor, make_member

PAGE = "/vision/cifar/sweeps/{}"


def test_the_best_run_is_shown_with_its_arguments(client, member, sweep, add_run):
    """RUN-50: with its value, and what to copy."""
    client.force_login(member)
    add_run("worse", 0.5)
    add_run("diverged", float("inf"))
    best = add_run("better", 0.25)
    shown = client.get(PAGE.format(sweep.uid)).context["best"]
    assert (shown.run.pk, shown.value) == (best.pk, "0.25")
    assert {one.name: one.text for one in shown.arguments} == {"lr": "0.01", "model.width": "32", "seed": "7"}
    assert shown.config == "lr: 0.01\nmodel:\n  width: 32\nseed: 7\n"


def test_secrets_among_arguments_and_in_the_configuration_are_masked(client, member, project):
    """RUN-50: as in the configuration of runs."""
    secret = "ghp_" + "a1B2" * 9
    text = (
        f"method: random\nparameters:\n  lr: {{min: 0.1, max: 1.0}}\ncommand: [python, train.py, {secret}]\n"
    )
    sweep = create_sweep(actor=actor(member), project=project, config_text=text)[0]
    client.force_login(member)
    reply = client.get(PAGE.format(sweep.uid))
    assert secret not in reply.content.decode()
    assert reply.context["has_secrets"]


def test_progress_counts_runs_by_state(client, member, sweep, add_run):
    """RUN-50: of the runs that are expected; running ones are not done."""
    client.force_login(member)
    add_run("a", 0.5)
    add_run("b", None, state="failed")
    add_run("c", None, state="running", is_early_stop=True)
    context = client.get(PAGE.format(sweep.uid)).context
    progress = context["progress"]
    assert (progress.total, progress.expected, progress.percent) == (3, 8, 25)
    assert [(part.state, part.count) for part in progress.parts] == [
        ("finished", 1),
        ("running", 1),
        ("failed", 1),
    ]
    assert context["early_stops"] == 1


def test_a_sweep_without_an_end_has_no_percentage(client, member, project):
    """RUN-50: random search goes on until somebody stops it."""
    text = "method: random\nparameters:\n  lr: {min: 0.1, max: 1.0}\n"
    sweep = create_sweep(actor=actor(member), project=project, config_text=text)[0]
    client.force_login(member)
    reply = client.get(PAGE.format(sweep.uid))
    assert reply.context["progress"].percent is None
    assert "has no metric" in reply.content.decode()


def test_a_metric_that_was_never_logged_is_named_with_the_keys_that_were(client, member, sweep, add_run):
    """RUN-51: what cannot be said yet is said so."""
    client.force_login(member)
    add_run("a", None)
    text = client.get(PAGE.format(sweep.uid)).content.decode()
    assert "No run of this sweep has logged “val/loss”." in text
    assert '<code translate="no">accuracy</code>' in text


def test_runs_are_listed_best_first_with_what_is_searched(client, member, sweep, add_run):
    """RUN-51: what does not differ is left out; a run that was stopped early says so."""
    client.force_login(member)
    add_run("worse", 0.5, is_early_stop=True)
    add_run("better", 0.25)
    context = client.get(PAGE.format(sweep.uid)).context
    assert [row.run.uid for row in context["runs"]] == ["better", "worse"]
    assert [name for name, _css in context["heads"]] == ["val/loss", "lr", "model.width"]
    assert [row.is_early_stop for row in context["runs"]] == [False, True]


def test_charts_begin_with_the_filter_the_axes_and_the_metric(client, member, sweep):
    """RUN-51: the metric is the last axis, which colours the lines."""
    client.force_login(member)
    charts = client.get(PAGE.format(sweep.uid)).context["charts"]
    assert charts["filter"] == f'sweep = "{sweep.uid}"'
    assert charts["axes"] == ["config.lr", "config.model.width", "summary.val/loss"]
    assert (charts["metric"], charts["goal"]) == ("summary.val/loss", "minimize")


def test_the_columns_of_its_charts_have_only_its_runs_in_order_of_start(
    client, member, sweep, add_run, project
):
    """RUN-51: charts read the same columns as the workspace."""
    client.force_login(member)
    first, second = add_run("first", 0.5), add_run("second", 0.25)
    RunFactory(project=project, uid="other")
    Run.objects.filter(pk=first.pk).update(created_at=second.created_at - timedelta(hours=1))
    query = {"filter": f'sweep = "{sweep.uid}"', "order": "created", "columns": "summary.val/loss"}
    reply = client.get("/vision/cifar/columns", query).json()
    assert reply["uid"] == ["first", "second"]
    assert reply["columns"]["summary.val/loss"] == [0.5, 0.25]


def test_agents_say_whether_they_are_heard(client, member, sweep):
    """RUN-50: one that fell silent is lost, unless it was told to exit."""
    client.force_login(member)
    long_ago = timezone.now() - timedelta(minutes=10)
    SweepAgent.objects.create(sweep=sweep, uid="here", host="node-1")
    SweepAgent.objects.create(sweep=sweep, uid="lost", host="node-2", heartbeat_at=long_ago)
    SweepAgent.objects.create(
        sweep=sweep, uid="gone", host="node-3", heartbeat_at=long_ago, exited_at=long_ago
    )
    reply = client.get(PAGE.format(sweep.uid))
    assert {agent.uid: agent.is_lost for agent in reply.context["agents"]} == {
        "here": False, "lost": True, "gone": False,
    }  # fmt: skip
    assert f"wandb agent vision/cifar/{sweep.uid}" in reply.content.decode()


def test_the_queries_of_the_page_do_not_grow_with_its_runs(client, member, sweep, add_run):
    """RUN-51: a sweep of hundreds of runs opens as one of two does."""
    client.force_login(member)
    address = PAGE.format(sweep.uid)
    for number in range(2):
        add_run(f"run-{number}", 0.5)
    client.get(address)

    def queries() -> list[str]:
        with CaptureQueriesContext(connection) as asked:
            assert client.get(address).status_code == 200
        return [query["sql"] for query in asked]

    before = queries()
    for number in range(2, 22):
        add_run(f"run-{number}", 0.5, is_early_stop=True)
        SweepAgent.objects.create(sweep=sweep, uid=f"agent{number}")
    client.get(address)  # what changed is read once
    after = queries()
    assert len(after) == len(before), "\n".join(after)


def test_the_part_that_changes_is_asked_for_alone(client, member, sweep, add_run):
    """RUN-51: states and progress follow without the page."""
    client.force_login(member)
    add_run("a", 0.5)
    text = client.get(PAGE.format(sweep.uid), {"part": "live"}).content.decode()
    assert text.count("data-live-part") == 4
    assert "<html" not in text


@pytest.mark.parametrize(
    ("state", "label"),
    [("PAUSED", "Paused"), ("FINISHED", "Stopped"), ("CANCELED", "Canceled")],
)
def test_a_sweep_is_paused_stopped_or_canceled_from_its_page(client, member, sweep, state, label):
    """RUN-50: and resumed, as long as runs are left."""
    client.force_login(member)
    address = PAGE.format(sweep.uid)
    reply = client.post(f"{address}/state", {"state": state}, follow=True)
    assert reply.context["sweep"].state_label == label
    reply = client.post(f"{address}/state", {"state": "RUNNING"}, follow=True)
    assert reply.context["sweep"].state == SweepState.RUNNING


def test_a_change_of_state_that_is_refused_is_said_on_the_page(client, member, sweep):
    """RUN-50: and leaves the sweep as it was."""
    client.force_login(member)
    change_state(actor=actor(member), sweep=sweep, state="CANCELED")
    reply = client.post(f"{PAGE.format(sweep.uid)}/state", {"state": "PAUSED"}, follow=True)
    assert "it cannot become Paused" in reply.content.decode()
    assert reply.context["sweep"].state == SweepState.CANCELED


def test_who_may_only_look_is_offered_nothing_to_do(client, sweep, project):
    """RUN-50: other members' sweeps are theirs."""
    client.force_login(make_member(project.team))
    text = client.get(PAGE.format(sweep.uid)).content.decode()
    assert f"{sweep.uid}/state" not in text
    assert f"{sweep.uid}/delete" not in text
    assert client.post(f"{PAGE.format(sweep.uid)}/state", {"state": "PAUSED"}).status_code == 403


def test_a_frame_shows_the_sweep_and_changes_nothing(client, member, sweep, add_run):
    """RUN-50: as a notebook shows it."""
    client.force_login(member)
    add_run("a", 0.5)
    reply = client.get(PAGE.format(sweep.uid), {"jupyter": "true"})
    assert reply.status_code == 200
    assert "<form" not in reply.content.decode()


def test_a_sweep_that_there_is_not_is_not_found(client, member, sweep):
    """RUN-50: nor is a deleted one."""
    client.force_login(member)
    Sweep.objects.update(deleted_at=timezone.now())
    assert client.get(PAGE.format(sweep.uid)).status_code == 404
    assert Client().get(PAGE.format(sweep.uid)).status_code in {302, 404}


def _restored(client: Client, sweep: Sweep) -> Any:
    return client.post("/vision/cifar/sweeps/deleted", {"restore": sweep.uid}, follow=True)


def test_a_deleted_sweep_can_be_brought_back_with_its_runs(client, member, sweep, add_run):
    """RUN-50: the list offers it right after, once, and later under Deleted sweeps."""
    client.force_login(member)
    run = add_run("a", 0.5)
    reply = client.post(f"{PAGE.format(sweep.uid)}/delete", {"runs": "1"}, follow=True)
    assert reply.context["undo"] == sweep
    assert client.get("/vision/cifar/sweeps").context["undo"] is None
    assert Run.objects.get(pk=run.pk).deleted_at is not None
    assert [row.sweep for row in client.get("/vision/cifar/sweeps/deleted").context["rows"]] == [sweep]
    assert _restored(client, sweep).context["sweep"] == sweep
    assert Run.objects.get(pk=run.pk).deleted_at is None
    assert _restored(client, sweep).status_code == 404


def test_runs_stay_unless_they_are_to_go(client, member, sweep, add_run):
    """RUN-50: the box is not ticked by itself."""
    client.force_login(member)
    run = add_run("a", 0.5)
    client.post(f"{PAGE.format(sweep.uid)}/delete")
    assert Run.objects.get(pk=run.pk).deleted_at is None


def test_a_run_that_no_agent_was_given_shows_its_own_configuration(client, member, sweep, add_run):
    """RUN-50: whoever joins a sweep by its ID alone."""
    client.force_login(member)
    add_run("joined", 0.5)
    Trial.objects.all().delete()
    shown = client.get(PAGE.format(sweep.uid)).context["best"]
    assert shown.config == "lr: 0.01\nmodel:\n  width: 32\nseed: 7\n"
