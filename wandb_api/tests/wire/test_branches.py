"""Forks and rewinds by hand: what the SDK sends for `fork_from` and `resume_from` (RUN-6)."""

import json

import pytest

from runs.models import Run as RunRow
from tests.sdk.wire import UPSERT, Run, Wire, history, row

REWIND = """mutation R($run: String!, $entity: String, $project: String, $step: Float!) { rewindRun(input: {
    runName: $run, entityName: $entity, projectName: $project, metricName: "_step", metricValue: $step
}) { rewoundRun { id } } }"""
RUNS = """query Q($entity: String!, $project: String!, $filters: JSONString) {
    project(name: $project, entityName: $entity) { runCount(filters: $filters)
    runs(filters: $filters) { edges { node { name } } } } }"""


@pytest.fixture
def parent(ada: Wire, request: pytest.FixtureRequest) -> Run:
    run = ada.begin("branches", str(request.node.name)[:40])
    assert ada.post(run, history(0, *(row(step, x=step) for step in range(4)))).status_code == 200
    return run


def fork_config(parent: Run, step: int) -> str:
    return json.dumps({"_wandb": {"value": {"branch_point": {"run_id": parent.uid, "step": step}}}})


def test_a_fork_of_a_step_that_is_not_there_is_refused(ada: Wire, parent: Run) -> None:
    variables = {"name": f"{parent.uid}-fork", "project": "branches"}
    reply = ada.ask(UPSERT, **variables, config=fork_config(parent, 99))
    assert reply.status_code == 400
    assert (
        reply.json()["errors"][0]["message"] == f"The run “{parent.uid}” has no step 99: its last step is 3."
    )
    assert not RunRow.objects.filter(uid=variables["name"]).exists()
    fork = ada.begin("branches", variables["name"], config=fork_config(parent, 3))
    assert [line["_step"] for line in ada.rows(fork)] == [0, 1, 2, 3]


@pytest.mark.parametrize("filters", [None, "{}", '{"display_name": {"$regex": "."}}'])
def test_what_a_rewind_sets_aside_is_in_no_list(ada: Wire, parent: Run, filters: str | None) -> None:
    ada.data(REWIND, run=parent.uid, entity=parent.entity, project="branches", step=1)
    assert RunRow.objects.filter(archive_of__uid=parent.uid).exists()
    found = ada.data(RUNS, entity=parent.entity, project="branches", filters=filters)["project"]
    names = [edge["node"]["name"] for edge in found["runs"]["edges"]]
    assert parent.uid in names
    assert not [name for name in names if "rewound" in name]
    assert found["runCount"] == len(names)
