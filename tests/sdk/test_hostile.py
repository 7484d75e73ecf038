"""Hostile content in well-formed requests: nesting, numbers, names, GraphQL documents."""

import contextlib
import json
from typing import Any

import httpx
import pytest

from tests.installation import Installation
from tests.sdk.people import Person, signed_in
from tests.sdk.raw import Neighbour
from tests.sdk.wire import UPSERT, Run, Wire, history, row

pytestmark = [pytest.mark.dialect, pytest.mark.usefixtures("unharmed")]

VALUES = {
    "lists of 100,000 levels": "[" * 100_000 + "]" * 100_000,
    "lists of 900 levels": "[" * 900 + "]" * 900,
    "lists of 300 levels": "[" * 300 + "]" * 300,
    "lists of 150 levels": "[" * 150 + "]" * 150,
    "objects of 100,000 levels": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "objects of 900 levels": '{"a":' * 900 + "1" + "}" * 900,
    "objects of 300 levels": '{"a":' * 300 + "1" + "}" * 300,
    "objects of 150 levels": '{"a":' * 150 + "1" + "}" * 150,
    "lists without end": "[" * 100_000,
    "beyond a double": "1e999",
    "too small": "-1e-999",
    "400 digits": "1" + "0" * 400,
    "-400 digits": "-1" + "0" * 400,
    "5,000 digits": "9" * 5000,
    "beyond 64 bits": "18446744073709551616",
    "NaN": "NaN",
    "minus Infinity": "-Infinity",
    "the same key twice": '{"a": 1, "a": {"b": 2}, "a": [3]}',
    "lone surrogates": '{"\\ud800": "\\udfff"}',
    "NUL": '{"\\u0000": "\\u0000"}',
    "key of separators": '{"a\\u001fb": 1, "": 2, ".": 3, "__proto__": 4}',
    "type of its own": '{"_type": "histogram", "bins": "no", "values": {}}',
    "half a string": '"abc',
    "many keys": "{" + ",".join(f'"k{i}": {i}' for i in range(5_000)) + "}",
    "a long string": '"' + "x" * 1_000_000 + '"',
}
by_value = pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())

READ = """query R($entity: String!, $project: String!, $run: String!, $filters: JSONString, $order: String) {
  project(name: $project, entityName: $entity) {
    run(name: $run) {
      id config summaryMetrics historyKeys wandbConfig(keys: ["t"]) history(minStep: 0)
      files(first: 50) { edges { node { id name url(upload: false) sizeBytes } } }
    }
    runs(filters: $filters, order: $order) { edges { node { id name config summaryMetrics } } }
  }
}"""
SUMMARY = """mutation S($id: String!, $text: JSONString) {
  upsertBucket(input: {id: $id, summaryMetrics: $text}) { inserted } }"""


@pytest.fixture
def run(ada: Person) -> Run:
    return ada.wire.begin("hostile")


def holding(template: str, value: str) -> str:
    """Put the value where the template has VALUE."""
    return template.replace("VALUE", value)


def fine(reply: httpx.Response, *expected: int) -> httpx.Response:
    """See that a reply is one of those expected, and says why if it refuses."""
    assert reply.status_code in expected, reply.text[:500]
    if reply.status_code != 200:
        assert reply.json()["errors"][0]["message"]
    return reply


def read(ada: Person, run: Run, **more: Any) -> Any:
    """Ask for all there is of a run, and for its project's runs."""
    reply = ada.wire.ask(READ, entity=run.entity, project=run.project, run=run.uid, **more)
    assert fine(reply, 200).json().get("errors") is None
    return reply.json()["data"]["project"]


STREAMS = ("wandb-history.jsonl", "wandb-events.jsonl", "wandb-summary.json", "output.log")
BODIES = [
    "VALUE",
    '{"files": {"x": VALUE}}',
    '{"complete": false, "exitcode": VALUE}',
    '{"files": {"wandb-history.jsonl": {"offset": 0, "content": [{"_step": 0, "a": VALUE}]}}}',
    '{"files": {"wandb-history.jsonl": {"offset": VALUE, "content": ["{}"]}}}',
]


@by_value
def test_a_post_of_it_is_refused_or_taken(ada: Person, run: Run, value: str) -> None:
    for body in BODIES:
        fine(ada.wire.post(run, holding(body, value).encode()), 200, 400)
    read(ada, run)


@by_value
def test_a_line_of_it_is_taken_or_set_aside(ada: Person, run: Run, value: str) -> None:
    """Never refused, which would end the stream, nor failed at, which would send it again for a week."""
    lines = [
        holding('{"_step": 0, "_timestamp": 1, "a": VALUE}', value),
        value,
        '{"_step": 1, "_timestamp": 2}',
        holding('{"_step": VALUE, "_timestamp": VALUE}', value),
        '{"_step": 7, "_timestamp": 9}',
        holding('{"a": VALUE}', value),
    ]
    files = {name: {"offset": 0, "content": lines} for name in STREAMS}
    fine(ada.wire.post(run, {"files": files}), 200)
    fine(ada.wire.post(run, history(6, row(8))), 200)
    found = [json.loads(line) for line in read(ada, run)["run"]["history"]]
    for line in (json.loads(lines[2]), json.loads(lines[4]), row(8)):
        assert line in found


CONFIGS = [
    '{"a": {"value": VALUE}, "_wandb": {"value": VALUE}}',
    "VALUE",
    '{"_wandb": VALUE}',
    '{"_wandb": {"value": {"branch_point": {"run_id": "x", "step": VALUE}}}}',
]


@by_value
def test_config_and_summary_of_it_are_refused_or_kept_and_compared(ada: Person, run: Run, value: str) -> None:
    for config in CONFIGS:
        fine(ada.wire.ask(UPSERT, project=run.project, config=holding(config, value)), 200, 400, 404)
    fine(ada.wire.ask(SUMMARY, id=run.id, text=holding('{"a": VALUE}', value)), 200, 400)
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
def test_filters_of_it_are_refused_or_used(ada: Person, run: Run, value: str) -> None:
    where = {"entity": run.entity, "project": run.project, "run": run.uid}
    for filters in FILTERS:
        fine(ada.wire.ask(READ, **where, filters=holding(filters, value)), 200, 400)


SAMPLED = """query H($p: String!, $r: String!, $s: [JSONString!]!) {
  project(name: $p) { run(name: $r) { sampledHistory(specs: $s) } } }"""


@by_value
def test_variables_of_it_are_refused_or_used(ada: Person, run: Run, value: str) -> None:
    for name in ("name", "project", "config", "undeclared"):
        variables = f'{{"project": "{run.project}", "{name}": {value}}}'
        body = f'{{"query": {json.dumps(UPSERT)}, "variables": {variables}}}'
        fine(ada.wire.http.post("/graphql", content=body.encode()), 200, 400)
    for key in ("query", "variables", "operationName", "more"):
        body = f'{{"query": "{{ viewer {{ id }} }}", "{key}": {value}}}'
        fine(ada.wire.http.post("/graphql", content=body.encode()), 200, 400)
    for name in ("keys", "samples", "minStep"):
        spec = f'{{"keys": ["a"], "{name}": {value}}}'
        fine(ada.wire.ask(SAMPLED, p=run.project, r=run.uid, s=[spec]), 200, 400)


CURSORS = ["²", "-1", "9" * 30, "x", "1e5", "\ud800", "9223372036854775807"]
LISTS = [
    "runs(after: $c) { edges { node { id } } }",
    "run(name: $r) { files(after: $c) { edges { node { id } } } }",
    "run(name: $r) { logLines(after: $c) { edges { node { line } } } }",
]


def ask(ada: Person, document: str, **variables: Any) -> httpx.Response:
    """Send a document as Python's own encoder writes it: httpx's cannot write lone surrogates."""
    body = json.dumps({"query": document, "variables": variables})
    return ada.wire.http.post("/graphql", content=body)


@pytest.mark.parametrize("cursor", CURSORS, ids=lambda name: ascii(name)[:30])
def test_a_cursor_that_is_none_is_refused(ada: Person, run: Run, cursor: str) -> None:
    for asked in LISTS:
        used = ", $r: String!" if "$r" in asked else ""
        document = f"query C($p: String!, $c: String{used}) {{ project(name: $p) {{ {asked} }} }}"
        fine(ask(ada, document, p=run.project, r=run.uid, c=cursor), 400)


# -- GraphQL documents ---------------------------------------------------------------------------------------------

DOCUMENTS = {
    "braces": "{a" * 5000 + "}" * 5000,
    "list literals": "{ viewer(a: " + "[" * 9000 + "]" * 9000 + ") { id } }",
    "object literals": "{ viewer(a: " + "{a:" * 4000 + "1" + "}" * 4000 + ") { id } }",
    "list types": "query Q($a: " + "[" * 9000 + "Int" + "]" * 9000 + ") { viewer { id } }",
    "a few list types": "query Q($a: " + "[" * 90 + "Int" + "]" * 90 + ") { viewer { id } }",
    "the same field": "{" + "viewer{id} " * 450 + "}",
    "unknown fields": "{" + " ".join(f"viewe{i}" for i in range(900)) + "}",
    "a long name": "{ " + "v" * 1_000_000 + " }",
    "a long string": '{ viewer(a: "' + "x" * 10_000_000 + '") { id } }',
    "directives": "{ viewer { id " + "@include(if: true) " * 900 + "} }",
    "a circle of fragments": "{ viewer { ...a } } fragment a on User { id ...b } fragment b on User { ...a }",
    "a circle of fragments nobody uses": "{ viewer { id } } fragment a on User { ...b } fragment b on User { ...a }",
    "operations": " ".join(f"query Q{i} {{ viewer {{ id }} }}" for i in range(500)),
    "no operation": "fragment a on User { id }",
    "a schema": "type A { a: Int }",
    "nothing": "",
    "lone surrogates": '{ organization(name: "\ud800") { id } }',
    "NUL": '{ organization(name: "\\u0000") { id } \x00 }',
    "numbers": '{ project(name: "a") { runs(first: 99999999999999999999) { edges { node { id } } } } }',
    "negative numbers": '{ project(name: "a") { runs(first: -1) { edges { node { id } } } } }',
    "numbers with ends": '{ project(name: "a") { runs(first: 1e999) { edges { node { id } } } } }',
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_a_hostile_document_is_refused_or_answered(ada: Person, document: str) -> None:
    fine(ask(ada, document), 200, 400)


def test_huge_variables_are_413(ada: Person) -> None:
    reply = ada.wire.ask("query Q($n: String!) { entity(name: $n) { id } }", n="x" * (33 << 20))
    assert "RUNYARD_GRAPHQL_MAX_MIB" in fine(reply, 413).json()["errors"][0]["message"]


def test_variables_just_under_the_limit_are_used(ada: Person) -> None:
    fine(ada.wire.ask("query Q($n: String!) { organization(name: $n) { id } }", n="x" * (31 << 20)), 200)


# -- names of files ------------------------------------------------------------------------------------------------

CREATE = """mutation C($entity: String!, $project: String!, $run: String!, $files: [String!]!) {
  createRunFiles(input: {entityName: $entity, projectName: $project, runName: $run, files: $files}) {
    files { name uploadUrl } } }"""
REFUSED = [
    "../up",
    "a/../../up",
    "/etc/passwd",
    "..",
    "a/..",
    "",
    "x" * 1025,
    "..\\up",
    "a\\..\\..\\up",
    "C:\\x",
    "C:/x",
    "\\\\server\\share",
    "\\x",
]
TAKEN = [
    "wandb-history.jsonl",
    "wandb-summary.json",
    "output.log",
    "CON",
    "aux.txt",
    "a\x00b",
    "new\r\nline",
    "\x1b[31m",
    "\u202egnp.exe",
    "\ud800",
    "%2e%2e%2fup",
    "~/x",
    "$HOME/x",
    "`id`",
    "a;b|c&d",
    "<script>.html",
    "q\"uo'te",
    "x" * 1024,
    "a" * 300 + "/b",
    "é🚀",
    "e\u0301",
    "a//b",
    "./a",
    ".",
    "a/",
    " ",
    "-rf",
    "?x=1#y",
    "a\\b",
    "\ufeff",
    "a:b",
]


def create(ada: Person, run: Run, name: str) -> httpx.Response:
    return ask(ada, CREATE, entity=run.entity, project=run.project, run=run.uid, files=[name])


@pytest.mark.parametrize("name", REFUSED, ids=lambda name: ascii(name)[:30])
def test_a_name_that_leaves_the_folder_is_refused(ada: Person, run: Run, name: str) -> None:
    """By Windows' rules too: the SDK joins it to the folder that it downloads into."""
    fine(create(ada, run, name), 400)


@pytest.mark.parametrize("name", TAKEN, ids=lambda name: ascii(name)[:30])
def test_a_file_of_an_odd_name_is_kept_found_and_deleted(ada: Person, run: Run, name: str) -> None:
    put = fine(create(ada, run, name), 200).json()["data"]["createRunFiles"]["files"][0]["uploadUrl"]
    content = f"of {name!a}".encode()
    assert ada.wire.http.put(put, content=content).status_code == 200
    [edge] = read(ada, run)["run"]["files"]["edges"]
    assert edge["node"]["name"] == name.replace("\x00", "\ufffd").replace("\ud800", "?")
    reply = ada.wire.http.get(edge["node"]["url"])
    assert (reply.status_code, reply.content) == (200, content)
    assert read(ada, run)["run"]["history"] == []
    asked = "mutation D($files: [ID!]!) { deleteFiles(input: {files: $files}) { success } }"
    assert ada.wire.data(asked, files=[edge["node"]["id"]])["deleteFiles"]["success"] is True


def test_a_post_for_files_that_are_no_streams_is_taken_and_leaves_none(ada: Person, run: Run) -> None:
    names = {*REFUSED, *TAKEN} - set(STREAMS)
    files = {name: {"offset": 0, "content": [json.dumps(row(0))]} for name in names}
    fine(ada.wire.post(run, {"files": files, "uploaded": [*names]}), 200)
    found = read(ada, run)["run"]
    assert (found["files"]["edges"], found["history"]) == ([], [])


# -- afterwards ----------------------------------------------------------------------------------------------------


def test_every_page_of_what_is_left_can_be_opened(server: Installation) -> None:
    password = "correct horse battery"
    made = server.manage("create_user", "reads", "--email", "r@example.com", "--password", password)
    wire = Wire(server.url, made["api_key"])
    with contextlib.closing(wire.http), signed_in(server, "reads", password) as browser:
        for value in VALUES.values():
            own = wire.begin("pages")
            wire.ask(UPSERT, project="pages", name=own.uid, config=holding(CONFIGS[0], value))
            lines = [holding('{"_step": 0, "a": VALUE}', value)]
            fine(wire.post(own, {"files": {name: {"offset": 0, "content": lines} for name in STREAMS}}), 200)
            for tab in ("/overview", "/logs/lines"):
                assert browser.get(own.page + tab).status_code == 200, tab
        assert browser.get("/reads/pages").status_code == 200


def test_the_neighbours_run_is_complete(neighbour: Neighbour) -> None:
    acknowledged = neighbour.acknowledged
    stored = [line["_step"] for line in neighbour.wire.rows(neighbour.run)]
    assert stored[:acknowledged] == list(range(acknowledged))
