"""REST's ingest against a real server: what a client sees that begins runs and sends what they log (AGT-8, AGT-5)."""

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests import clients
from tests.installation import Installation
from tests.sdk.people import Person, person
from tests.sdk.raw import exchange, head, statuses
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.dialect

MIB = 1024 * 1024
WRITER, OTHER = "0123456789abcdef", "fedcba9876543210"


def row(step: int, **more: Any) -> dict[str, Any]:
    return {"_step": step, "_timestamp": 1000.0 + step, "_runtime": float(step), **more}


class Client:
    """One person's requests."""

    def __init__(self, server: Installation, key: str) -> None:
        self.http = clients.client(base_url=f"{server.url}/api/v1", auth=("api", key))

    def begin(self, uid: str, **body: Any) -> httpx.Response:
        return self.http.post("/runs", json={"project": "ingested", "uid": uid, **body})

    def post(self, run: str, writer: str = WRITER, **body: Any) -> httpx.Response:
        return self.http.post(f"/runs/{run}/stream", json={"writer": writer, **body})

    def standing(self, run: str, writer: str = WRITER) -> httpx.Response:
        return self.http.get(f"/runs/{run}/stream", params={"writer": writer})

    def history(self, pk: int) -> list[dict[str, Any]]:
        lines = self.http.get(f"/runs/{pk}/history").text.splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def eve(server: Installation) -> Iterator[Person]:
    with person(server, "ingest-eve") as made:
        yield made


@pytest.fixture(scope="module")
def client(server: Installation, eve: Person) -> Iterator[Client]:
    made = Client(server, eve.key)
    yield made
    made.http.close()


def begun(client: Client, uid: str, **body: Any) -> tuple[str, int]:
    """Return (path, id) of a new run."""
    reply = client.begin(uid, **body)
    assert reply.status_code == 201, reply.text
    told = reply.json()
    return f"{told['entity']}/{told['project']}/{told['uid']}", told["id"]


def test_a_run_is_begun_logged_and_finished(client: Client) -> None:
    """AGT-8: POST runs, stream, finish; the link opens."""
    reply = client.begin("whole", display_name="Whole", config={"lr": 0.1}, tags=["a"], host="h")
    told = reply.json()
    assert (reply.status_code, told["inserted"], told["next_step"]) == (201, True, 0)
    run, pk = f"{told['entity']}/ingested/whole", told["id"]
    assert told["url"].endswith(f"/{told['entity']}/ingested/runs/whole")
    assert told["url"].startswith("http://127.0.0.1:")
    reply = client.post(run, history={"offset": 0, "rows": [row(0, a=1), row(1, a=2)]})
    assert reply.json() == {
        "offsets": {"history": 2, "system": 0, "log": 0}, "state": "running", "stop_requested": False,
    }  # fmt: skip
    assert client.standing(run).json() == reply.json()
    reply = client.post(run, finish={"exit_code": 0}, summary={"a": 2})
    assert reply.json()["state"] == "finished"
    found = client.http.get(f"/runs/{pk}").json()
    assert (found["config"], found["summary"], found["state"]) == ({"lr": 0.1}, {"a": 2}, "finished")
    assert client.history(pk) == [row(0, a=1), row(1, a=2)]
    again = client.begin("whole")
    assert (again.status_code, again.json()["next_step"], again.json()["state"]) == (200, 2, "running")


def test_a_gap_is_refused_and_told(client: Client) -> None:
    """AGT-8: 409 says where to go on; what was lost is stored as a gap."""
    run, pk = begun(client, "gap")
    late: dict[str, Any] = {"offset": 2, "rows": [row(2)]}
    reply = client.post(run, history=late)
    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "gap")
    assert reply.json()["error"]["detail"] == {"expected": {"history": 0, "system": 0, "log": 0}}
    late["lost_before"] = True
    assert client.post(run, history=late).json()["offsets"]["history"] == 3
    assert client.history(pk) == [row(2)]


def test_gzip_is_read(client: Client) -> None:
    run, pk = begun(client, "gzip")
    body = gzip.compress(json.dumps({"writer": WRITER, "history": {"offset": 0, "rows": [row(0)]}}).encode())
    reply = client.http.post(f"/runs/{run}/stream", content=body, headers={"Content-Encoding": "gzip"})
    assert reply.status_code == 200, reply.text
    assert client.history(pk) == [row(0)]


def streamed(client: Client, run: str, body: bytes, **headers: str) -> httpx.Response:
    return client.http.post(f"/runs/{run}/stream", content=body, headers=headers)


def code_of(reply: httpx.Response) -> tuple[int, str]:
    return reply.status_code, reply.json()["error"]["code"]


def test_bodies_that_cannot_be_read_are_refused_and_leave_nothing(client: Client) -> None:
    """AGT-8: what is wrong is said in REST's envelope; limits by the setting's name."""
    run, pk = begun(client, "bodies")
    good = json.dumps({"writer": WRITER, "history": {"offset": 0, "rows": [row(0)]}}).encode()
    for body in (b"", b"{", b"[]", b"\xff\xfe", good[:-3], b'{"a":' * 5000):
        assert code_of(streamed(client, run, body)) == (400, "invalid")
    zipped = {"Content-Encoding": "gzip"}
    for body in (b"not gzip", gzip.compress(good)[:-6]):
        assert code_of(streamed(client, run, body, **zipped)) == (400, "invalid")
    for body, more in ((gzip.compress(b" " * (65 * MIB), 9), zipped), (b" " * (64 * MIB + 1), {})):
        reply = streamed(client, run, body, **more)
        assert code_of(reply) == (413, "too_large")
        assert "RUNYARD_FILE_STREAM_MAX_MIB" in reply.json()["error"]["message"]
    assert client.standing(run).json()["offsets"]["history"] == 0
    assert client.history(pk) == []


def test_a_body_that_is_cut_off_leaves_nothing(client: Client, server: Installation, eve: Person) -> None:
    """AGT-5."""
    run, pk = begun(client, "cut")
    body = json.dumps({"writer": WRITER, "history": {"offset": 0, "rows": [row(0)]}}).encode()
    request = head(eve, f"/api/v1/runs/{run}/stream", f"Content-Length: {len(body)}")
    assert statuses(exchange(server, request, body[:-5], cut=True)) in ([], [400])
    assert client.history(pk) == []


def test_only_who_may_log_is_let_in(client: Client, server: Installation) -> None:
    """TEAM-25: by the same words whether the run is there or not."""
    run, pk = begun(client, "private")
    with person(server, "ingest-mallory") as mallory:
        stranger = Client(server, mallory.key)
        nowhere = run.replace("private", "missing")
        replies = [stranger.post(path, history={"offset": 0, "rows": [row(0)]}) for path in (run, nowhere)]
        stranger.http.close()
    assert [code_of(reply) for reply in replies] == [(404, "not_found")] * 2
    texts = [reply.text.replace("private", "ID").replace("missing", "ID") for reply in replies]
    assert texts[0] == texts[1]
    wrong = Client(server, "ry-" + "x" * 40)
    reply = wrong.post(run)
    wrong.http.close()
    assert (code_of(reply), reply.headers["WWW-Authenticate"]) == (
        (401, "unauthenticated"),
        'Basic realm="Runyard"',
    )
    assert client.history(pk) == []


def test_a_bearer_key_and_an_address_with_a_slash_are_taken(client: Client, eve: Person) -> None:
    run, _ = begun(client, "bearer")
    reply = clients.request(
        "POST", f"{client.http.base_url}/runs/{run}/stream/".replace("//runs", "/runs"), json={"writer": WRITER},
        headers={"Authorization": f"Bearer {eve.key}"},
    )  # fmt: skip
    assert reply.status_code == 200, reply.text


def test_a_stop_reaches_the_client_and_a_deleted_run_is_gone(client: Client) -> None:
    """RUN-4, RUN-9."""
    run, pk = begun(client, "stopped")
    assert client.http.post(f"/runs/{pk}/stop").status_code == 200
    assert client.post(run).json()["stop_requested"] is True
    assert client.http.delete(f"/runs/{pk}").status_code == 204
    for reply in (client.post(run), client.standing(run), client.begin("stopped")):
        assert code_of(reply) == (410, "gone")


def test_two_writers_at_once_lose_nothing(client: Client, server: Installation, eve: Person) -> None:
    """AGT-2, AGT-5: nodes of one job, each by its own numbers."""
    run, pk = begun(client, "nodes")
    failed: list[str] = []

    def write(writer: str) -> None:
        node = Client(server, eve.key)
        for step in range(40):
            reply = node.post(run, writer, history={"offset": step, "rows": [row(step, who=writer)]})
            if reply.status_code != 200:
                failed.append(reply.text)
        node.http.close()

    threads = [threading.Thread(target=write, args=(writer,)) for writer in (WRITER, OTHER)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE_S)
    assert failed == []
    found = client.history(pk)
    for writer in (WRITER, OTHER):
        assert [line["_step"] for line in found if line["who"] == writer] == list(range(40))


def test_files_and_alerts_reach_the_run(client: Client) -> None:
    """AGT-8: sending a file again replaces it."""
    run, pk = begun(client, "files")
    for content in (b"one", b"two, longer"):
        [upload] = client.http.post(f"/runs/{run}/uploads", json={"names": ["a/b c.txt"]}).json()["uploads"]
        assert (
            clients.request("PUT", upload["url"], content=content, headers=upload["headers"]).status_code
            == 200
        )
    listed = client.http.get(f"/runs/{pk}/files").json()["results"]
    assert [(file["name"], file["size_bytes"]) for file in listed] == [("a/b c.txt", 11)]
    alert = {"id": "x", "title": "Look", "text": "here"}
    assert [client.http.post(f"/runs/{run}/alerts", json=alert).json() for _ in range(2)] == [
        {"sent": True}
    ] * 2


def test_a_run_that_posts_too_often_is_told_when_to_come_back(
    new_server: Callable[..., Installation],
) -> None:
    """ACC-23: 429 with Retry-After; nothing of it is stored, so it is sent again."""
    server = new_server(RUNYARD_RUN_POST_RATE="1")
    with person(server, "hasty") as hasty:
        client = Client(server, hasty.key)
        run, pk = begun(client, "hasty")
        replies = [client.post(run, history={"offset": n, "rows": [row(n)]}) for n in range(11)]
        refused = [reply for reply in replies if reply.status_code == 429]
        assert refused
        assert int(refused[0].headers["Retry-After"]) >= 1
        assert len(client.history(pk)) == sum(reply.status_code == 200 for reply in replies)
        client.http.close()


def test_nothing_is_left_in_the_log_as_a_traceback(client: Client, server: Installation) -> None:
    """Clients' mistakes are no errors of the server's."""
    assert "Traceback" not in server.log("web")
