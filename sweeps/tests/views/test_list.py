"""The list of a project's sweeps (RUN-50)."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from sweeps.lifecycle.services import create_sweep
from sweeps.models import Sweep, SweepAgent
from tests.factories import actor

ADDRESS = "/vision/cifar/sweeps"
GRID = "method: grid\nparameters:\n  lr: {values: [1, 2, 3, 4]}\n"


def test_a_project_without_sweeps_says_how_to_begin(client, member, project):
    """RUN-50: with the commands of this project."""
    client.force_login(member)
    text = client.get(ADDRESS).content.decode()
    assert "wandb sweep --entity vision --project cifar sweep.yaml" in text
    assert "wandb agent vision/cifar/SWEEP" in text


def test_a_row_says_how_far_a_sweep_is(client, member, sweep, add_run):
    """RUN-50: runs of those expected, the best value, agents that are heard."""
    client.force_login(member)
    add_run("a", 0.5)
    add_run("b", None, state="running")
    SweepAgent.objects.create(sweep=sweep, uid="here")
    Sweep.objects.update(best_value=0.5)
    [row] = client.get(ADDRESS).context["rows"]
    assert (row.sweep.run_count, row.sweep.running_count, row.expected, row.percent) == (2, 1, 8, 25)
    assert (row.best, row.sweep.agent_count) == ("0.5", 1)


def test_the_list_takes_as_many_queries_for_one_sweep_as_for_many(client, member, project, sweep):
    """RUN-50: its counts come with the rows."""
    client.force_login(member)

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert client.get(ADDRESS).status_code == 200
        return len(asked)

    queries()  # the first one asks what is cached from then on
    before = queries()
    for _number in range(5):
        create_sweep(actor=actor(member), project=project, config_text=GRID)
    assert queries() == before
