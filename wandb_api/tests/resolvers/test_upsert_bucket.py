"""UpsertBucket: begin a run, go on with one, or change one (RUN-1, RUN-9)."""

import json
from typing import Any

import pytest

from access.actions import Preset
from runs.lifecycle import services as lifecycle
from runs.models import Project, Run
from tests.factories import ProjectFactory, RunFactory, TeamFactory, make_member
from wandb_api.tests.asking import Answer, Asker

UPSERT = """mutation U($input: UpsertBucketInput!) { upsertBucket(input: $input) { inserted bucket {
    id name displayName state config tags notes group jobType summaryMetrics historyLineCount host commit
    project { name entity { name } } } } }"""


def send(asker: Asker, **values: Any) -> Answer:
    return asker.ask(UPSERT, input=values)


def upsert(asker: Asker, **values: Any) -> dict[str, Any]:
    return dict(send(asker, **values).data["upsertBucket"])


FULL = {
    "displayName": "d", "notes": "n", "tags": ["a", "b"], "groupName": "g", "jobType": "j", "host": "h", "commit": "c",
    "config": '{"lr": {"value": 0.1}}', "summaryMetrics": '{"loss": NaN}',
}  # fmt: skip


def test_a_run_is_made_with_its_project(ada: Asker) -> None:
    """RUN-1: made on first use, in the user's own entity."""
    made = upsert(ada, name="r1", modelName="fresh", **FULL)
    assert made["inserted"] is True
    assert made["bucket"] == {
        "id": made["bucket"]["id"], "name": "r1", "displayName": "d", "state": "running", "notes": "n",
        "config": '{"lr": {"value": 0.1}}', "tags": ["a", "b"], "group": "g", "jobType": "j", "host": "h",
        "commit": "c", "summaryMetrics": '{"loss": NaN}', "historyLineCount": 0,
        "project": {"name": "fresh", "entity": {"name": "ada"}},
    }  # fmt: skip
    assert Project.objects.get(name="fresh").team.name == "ada"


def test_names_are_made_up_where_none_are_given(ada: Asker) -> None:
    """RUN-1: 8 random base-36 characters, and adjective-noun-N."""
    bucket = upsert(ada)["bucket"]
    assert len(bucket["name"]) == 8
    assert bucket["name"].isalnum()
    assert bucket["displayName"].endswith("-1")
    assert bucket["project"] == {"name": "uncategorized", "entity": {"name": "ada"}}


def test_null_leaves_everything_unchanged(ada: Asker) -> None:
    before = upsert(ada, name="r1", modelName="p", **FULL)["bucket"]
    after = upsert(ada, name="r1", modelName="p", **dict.fromkeys(FULL))
    assert after == {"inserted": False, "bucket": before}


def test_three_calls_change_nothing(ada: Asker) -> None:
    """The SDK sends it at init, 5 s later and at the end, with a null id."""
    answers = [upsert(ada, id=None, name="r1", modelName="p", **FULL) for _ in range(3)]
    assert [answer["inserted"] for answer in answers] == [True, False, False]
    assert answers[0]["bucket"] == answers[1]["bucket"] == answers[2]["bucket"]
    assert Run.objects.count() == 1


def test_an_empty_list_of_tags_clears_them(ada: Asker) -> None:
    made = upsert(ada, name="r1", modelName="p", **FULL)["bucket"]
    assert upsert(ada, id=made["id"], tags=[])["bucket"]["tags"] == []


def test_config_and_summary_are_replaced_whole(ada: Asker) -> None:
    upsert(ada, name="r1", modelName="p", **FULL)
    config, summary = '{"b": {"value": Infinity}}', '{"other": 1}'
    bucket = upsert(ada, name="r1", modelName="p", config=config, summaryMetrics=summary)["bucket"]
    assert (bucket["config"], bucket["summaryMetrics"]) == (config, summary)


@pytest.fixture
def finished(ada: Asker) -> dict[str, Any]:
    made = upsert(ada, name="r1", modelName="p", **FULL)["bucket"]
    run = Run.objects.get(uid="r1")
    lifecycle.finish_run(run_id=run.pk, exit_code=0, at=run.started_at)
    return dict(made)


def test_an_update_by_id_alone_does_not_revive(ada: Asker, finished: dict[str, Any]) -> None:
    """`run.update()` of the public API."""
    bucket = upsert(ada, id=finished["id"], displayName="renamed")["bucket"]
    assert (bucket["displayName"], bucket["state"]) == ("renamed", "finished")


def test_init_with_the_id_of_a_finished_run_revives_it(ada: Asker, finished: dict[str, Any]) -> None:
    """RUN-9."""
    bucket = upsert(ada, name="r1", modelName="p")["bucket"]
    assert (bucket["id"], bucket["state"]) == (finished["id"], "running")


def test_a_deleted_runs_id_is_refused_with_the_reason(ada: Asker) -> None:
    """RUN-9."""
    made = upsert(ada, name="r1", modelName="p")["bucket"]
    ada.ask("mutation D($id: ID!) { deleteRun(input: {id: $id}) { clientMutationId } }", id=made["id"])
    answer = send(ada, name="r1", modelName="p")
    assert answer.status == 400
    assert "'r1'" in answer.messages[0]
    assert "was deleted and its ID cannot be reused; choose another ID" in answer.messages[0]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"name": "a:b"}, "must not contain : ; , # ? / ' or control characters"),
        ({"name": "x" * 129}, "1 to 128 characters"),
        ({"name": "ok\n"}, "or control characters"),
        ({"displayName": "x" * 129}, "at most 128"),
        ({"groupName": "x" * 257}, "at most 256"),
        ({"tags": ["x" * 257]}, "at most 256 characters"),
        ({"tags": ["x"] * 1001}, "at most 1000 tags"),
        ({"config": "{"}, "config is not a JSON object"),
        ({"summaryMetrics": "{"}, "summaryMetrics is not a JSON object"),
        ({"modelName": "x/y"}, "name"),
        ({"modelName": "x" * 129}, "128"),
        ({"state": "finished"}, "running or pending"),
    ],
)
def test_a_value_over_its_limit_is_refused_with_the_limit(
    ada: Asker, values: dict[str, Any], told: str
) -> None:
    answer = send(ada, **{"modelName": "p", **values})
    assert answer.status == 400
    assert told in answer.messages[0]
    assert not Run.objects.exists()


@pytest.mark.parametrize("text", ["nul\x00", "\U0001f680", "\ud800"])
def test_text_that_a_database_refuses_is_no_error(ada: Asker, text: str) -> None:
    config = json.dumps({"a": {"value": text}})
    bucket = upsert(ada, name="r1", modelName="p", notes=text, displayName=text, tags=[text], config=config)[
        "bucket"
    ]
    assert bucket["name"] == "r1"


def test_pending_is_a_state_to_begin_with(ada: Asker) -> None:
    assert upsert(ada, name="r1", modelName="p", state="pending")["bucket"]["state"] == "pending"


def test_an_entity_that_one_may_not_see_is_refused_with_those_one_has(ada: Asker) -> None:
    other = TeamFactory()
    answers = [send(ada, entityName=name, modelName="p") for name in (other.name, "nobody")]
    assert [answer.status for answer in answers] == [400, 400]
    told = [answer.messages[0].replace(other.name, "X").replace("nobody", "X") for answer in answers]
    assert (
        told[0].split("You can log to")[1]
        == told[1].split("You can log to")[1]
        == ": ada. Set WANDB_ENTITY to one."
    )


def test_a_role_that_may_not_log_is_told_which_action_is_missing(db: None) -> None:
    project = ProjectFactory()
    viewer = Asker(make_member(project.team, Preset.VIEW_ONLY))
    answer = send(viewer, entityName=project.team.name, modelName=project.name)
    assert answer.status == 403
    assert "“Log runs”" in answer.messages[0]


def test_anothers_run_by_id_is_not_found(ada: Asker) -> None:
    run = RunFactory()
    from wandb_api.graphql.global_ids import to_id

    answer = send(ada, id=to_id("Run", run.pk), displayName="mine")
    assert answer.status == 404
    run.refresh_from_db()
    assert run.display_name != "mine"


@pytest.mark.parametrize("text", ["", "x", "UnVuOg==", "UnVuOnh4", "UHJvamVjdDox", "UnVuOjE=\n", "ü"])
def test_an_id_that_is_none_of_ours_is_not_found(ada: Asker, text: str) -> None:
    answer = ada.ask("mutation S($id: ID!) { stopRun(input: {id: $id}) { success } }", id=text)
    assert answer.status == 404
