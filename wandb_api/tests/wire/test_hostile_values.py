"""Values that no SDK sends where GraphQL takes JSON: configuration, summary, filters, variables, cursors."""

import json

import pytest

from tests.sdk.wire import UPSERT, Run, Wire
from wandb_api.tests.wire.hostile import by_value, filled, fine
from wandb_api.tests.wire.reading import READ, ask, read

pytestmark = pytest.mark.dialect


@pytest.fixture
def run(ada: Wire) -> Run:
    return ada.begin("hostile")


SUMMARY = """mutation S($id: String!, $text: JSONString) {
  upsertBucket(input: {id: $id, summaryMetrics: $text}) { inserted } }"""
CONFIGS = [
    '{"a": {"value": VALUE}, "_wandb": {"value": VALUE}}',
    "VALUE",
    '{"_wandb": VALUE}',
    '{"_wandb": {"value": {"branch_point": {"run_id": "x", "step": VALUE}}}}',
]


@by_value
def test_config_and_summary_of_it_are_refused_or_kept_and_compared(ada: Wire, run: Run, value: str) -> None:
    for config in CONFIGS:
        fine(ada.ask(UPSERT, project=run.project, config=filled(config, value)), 200, 400, 404)
    fine(ada.ask(SUMMARY, id=run.id, text=filled('{"a": VALUE}', value)), 200, 400)
    read(ada, run, order="+config.a", filters='{"config.a": {"$gt": 1}, "summary_metrics.a": {"$lt": 2}}')
    read(ada, run, order="-summary_metrics.a")


FILTERS = [
    "VALUE",
    '{"config.a": VALUE}',
    '{"config.a": {"$in": VALUE}}',
    '{"$or": VALUE}',
    '{"state": {"$regex": VALUE}}',
    '{"createdAt": {"$gte": VALUE}}',
    '{"exitcode": VALUE}',
    '{"tags": {"$in": VALUE}}',
]


@by_value
def test_filters_of_it_are_refused_or_used(ada: Wire, run: Run, value: str) -> None:
    where = {"entity": run.entity, "project": run.project, "run": run.uid}
    for filters in FILTERS:
        fine(ada.ask(READ, **where, filters=filled(filters, value)), 200, 400)


SAMPLED = """query H($p: String!, $r: String!, $s: [JSONString!]!) {
  project(name: $p) { run(name: $r) { sampledHistory(specs: $s) } } }"""


@by_value
def test_variables_of_it_are_refused_or_used(ada: Wire, run: Run, value: str) -> None:
    for name in ("name", "project", "config", "undeclared"):
        variables = f'{{"project": "{run.project}", "{name}": {value}}}'
        body = f'{{"query": {json.dumps(UPSERT)}, "variables": {variables}}}'
        fine(ada.http.post("/graphql", content=body.encode()), 200, 400)
    for key in ("query", "variables", "operationName", "more"):
        body = f'{{"query": "{{ viewer {{ id }} }}", "{key}": {value}}}'
        fine(ada.http.post("/graphql", content=body.encode()), 200, 400)
    for name in ("keys", "samples", "minStep"):
        spec = f'{{"keys": ["a"], "{name}": {value}}}'
        fine(ada.ask(SAMPLED, p=run.project, r=run.uid, s=[spec]), 200, 400)


CURSORS = ["²", "-1", "9" * 30, "x", "1e5", "\ud800", "9223372036854775807"]
LISTS = [
    "runs(after: $c) { edges { node { id } } }",
    "run(name: $r) { files(after: $c) { edges { node { id } } } }",
    "run(name: $r) { logLines(after: $c) { edges { node { line } } } }",
]


@pytest.mark.parametrize("cursor", CURSORS, ids=lambda name: ascii(name)[:30])
def test_a_cursor_that_is_none_is_refused(ada: Wire, run: Run, cursor: str) -> None:
    for asked in LISTS:
        used = ", $r: String!" if "$r" in asked else ""
        document = f"query C($p: String!, $c: String{used}) {{ project(name: $p) {{ {asked} }} }}"
        fine(ask(ada, document, p=run.project, r=run.uid, c=cursor), 400)
