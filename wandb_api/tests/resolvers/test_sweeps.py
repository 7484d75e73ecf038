"""RUN-50 by GraphQL: what agents and the SDK's commands ask of sweeps, rightly and wrongly."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from access.actions import Preset
from access.actor import SYSTEM
from runs.models import Project, Run
from sweeps.lifecycle.deletion import delete_sweep
from sweeps.models import Sweep, Trial
from sweeps.tests.agents_at_work import GRID, AgentAtWork, sweep_of
from teams.models import Visibility
from tests.factories import (
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    make_member,
)
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests.asking import Answer, Asker

pytestmark = pytest.mark.django_db

UPSERT = """
mutation UpsertSweep($id: ID, $config: String, $state: String, $entity: String, $project: String,
                     $controller: JSONString, $launch: JSONString, $priors: JSONString, $values: JSONString) {
  upsertSweep(input: {id: $id, config: $config, state: $state, entityName: $entity, projectName: $project,
    controller: $controller, launchScheduler: $launch, priorRunsFilters: $priors, templateVariableValues: $values}) {
    sweep { name project { name entity { name } } } configValidationWarnings
  }
}"""
CREATE_AGENT = """
mutation CreateAgent($entity: String, $project: String, $sweep: String!) {
  createAgent(input: {host: "node-1", entityName: $entity, projectName: $project, sweep: $sweep}) { agent { id } }
}"""
HEARTBEAT = """
mutation Heartbeat($id: ID!, $runState: JSONString) {
  agentHeartbeat(input: {id: $id, metrics: "{}", runState: $runState}) { agent { id } commands }
}"""
BEGIN = """
mutation UpsertBucket($entity: String, $project: String, $name: String, $sweep: String, $shown: String) {
  upsertBucket(input: {entityName: $entity, modelName: $project, name: $name, sweep: $sweep, displayName: $shown}) {
    bucket { name displayName sweepName } inserted
  }
}"""
SWEEPS = """
query GetSweeps($entity: String!, $project: String!, $filters: JSONString, $first: Int) {
  project(name: $project, entityName: $entity) {
    totalSweeps
    sweeps(filters: $filters, first: $first) {
      pageInfo { endCursor hasNextPage }
      edges { node { id name displayName method state description bestLoss config createdAt updatedAt runCount
                     runCountExpected } }
    }
  }
}"""
PRIORS = """
query P($entity: String, $project: String, $sweep: String!) {
  project(name: $project, entityName: $entity) { sweep(sweepName: $sweep) {
    priorRuns { edges { node { id name } } }
  } }
}"""
AGENT_RUNS = """
query GetAgentRuns($entity: String, $project: String, $sweep: String!, $agent: String!, $last: Int) {
  project(name: $project, entityName: $entity) { sweep(sweepName: $sweep) {
    agents { edges { node { id name host state totalRuns } } }
    agent(agentName: $agent) { runs(first: 10, last: $last, order: "+created_at") { edges { cursor node { name } } } }
  } }
}"""


@pytest.fixture
def project() -> Project:
    return ProjectFactory(name="cifar", team=TeamFactory(name="vision"))


@pytest.fixture
def member(project: Project) -> Asker:
    return Asker(make_member(project.team))


WHERE = {"entity": "vision", "project": "cifar"}


def command(answer: Answer) -> Any:
    """Return the one command of a heartbeat; None without one."""
    commands = json.loads(answer.data["agentHeartbeat"]["commands"])
    assert len(commands) <= 1
    return commands[0] if commands else None


def test_an_agent_of_a_service_account_is_given_runs_and_logs_them(project: Project) -> None:
    """TEAM-30: no person's key has to lie on a cluster."""
    robot = Asker(ServiceAccountFactory(team=project.team).user)
    sweep = sweep_of(project)
    agent = robot.ask(CREATE_AGENT, sweep=sweep.uid, **WHERE).data["createAgent"]["agent"]["id"]
    told = command(robot.ask(HEARTBEAT, id=agent, runState="{}"))
    assert told["args"] == {"lr": {"value": 0.1}, "kind": {"value": "adam"}}
    begun = robot.ask(BEGIN, name=told["run_id"], sweep=sweep.uid, **WHERE).data["upsertBucket"]
    assert begun["bucket"]["sweepName"] == sweep.uid
    assert begun["bucket"]["displayName"].endswith("-sweep-1")
    assert Trial.objects.get(sweep=sweep).run == Run.objects.get(uid=told["run_id"])


def test_a_name_that_people_gave_stays_when_the_run_goes_on(project: Project, member: Asker) -> None:
    sweep = sweep_of(project)
    member.ask(BEGIN, name="r1", sweep=sweep.uid, shown="by hand", **WHERE)
    again = member.ask(BEGIN, name="r1", sweep=sweep.uid, **WHERE).data["upsertBucket"]["bucket"]
    assert again["displayName"] == "by hand"


def test_a_run_of_a_deleted_sweep_is_logged_without_it(project: Project, member: Asker) -> None:
    sweep = sweep_of(project)
    delete_sweep(actor=SYSTEM, sweep=sweep)
    assert (
        member.ask(BEGIN, name="late", sweep=sweep.uid, **WHERE).data["upsertBucket"]["bucket"]["sweepName"]
        is None
    )


def test_a_sweep_that_never_was_is_named(project: Project, member: Asker) -> None:
    answer = member.ask(BEGIN, name="r1", sweep="nope", **WHERE)
    assert answer.status == 400
    assert "no sweep “nope”" in answer.messages[0]
    assert not Run.objects.filter(uid="r1").exists()


def test_an_agent_of_a_deleted_sweep_is_answered_404(project: Project, member: Asker) -> None:
    """By which the SDK says that the sweep was deleted."""
    sweep = sweep_of(project)
    agent = member.ask(CREATE_AGENT, sweep=sweep.uid, **WHERE).data["createAgent"]["agent"]["id"]
    delete_sweep(actor=SYSTEM, sweep=sweep)
    assert member.ask(HEARTBEAT, id=agent).status == 404


@pytest.mark.parametrize(
    "run_state", ["[]", "{", "null", '"x"', "[" * 2000, json.dumps({str(n): True for n in range(1001)})]
)
def test_what_no_agent_says_is_refused(project: Project, member: Asker, run_state: str) -> None:
    agent = AgentAtWork.of(sweep_of(project)).row
    answer = member.ask(HEARTBEAT, id=to_id("SweepAgent", agent.pk), runState=run_state)
    assert answer.status == 400
    assert "runState" in answer.messages[0]
    assert not Trial.objects.exists()


@pytest.mark.parametrize("preset", [None, Preset.VIEW_ONLY])
def test_who_may_not_log_works_on_no_sweep(project: Project, preset: Preset | None) -> None:
    other = Asker(UserFactory() if preset is None else make_member(project.team, preset))
    agent = AgentAtWork.of(sweep_of(project)).row
    status = 404 if preset is None else 403
    assert other.ask(CREATE_AGENT, sweep=agent.sweep.uid, **WHERE).status == status
    assert other.ask(HEARTBEAT, id=to_id("SweepAgent", agent.pk)).status == status
    assert not Trial.objects.exists()


def test_a_sweep_of_a_hidden_project_looks_like_none(project: Project, member: Asker) -> None:
    hidden = ProjectFactory(name="sealed", team=project.team, visibility=Visibility.RESTRICTED)
    sweep = sweep_of(hidden)
    seen = member.ask(SWEEPS, entity="vision", project="sealed").data["project"]
    assert seen is None
    names = {"entity": "vision", "project": "sealed"}
    there, missing = (member.ask(BEGIN, name="r1", sweep=uid, **names) for uid in (sweep.uid, "nope"))
    assert (there.status, there.messages) == (missing.status, missing.messages)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"launch": "{}"}, "Launch"),
        ({"controller": '{"type": "local"}'}, "Schedulers of sweeps are not part of Runyard"),
        ({"priors": '{"$or": [{"name": "nope"}]}'}, "none of the runs is in the project"),
        ({"config": ""}, "a sweep needs a configuration"),
        ({"config": "method: custom"}, "method: custom is not supported"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    project: Project, member: Asker, given: dict[str, str], message: str
) -> None:
    answer = member.ask(UPSERT, **({"config": GRID} | WHERE | given))
    assert answer.status == 400
    assert message in answer.messages[0]
    assert not Sweep.objects.exists()


def test_what_the_sdk_sends_for_nothing_is_taken(project: Project, member: Asker) -> None:
    made = member.ask(UPSERT, config=GRID, values="null", controller=None, **WHERE).data["upsertSweep"]
    assert made["sweep"]["project"] == {"name": "cifar", "entity": {"name": "vision"}}
    assert made["configValidationWarnings"] == []


def test_a_list_asks_as_much_for_many_sweeps_as_for_one(project: Project, member: Asker) -> None:
    def ask() -> Any:
        return member.ask(SWEEPS, **WHERE).data["project"]

    def queries_of(more: int) -> int:
        for _ in range(more):
            AgentAtWork.of(sweep_of(project)).work(0.5)
        with CaptureQueriesContext(connection) as queries:
            ask()
        return len(queries)

    ask()  # what is remembered of who asks
    assert queries_of(1) == queries_of(8)
    found = ask()
    assert found["totalSweeps"] == 9
    assert {edge["node"]["bestLoss"] for edge in found["sweeps"]["edges"]} == {0.5}


def test_sweeps_are_filtered_as_runs_are(project: Project, member: Asker) -> None:
    sweep_of(project)
    other = sweep_of(project, GRID.replace("method: grid", "method: random"))
    found = member.ask(SWEEPS, filters='{"method": "random"}', **WHERE).data["project"]["sweeps"]["edges"]
    assert [edge["node"]["name"] for edge in found] == [other.uid]
    assert "no column" in member.ask(SWEEPS, filters='{"config.lr": 1}', **WHERE).messages[0]


def test_the_earlier_runs_that_a_search_learns_from_are_listed(project: Project, member: Asker) -> None:
    runs = [RunFactory(project=project, config_text='{"lr": {"value": 0.1}}') for _ in range(2)]
    priors = json.dumps({"name": {"$in": [run.uid for run in runs]}})
    made = member.ask(UPSERT, config=GRID, priors=priors, **WHERE).data["upsertSweep"]["sweep"]
    AgentAtWork.of(Sweep.objects.get(uid=made["name"])).work()
    found = member.ask(PRIORS, sweep=made["name"], **WHERE).data["project"]["sweep"]["priorRuns"]["edges"]
    assert [edge["node"]["name"] for edge in found] == [run.uid for run in runs]


def test_the_runs_of_an_agent_are_its_own(project: Project, member: Asker) -> None:
    sweep = sweep_of(project)
    first, second = AgentAtWork.of(sweep), AgentAtWork.of(sweep)
    mine, _other = first.work(), second.work()
    found = member.ask(AGENT_RUNS, sweep=sweep.uid, agent=first.row.uid, **WHERE).data["project"]["sweep"]
    assert [edge["node"]["totalRuns"] for edge in found["agents"]["edges"]] == [1, 1]
    assert [edge["node"]["name"] for edge in found["agent"]["runs"]["edges"]] == [mine.uid]
    backwards = member.ask(AGENT_RUNS, sweep=sweep.uid, agent=first.row.uid, last=5, **WHERE)
    assert "first and after" in backwards.messages[0]
