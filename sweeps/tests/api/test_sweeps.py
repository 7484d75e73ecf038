"""REST: sweeps, their states, agents, trials and runs (RUN-50)."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.models import User
from ingest.key_scopes import LOG_RUNS, READ_ONLY
from runs.models import Project, Run
from sweeps.agents.services import answer_heartbeat, register_agent
from sweeps.config.document import read_config
from sweeps.lifecycle.deletion import delete_sweep
from sweeps.lifecycle.services import create_sweep
from sweeps.models import Sweep, SweepAgent, SweepState, Trial, TrialState
from teams.models import Visibility
from tests.factories import ProjectFactory, RunFactory, TeamFactory, basic, make_key, make_member

pytestmark = pytest.mark.django_db
API = "/api/v1"
Ask = Callable[..., tuple[int, Any]]
GRID = "method: grid\nmetric: {name: loss, goal: minimize}\nparameters:\n  lr: {values: [0.1, 0.2, 0.3]}\n"


@pytest.fixture
def project() -> Project:
    return ProjectFactory(name="vision")


@pytest.fixture
def member(project: Project) -> User:
    return make_member(project.team)


@pytest.fixture
def ask(client: Client, member: User) -> Ask:
    return asking(client, member)


def asking(client: Client, user: User | None, scopes: frozenset[str] | None = None) -> Ask:
    """Return how somebody asks: status and body of the answer."""
    headers = {} if user is None else {"Authorization": basic(make_key(user, scopes=scopes))}

    def ask(method: str, path: str, body: Any = None) -> tuple[int, Any]:
        text = "" if body is None else json.dumps(body)
        answer = client.generic(
            method, f"{API}{path}", text, content_type="application/json", headers=headers
        )
        return answer.status_code, answer.json() if answer.content else None

    return ask


def make_sweep(project: Project, config: str = GRID, by: User | None = None, **given: Any) -> Sweep:
    sweep, _warnings = create_sweep(actor=SYSTEM, project=project, config_text=config, **given)
    sweep.created_by = by
    sweep.save(update_fields=["created_by"])
    return sweep


def make_run(sweep: Sweep, loss: float | str, state: str = "running", **given: Any) -> Run:
    summary = json.dumps({"loss": loss})
    run: Run = RunFactory(project=sweep.project, sweep=sweep.uid, summary_text=summary, **given)
    Run.objects.filter(pk=run.pk).update(state=state)
    return run


def where(project: Project) -> dict[str, str]:
    return {"entity": project.team.name, "project": project.name}


def message(body: Any) -> str:
    return str(body["error"]["message"])


# Creating and changing


def test_a_sweep_is_created_from_yaml_as_it_is(project: Project, ask: Ask, member: User):
    """RUN-50: comments stay."""
    text = f"# by hand\nname: night\n{GRID}"
    status, body = ask("POST", "/sweeps/", {**where(project), "config": text})
    assert status == 201
    assert (body["config"], body["name"], body["method"]) == (text, "night", "grid")
    assert (body["state"], body["expected_runs"], body["created_by"]) == ("PENDING", 3, member.username)
    assert body["agent_command"] == f"wandb agent {project.team.name}/vision/{body['uid']}"
    assert (body["warnings"], body["best_run"], body["states"]) == ([], None, {})
    assert (body["metric_name"], body["metric_goal"], body["retry_crashed"]) == ("loss", "minimize", True)


def test_a_sweep_is_created_from_an_object_as_yaml(project: Project, ask: Ask):
    """RUN-50: what is stored reads as what was sent, in its order."""
    config = {
        "program": "train.py", "method": "random", "parameters": {"lr": {"min": 1e-05, "max": 0.1}},
        "nothing": "é",
    }  # fmt: skip
    status, body = ask("POST", "/sweeps/", {**where(project), "config": config, "name": "n"})
    assert status == 201
    assert body["config"].startswith(
        "program: train.py\nmethod: random\nparameters:\n  lr:\n    min: 1.0e-05\n"
    )
    assert read_config(body["config"]) == read_config(json.dumps(config))
    assert body["warnings"] == ["nothing: is unknown and has no effect."]
    assert (body["expected_runs"], body["name"]) == (None, "n")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("method: grid\nparameters: {lr: {min: 0.1, max: 0.2}}", "parameters.lr: a grid needs values"),
        ({"method": "random", "parameters": {"lr": {"min": 2, "max": 1}}}, "parameters.lr.max"),
        ("a: &b [*b]", "aliases"),
        ({"method": "custom"}, "custom is not supported"),
        (7, "config: Must be YAML text or an object."),
        ({"a": "\ud800"}, "not valid YAML"),
    ],
)
def test_a_wrong_configuration_is_refused_by_its_path(project: Project, ask: Ask, config: Any, said: str):
    status, body = ask("POST", "/sweeps/", {**where(project), "config": config})
    assert (status, said in message(body)) == (400, True), body
    assert not Sweep.objects.exists()


def test_unknown_fields_are_refused_and_hidden_projects_are_missing(project: Project, ask: Ask):
    _, body = ask("POST", "/sweeps/", {**where(project), "config": GRID, "displayName": "x"})
    assert "There is no field 'displayName' here." in message(body)
    elsewhere = {**where(ProjectFactory()), "config": GRID}
    assert ask("POST", "/sweeps/", elsewhere)[0] == 404


def test_a_sweep_learns_from_earlier_runs(project: Project, ask: Ask):
    """RUN-50: the points that they tried are not handed out again."""
    RunFactory(project=project, uid="old", config_text='{"lr": {"value": 0.2}}')
    sent = {**where(project), "config": GRID, "prior_runs": ["old"]}
    _, body = ask("POST", "/sweeps/", sent)
    assert body["run_count"] == 1
    _, trials = ask("GET", f"/sweeps/{body['id']}/trials/")
    (row,) = trials["results"]
    assert (row["number"], row["args"], row["is_prior"], row["run_uid"]) == (0, {"lr": 0.2}, True, "old")
    status, refused = ask("POST", "/sweeps/", {**sent, "prior_runs": ["old", "none"]})
    assert (status, message(refused)) == (400, "prior_runs: the project has no run “none”.")


def test_a_sweep_is_changed(project: Project, ask: Ask, member: User):
    sweep = make_sweep(project, by=member)
    path = f"/sweeps/{sweep.pk}/"
    status, body = ask(
        "PATCH", path, {"config": {**_grid(), "run_cap": 2}, "name": "cap", "description": "d"}
    )
    assert (status, body["run_cap"], body["expected_runs"]) == (200, 2, 2)
    assert (body["name"], body["description"]) == ("cap", "d")
    assert ask("PATCH", path, {"config": "method: grid"})[0] == 400
    assert ask("PATCH", path, {"state": "PAUSED"})[0] == 400


def _grid() -> dict[str, Any]:
    return {"method": "grid", "parameters": {"lr": {"values": [0.1, 0.2, 0.3]}}}


# Reading


def test_a_sweep_tells_its_best_run_and_how_far_it_is(project: Project, ask: Ask):
    """RUN-50, RUN-51: a run whose metric is NaN is no best."""
    sweep = make_sweep(project)
    make_run(sweep, 0.5)
    best = make_run(sweep, 0.25, state="finished", display_name="best")
    make_run(sweep, "NaN", state="failed")
    _, body = ask("GET", f"/sweeps/{sweep.pk}/")
    assert body["best_run"] == {"id": best.pk, "uid": best.uid, "display_name": "best", "value": 0.25}
    assert body["states"] == {"running": 1, "finished": 1, "failed": 1}
    assert (body["run_count"], body["running_count"], body["agent_count"]) == (3, 1, 0)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("", ["b", "a"]),
        ("state=PAUSED", ["b"]),
        ("method=random", ["b"]),
        ("search=A", ["a"]),
        ("project=elsewhere", []),
    ],
)
def test_sweeps_are_narrowed(project: Project, ask: Ask, given: str, found: list[str]):
    make_sweep(project, display_name="a")
    random = make_sweep(project, "method: random\nparameters: {x: {values: [1, 2]}}", display_name="b")
    Sweep.objects.filter(pk=random.pk).update(state=SweepState.PAUSED)
    make_sweep(ProjectFactory(), display_name="theirs")
    _, body = ask("GET", f"/sweeps/?{given}")
    assert [row["name"] for row in body["results"]] == found


def test_a_list_makes_a_fixed_number_of_queries(project: Project, ask: Ask):
    make_sweep(project)
    ask("GET", "/sweeps/")
    with CaptureQueriesContext(
        connection,
    ) as one:
        ask("GET", "/sweeps/")
    for _ in range(5):
        make_sweep(project)
    with CaptureQueriesContext(connection) as six:
        ask("GET", "/sweeps/")
    assert len(six) == len(one)


def test_agents_and_trials_are_listed_as_they_came(project: Project, ask: Ask, member: User):
    sweep = make_sweep(project)
    first, second = (register_agent(actor=SYSTEM, sweep=sweep, host=host) for host in ("gpu-1", "gpu-2"))
    for agent in (first, second):
        answer_heartbeat(agent, set())
    SweepAgent.objects.filter(pk=second.pk).update(heartbeat_at=timezone.now() - timedelta(hours=1))
    trial = Trial.objects.get(agent=first)
    run = make_run(sweep, 0.25, uid=trial.run_uid)
    _, agents = ask("GET", f"/sweeps/{sweep.pk}/agents/")
    told = [(row["host"], row["is_lost"], row["run_count"], row["user"]) for row in agents["results"]]
    assert told == [("gpu-1", False, 1, None), ("gpu-2", True, 0, None)]
    _, trials = ask("GET", f"/sweeps/{sweep.pk}/trials/?per_page=1")
    (row,) = trials["results"]
    assert (row["number"], row["args"], row["state"], row["attempts"]) == (1, {"lr": 0.1}, "running", 1)
    assert (row["run"], row["value"], row["agent"]) == (run.pk, 0.25, first.uid)
    assert (row["is_early_stop"], row["is_prior"]) == (False, False)
    assert trials["next"] is not None
    Run.objects.filter(pk=run.pk).update(deleted_at=timezone.now())
    (row,) = ask("GET", f"/sweeps/{sweep.pk}/trials/?per_page=1")[1]["results"]
    assert (row["run"], row["value"], row["run_uid"]) == (None, None, trial.run_uid)


def test_secrets_are_read_by_who_may_run_agents(project: Project, ask: Ask, member: User, client: Client):
    """RUN-50: a program may need a token as an argument; who only looks on gets it masked."""
    secret = "ghp_" + 40 * "a"
    sweep = make_sweep(project, GRID + f"  token: {{value: {secret}}}\n", by=None)
    answer_heartbeat(register_agent(actor=SYSTEM, sweep=sweep, host="h"), set())
    viewer = asking(client, make_member(project.team, Preset.VIEW_ONLY))
    for who, is_shown in ((ask, True), (viewer, False)):
        config = who("GET", f"/sweeps/{sweep.pk}/")[1]["config"]
        [trial] = who("GET", f"/sweeps/{sweep.pk}/trials/")[1]["results"]
        assert [secret in config, trial["args"]["token"] == secret] == [is_shown, is_shown]


def test_a_run_tells_its_sweep(project: Project, ask: Ask):
    sweep = make_sweep(project)
    run, other = make_run(sweep, 1), RunFactory(project=project)
    assert ask("GET", f"/runs/{run.pk}/")[1]["sweep"] == sweep.uid
    assert ask("GET", f"/runs/{other.pk}/")[1]["sweep"] == ""
    _, body = ask("GET", f"/runs/?filter=sweep = '{sweep.uid}'")
    assert [row["id"] for row in body["results"]] == [run.pk]


# States


def test_a_sweep_is_paused_resumed_stopped_and_canceled(project: Project, ask: Ask, member: User):
    """RUN-50: each answer is the sweep as it is then."""
    sweep = make_sweep(project, by=member)
    register_agent(actor=SYSTEM, sweep=sweep, host="")
    states = []
    for act in ("pause", "resume", "stop", "resume", "cancel"):
        status, body = ask("POST", f"/sweeps/{sweep.pk}/{act}/")
        states.append((status, body["state"], body["is_stopped"]))
    assert states == [
        (200, "PAUSED", False), (200, "RUNNING", False), (200, "FINISHED", True), (200, "RUNNING", False),
        (200, "CANCELED", False),
    ]  # fmt: skip
    status, body = ask("POST", f"/sweeps/{sweep.pk}/pause/")
    assert (status, message(body)) == (409, "The sweep is Canceled; it cannot become Paused.")


# Deleting


def test_a_deleted_sweep_keeps_its_runs_and_is_restored(project: Project, ask: Ask, member: User):
    sweep = make_sweep(project, by=member)
    run = make_run(sweep, 1)
    assert ask("DELETE", f"/sweeps/{sweep.pk}/") == (204, None)
    assert ask("GET", f"/sweeps/{sweep.pk}/")[0] == 404
    assert ask("GET", f"/runs/{run.pk}/")[0] == 200
    _, gone = ask("GET", "/sweeps/?deleted=true")
    assert [row["id"] for row in gone["results"]] == [sweep.pk]
    status, body = ask("POST", f"/sweeps/{sweep.pk}/restore/")
    assert (status, body["deleted_at"], body["run_count"]) == (200, None, 1)


def test_runs_go_with_their_sweep_but_those_of_others_stay(project: Project, ask: Ask, member: User):
    sweep = make_sweep(project, by=member)
    own, other = make_run(sweep, 1, user=member), make_run(sweep, 2, user=make_member(project.team))
    status, body = ask("DELETE", f"/sweeps/{sweep.pk}/?with_runs=true")
    assert (status, body["done"], [one["uid"] for one in body["refused"]]) == (
        200,
        [own.uid],
        [other.uid],
    )
    assert ask("GET", f"/runs/{own.pk}/")[0] == 404
    ask("POST", f"/sweeps/{sweep.pk}/restore/")
    assert ask("GET", f"/runs/{own.pk}/")[0] == 200


def test_deleted_sweeps_of_others_are_not_listed(project: Project, ask: Ask):
    delete_sweep(actor=SYSTEM, sweep=make_sweep(project, by=make_member(project.team)))
    assert ask("GET", "/sweeps/?deleted=true")[1]["results"] == []


# Runs that leave


def test_a_run_leaves_its_sweep_and_stays(project: Project, ask: Ask, member: User):
    """RUN-50: totals and the best value are right afterwards, and the sweep does not wait for the run."""
    sweep = make_sweep(
        project, "method: grid\nmetric: {name: loss}\nparameters: {lr: {values: [1]}}", by=member
    )
    agent = register_agent(actor=SYSTEM, sweep=sweep, host="")
    answer_heartbeat(agent, set())
    trial = Trial.objects.get(sweep=sweep)
    gone, stays = (
        make_run(sweep, 0.1, uid=trial.run_uid),
        make_run(sweep, 0.5, state="finished"),
    )
    trial.refresh_from_db()
    assert (trial.run, trial.state) == (gone, TrialState.RUNNING)
    Sweep.objects.filter(pk=sweep.pk).update(best_value=0.1)
    status, body = ask("POST", f"/sweeps/{sweep.pk}/remove-runs/", {"uids": [gone.uid, "none"]})
    assert (status, body["done"], body["refused"]) == (200, [gone.uid], [])
    gone.refresh_from_db()
    assert (gone.sweep, gone.deleted_at) == ("", None)
    _, told = ask("GET", f"/sweeps/{sweep.pk}/")
    assert (told["run_count"], told["best_value"], told["state"]) == (1, 0.5, "FINISHED")
    assert told["best_run"]["uid"] == stays.uid
    assert AuditEntry.objects.filter(action="run.remove_from_sweep", object_id=str(gone.pk)).count() == 1


def test_who_may_not_change_a_run_leaves_it_in_its_sweep(project: Project, client: Client):
    sweep = make_sweep(project)
    run = make_run(sweep, 1)
    ask = asking(client, make_member(project.team, Preset.VIEW_ONLY))
    status, body = ask("POST", f"/sweeps/{sweep.pk}/remove-runs/", {"uids": [run.uid]})
    assert (status, body["done"], [one["uid"] for one in body["refused"]]) == (200, [], [run.uid])
    run.refresh_from_db()
    assert run.sweep == sweep.uid


# Rights


def test_what_others_created_is_read_but_not_stopped(project: Project, ask: Ask):
    """TEAM-21: members stop, edit and delete their own."""
    sweep = make_sweep(project, by=make_member(project.team))
    assert ask("GET", f"/sweeps/{sweep.pk}/")[0] == 200
    for method, path in (("POST", "stop/"), ("PATCH", ""), ("DELETE", "")):
        assert ask(method, f"/sweeps/{sweep.pk}/{path}", {} if method == "PATCH" else None)[0] == 403


def test_a_public_projects_sweeps_are_read_by_anybody(client: Client):
    project = ProjectFactory(visibility=Visibility.PUBLIC)
    sweep = make_sweep(project)
    ask = asking(client, None)
    assert ask("GET", f"/sweeps/{sweep.pk}/")[0] == 200
    assert ask("POST", f"/sweeps/{sweep.pk}/stop/")[0] in {401, 403}


@pytest.mark.parametrize("scopes", [READ_ONLY, LOG_RUNS])
def test_limited_keys_read_sweeps_but_create_none(
    project: Project, client: Client, member: User, scopes: frozenset[str]
):
    sweep = make_sweep(project, by=member)
    ask = asking(client, member, scopes)
    assert ask("GET", f"/sweeps/{sweep.pk}/")[0] == 200
    assert ask("POST", "/sweeps/", {**where(project), "config": GRID})[0] == 403
    assert ask("POST", f"/sweeps/{sweep.pk}/stop/")[0] == 403


def test_sweeps_of_other_teams_are_missing(ask: Ask):
    sweep = make_sweep(ProjectFactory(team=TeamFactory()))
    for path in ("", "agents/", "trials/"):
        assert ask("GET", f"/sweeps/{sweep.pk}/{path}")[0] == 404
