"""Pages of runs: what `wandb.Api().runs()` asks of each costs no query for each."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from metrics.ingest.transaction import write_group
from metrics.models import Stream
from metrics.store import compaction
from runs.column_index import matching
from runs.models import Project, Run
from tests.factories import ProjectFactory, RunFactory, UserFactory
from wandb_api.file_stream.endpoint import read_post
from wandb_api.tests.asking import Asker

WHOLE = """
query Runs($entity: String!) { project(name: "p", entityName: $entity) { runs(first: 100) { edges { node {
  id name displayName state config group jobType commit readOnly createdAt heartbeatAt description notes tags
  sweepName systemMetrics summaryMetrics historyLineCount eventsLineCount historyKeys historyTail user { username }
} } } } }
"""


@pytest.fixture
def project(ada: Asker) -> Project:
    return ProjectFactory(team=ada.user.memberships.get().team, name="p")


def log(run: Run, count: int) -> None:
    rows = [
        json.dumps({"_step": step, "_timestamp": 1000.0 + step, "loss": step / 2}) for step in range(count)
    ]
    events = [json.dumps({"_timestamp": 1000.0 + step, "system.cpu": float(step)}) for step in range(count)]
    files = {
        "wandb-history.jsonl": {"offset": 0, "content": rows},
        "wandb-events.jsonl": {"offset": 0, "content": events},
    }
    write_group([read_post(json.dumps({"files": files}).encode(), run.pk, "")])


def ask(ada: Asker) -> tuple[list[dict[str, Any]], int]:
    with CaptureQueriesContext(connection) as queries:
        data = ada.ask(WHOLE, entity="ada").data
    return [edge["node"] for edge in data["project"]["runs"]["edges"]], len(queries)


def test_more_runs_are_no_more_queries(ada: Asker, project: Project) -> None:
    log(RunFactory(project=project), 3)
    ask(ada)  # what a process remembers
    _, few = ask(ada)
    for count in range(1, 12):
        log(RunFactory(project=project), count)
    ask(ada)
    nodes, many = ask(ada)
    assert len(nodes) == 12
    assert many == few


def test_each_run_of_a_page_has_its_own_answers(
    ada: Asker, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "PACK_AT_ROWS", 5)
    runs = [RunFactory(project=project) for _ in range(3)]
    log(runs[0], 2)
    log(runs[1], 7)
    for stream in Stream.objects.filter(run=runs[1]):
        compaction.pack_stream(stream.pk)
    nodes = {node["name"]: node for node in ask(ada)[0]}
    one, packed, empty = (nodes[run.uid] for run in runs)
    assert [node["historyLineCount"] for node in (one, packed, empty)] == [2, 7, 0]
    assert [json.loads(node["systemMetrics"]).get("system.cpu") for node in (one, packed, empty)] == [
        1,
        6,
        None,
    ]
    tails = [json.loads(node["historyTail"]) for node in (one, packed, empty)]
    assert [json.loads(line).get("_step") for [line] in tails] == [1, 6, None]
    assert [node["historyKeys"] and node["historyKeys"]["lastStep"] for node in (one, packed, empty)] == [
        1,
        6,
        None,
    ]
    assert [node["readOnly"] for node in (one, packed, empty)] == [False] * 3


PAGE = """
query Runs($order: String, $filters: JSONString, $after: String) { project(name: "p", entityName: "ada") {
  runCount(filters: $filters)
  runs(first: 4, order: $order, filters: $filters, after: $after) {
    edges { node { name user { username } } } pageInfo { endCursor hasNextPage } } } }
"""


@pytest.fixture(params=["columns in memory", "the database"])
def answered_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "the database":
        monkeypatch.setattr(matching, "index_of", lambda _: None)


@pytest.mark.usefixtures("answered_by")
class TestPages:
    """Pages are the same, whoever says which runs there are."""

    def test_have_the_runs_in_order_with_their_authors(self, ada: Asker, project: Project) -> None:
        eve, runs = UserFactory(username="eve"), [RunFactory(project=project) for _ in range(11)]
        for number, run in enumerate(runs):
            Run.objects.filter(pk=run.pk).update(
                config_flat={"lr": -(number % 6)}, user=[ada.user, eve, None][number % 3]
            )
        wanted = [number for number in sorted(range(11), key=lambda one: (-(one % 6), one)) if number % 6]
        found: list[dict[str, Any]] = []
        after, has_next = None, True
        while has_next:
            data = ada.ask(PAGE, order="+config.lr", filters='{"config.lr": {"$lt": 0}}', after=after).data
            page = data["project"]["runs"]
            assert data["project"]["runCount"] == len(wanted)
            found += [edge["node"] for edge in page["edges"]]
            after, has_next = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
        assert len(found) == len(wanted)
        assert sorted(node["name"] for node in found) == sorted(runs[number].uid for number in wanted)
        rates = [-(next(at for at, run in enumerate(runs) if run.uid == node["name"]) % 6) for node in found]
        assert rates == sorted(rates)
        names = {runs[number].uid: ["ada", "eve", None][number % 3] for number in wanted}
        assert {node["name"]: (node["user"] or {}).get("username") for node in found} == names

    @pytest.mark.parametrize(
        ("order", "filters", "message"),
        [
            ("", '{"config.lr": {"$in": 3}}', "needs a list"),
            ("", '{"tags": {"$gt": "a"}}', "Tags can be compared with"),
            ("+nothing", "", "Unknown column"),
            (",".join(["config.a"] * 30), "", "at most 10 columns"),
        ],
    )
    def test_refuse_what_cannot_be_found(
        self, ada: Asker, project: Project, order: str, filters: str, message: str
    ) -> None:
        RunFactory(project=project)
        answer = ada.ask(PAGE, order=order, filters=filters)
        assert answer.status == 400
        assert any(message in one for one in answer.messages), answer.messages
