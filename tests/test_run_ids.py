"""Run ids of any shape through a real server: begun, logged to, read and downloaded by their addresses (RUN-1)."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import clients
from tests.installation import Installation
from tests.run_ids import STRANGE, allowed_ids
from tests.sdk.people import Person, person
from tests.sdk.wire import Wire, history, row

pytestmark = pytest.mark.dialect

WRITER = "0123456789abcdef"


@pytest.fixture(scope="module")
def ida(server: Installation) -> Iterator[Person]:
    with person(server, "ids-ida") as made:
        yield made


@pytest.fixture(scope="module")
def rest(server: Installation, ida: Person) -> Iterator[httpx.Client]:
    with clients.client(base_url=f"{server.url}/api/v1", auth=("api", ida.key)) as http:
        yield http


def _segment(uid: str) -> str:
    """Return the id as who reads the documentation writes it into an address."""
    return quote(f":{uid}" if uid in {".", ".."} else uid, safe="")


def _upload(rest: httpx.Client, run: str, name: str, content: bytes) -> None:
    [upload] = rest.post(f"{run}/uploads", json={"names": [name]}).json()["uploads"]
    assert clients.request("PUT", upload["url"], content=content).status_code == 200


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(uid=st.one_of(st.sampled_from(STRANGE), allowed_ids))
def test_a_run_of_any_id_is_logged_over_rest(rest: httpx.Client, ida: Person, uid: str) -> None:
    begun = rest.post("/runs", json={"project": "any-id", "uid": uid})
    assert begun.status_code in {200, 201}, begun.text  # the same id may be drawn twice
    told = begun.json()
    assert told["uid"] == uid
    assert urlsplit(told["url"]).path.startswith(f"/{ida.name}/any-id/runs/")
    run = f"/runs/{ida.name}/any-id/{_segment(uid)}"
    body: dict[str, Any] = {"writer": WRITER, "history": {"offset": 0, "rows": [row(0, loss=1)]}}
    body["log"] = {"offset": 0, "lines": ["2026-11-22T10:00:00.000000 said"]}
    assert rest.post(f"{run}/stream", json=body).json()["offsets"]["history"] == 1
    assert rest.get(f"{run}/stream", params={"writer": WRITER}).json()["offsets"]["history"] == 1
    _upload(rest, run, "a/b.txt", uid.encode())
    [found] = rest.get("/runs/", params={"project": "any-id", "uid": uid}).json()["results"]
    assert found["id"] == told["id"]
    assert json.loads(rest.get(f"/runs/{found['id']}/history/").text)["loss"] == 1
    file = rest.get(f"/runs/{found['id']}/files/a/b.txt", follow_redirects=True)
    assert file.content == uid.encode()


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(uid=allowed_ids.filter(lambda uid: "%" not in uid and uid not in {".", ".."}))
def test_a_run_of_any_id_is_logged_by_the_sdks_protocol(server: Installation, ida: Person, uid: str) -> None:
    wire = Wire(server.url, ida.key)
    wire.begin("by-protocol", uid)
    address = f"/files/{ida.name}/by-protocol/{quote(uid, safe='')}/file_stream"
    assert wire.http.post(address, json=history(0, row(0, loss=2))).status_code == 200
    again = wire.begin("by-protocol", uid)
    assert (again.uid, again.line_count) == (uid, 1)
    assert [one["loss"] for one in wire.rows(again)] == [2]
    wire.http.close()


@pytest.mark.parametrize("uid", [".", "..", "50%", "a%41"])
def test_the_sdk_is_refused_ids_that_its_stream_would_lose(ida: Person, uid: str) -> None:
    query = """mutation U($name: String!) {
        upsertBucket(input: {name: $name, modelName: "refused"}) { inserted } }"""
    reply = ida.wire.ask(query, name=uid).json()
    assert "cannot send history and log of a run with the ID" in reply["errors"][0]["message"]


def test_a_run_is_found_by_the_path_that_the_public_api_encodes(ida: Person) -> None:
    """`Run.path` is encoded, of old releases with a plus for a space; an id that is there goes first."""
    query = """query R($entity: String!, $name: String!) { project(name: "encoded", entityName: $entity) {
        run(name: $name) { name } bucket(name: $name, missingOk: true) { name } } }"""
    for uid in ("lr=0.1 b", "a b", "a+b"):
        ida.wire.begin("encoded", uid)

    def found(name: str) -> Any:
        return ida.wire.data(query, entity=ida.name, name=name)["project"]

    assert found("lr%3D0.1%20b") == {"run": {"name": "lr=0.1 b"}, "bucket": None}
    assert found("lr%3D0.1+b")["run"] == {"name": "lr=0.1 b"}
    assert found("a+b")["run"] == {"name": "a+b"}
    assert found("a%2Fb")["run"] is None
