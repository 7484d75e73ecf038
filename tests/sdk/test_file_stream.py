"""file_stream by hand: what the SDK does only when something goes wrong (RUN-8, RUN-9)."""

import gzip
import http.client
import json
import socket
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest

from tests.installation import Installation
from tests.sdk.people import Person, signed_in
from tests.sdk.wire import UPSERT, Run, Wire, history, row
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.dialect

MIB = 1024 * 1024
DELETE = "mutation D($id: ID!) { deleteRun(input: {id: $id}) { clientMutationId } }"


@pytest.fixture
def run(ada: Person) -> Run:
    return ada.wire.begin("posts")


def steps(person: Person, run: Run) -> list[int]:
    return [line["_step"] for line in person.wire.rows(run)]


def ok(reply: Any) -> None:
    assert reply.status_code == 200, reply.text
    assert reply.json()["stopped"] is False


def test_a_post_again_changes_nothing(ada: Person, run: Run) -> None:
    """RUN-8: the SDK repeats a post whose answer it did not get."""
    for _ in range(3):
        ok(ada.wire.post(run, history(0, row(0, a=1), row(1, a=2))))
    assert steps(ada, run) == [0, 1]


def test_overlapping_posts_are_stored_once(ada: Person, run: Run) -> None:
    """RUN-8."""
    ok(ada.wire.post(run, history(0, *(row(i) for i in range(5)))))
    ok(ada.wire.post(run, history(3, *(row(i) for i in range(3, 9)))))
    ok(ada.wire.post(run, history(1, *(row(i) for i in range(1, 4)))))
    assert steps(ada, run) == list(range(9))


def test_a_gap_is_no_reason_to_refuse(ada: Person, run: Run) -> None:
    """RUN-8: a 4xx would end the client's stream for good."""
    ok(ada.wire.post(run, history(0, row(0))))
    ok(ada.wire.post(run, history(10, row(10))))
    assert steps(ada, run) == [0, 10]


def test_console_lines_are_written_over_by_offset(ada: Person, run: Run) -> None:
    """RUN-8: progress bars."""
    for offset, lines in [(0, ["one", "10%"]), (1, ["20%"]), (1, ["30%", "done"])]:
        ok(ada.wire.post(run, {"files": {"output.log": {"offset": offset, "content": lines}}}))
    assert ada.wire.log(run) == ["one", "30%", "done"]


ODD_LINES = ["tab\there", "é🚀", "\u0085 \x0c", "carriage\rreturn", "", "  ", "\x1b[31mred", "two\nlines"]


@pytest.mark.parametrize("text", ODD_LINES)
def test_console_lines_come_back_whatever_they_hold(ada: Person, run: Run, text: str) -> None:
    ok(ada.wire.post(run, {"files": {"output.log": {"offset": 0, "content": ["before", text, "after"]}}}))
    assert ada.wire.log(run) == ["before", text, "after"]


def test_a_bad_line_is_set_aside_and_the_rest_is_stored(ada: Person, run: Run, server: Installation) -> None:
    """RUN-8: counted, and shown on the run."""
    content = [json.dumps(row(0)), '{"_step": 1, broken', "[1, 2]", json.dumps(row(3))]
    ok(ada.wire.post(run, {"files": {"wandb-history.jsonl": {"offset": 0, "content": content}}}))
    ok(ada.wire.post(run, history(4, row(4))))
    found = ada.wire.run(run)
    stored = [json.loads(line) for line in found["history"] if "_step" in json.loads(line)]
    assert [line["_step"] for line in stored] == [0, 3, 4]
    counted = (
        "from runs.models import BadLine, Pulse; import json;"
        f"run = Pulse.objects.get(run__uid='{run.uid}');"
        "print(json.dumps([run.bad_lines, list(BadLine.objects.filter(run=run.run).values_list('text', flat=True))]))"
    )
    assert server.manage("shell", "--no-imports", "-c", counted) == [2, content[1:3]]


def test_a_bad_summary_leaves_the_last_good_one(ada: Person, run: Run) -> None:
    for text in ['{"a": 1}', "{nothing"]:
        ok(ada.wire.post(run, {"files": {"wandb-summary.json": {"offset": 0, "content": [text]}}}))
    assert json.loads(ada.wire.run(run)["summaryMetrics"]) == {"a": 1}


def synced(*, at: str, offset: int) -> dict[str, Any]:
    """Return what `wandb sync` of 0.31 sends of two steps: history from the count it was told, the log from 0 and
    with the time of the syncing."""
    body = history(offset, row(0), row(1))
    body["files"]["output.log"] = {"offset": 0, "content": [f"{at}.000001 one", f"{at}.000002 two"]}
    return {**body, "complete": True, "exitcode": 1}


def test_a_log_synced_again_is_there_once(ada: Person, run: Run) -> None:
    """RUN-8: seen with the real one, on the second `wandb sync` of a killed run."""
    ok(ada.wire.post(run, synced(at="2026-11-21T10:43:52", offset=0)))
    again = ada.wire.begin(run.project, run.uid)
    ok(ada.wire.post(run, synced(at="2026-11-21T10:43:59", offset=again.line_count)))
    assert steps(ada, run) == [0, 1]
    assert ada.wire.log(run) == ["one", "two"]


def test_a_line_separator_in_a_console_line_stays_one(ada: Person, run: Run) -> None:
    ok(ada.wire.post(run, {"files": {"output.log": {"offset": 0, "content": ["a\u2028b"]}}}))
    assert ada.wire.log(run) == ["a\u2028b"]


@pytest.mark.parametrize(
    "body", [{}, {"files": {}}, {"files": None}, {"uploaded": ["x"]}, {"dropped": 0, "complete": False}]
)
def test_a_heartbeat_needs_no_content(ada: Person, run: Run, body: dict[str, Any]) -> None:
    before = ada.wire.run(run)["heartbeatAt"]
    ok(ada.wire.post(run, body))
    assert ada.wire.run(run)["heartbeatAt"] >= before


@pytest.mark.parametrize(
    "body",
    [
        {"files": {"wandb-history.jsonl": {"offset": "x", "content": ['{"_step": 0}']}}},
        {"files": {"wandb-history.jsonl": {"offset": -4, "content": ['{"_step": 0}']}}},
        {"files": {"wandb-history.jsonl": {"content": [{"_step": 0}]}}},
        {"files": {"wandb-history.jsonl": [1]}, "complete": "yes"},
        {"files": {"wandb-history.jsonl": {"offset": 0, "content": [None, 1, True, "null", '"x"']}}},
        {"files": {"output.log": {"offset": 10**9, "content": ["far"]}}},
        {"files": {"output.log": {"offset": 0, "content": ["\ud800"]}}},
        {
            "files": {
                "wandb-history.jsonl": {
                    "offset": 0,
                    "content": ['{"_step": 1e400, "a": 99999999999999999999999}'],
                }
            }
        },
        {"files": {"wandb-history.jsonl": {"offset": 0, "content": ['{"_step": "x", "_timestamp": null}']}}},
        {"files": {"wandb-summary.json": {"offset": 0, "content": ["[1]"]}}},
        {"files": {"wandb-events.jsonl": {"offset": 0, "content": ['{"a": "\\ud800", "b\\u0000": 1}']}}},
        {"complete": True, "exitcode": "no"},
        {"complete": True, "exitcode": 2**40},
    ],
)
def test_an_odd_post_is_taken_and_the_next_one_too(ada: Person, run: Run, body: dict[str, Any]) -> None:
    """Nothing here may be 4xx (the stream would end) or 5xx (it would be sent again for a week)."""
    ok(ada.wire.post(run, body))
    ok(ada.wire.post(run, {"files": {"output.log": {"offset": 0, "content": ["still here"]}}}))
    assert ada.wire.run(run) is not None


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[1]", b'"text"', b'{"files": '])
def test_a_body_that_is_no_object_is_400(ada: Person, run: Run, body: bytes) -> None:
    reply = ada.wire.post(run, body)
    assert reply.status_code == 400
    assert "JSON" in reply.json()["errors"][0]["message"]


def test_a_body_cut_off_leaves_nothing(ada: Person, run: Run, server: Installation) -> None:
    body = json.dumps(history(0, row(0))).encode()
    login = b64encode(f"api:{ada.key}".encode()).decode()
    lines = [
        f"POST {run.stream} HTTP/1.1",
        "Host: x",
        f"Authorization: Basic {login}",
        f"Content-Length: {len(body)}",
    ]
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as link:
        link.sendall("\r\n".join([*lines, "", ""]).encode() + body[:-5])
    ok(ada.wire.post(run, {}))
    assert steps(ada, run) == []


def test_a_gzip_body_is_read(ada: Person, run: Run) -> None:
    body = gzip.compress(json.dumps(history(0, row(0, a=1.5))).encode())
    ok(ada.wire.post(run, body, **{"Content-Encoding": "gzip"}))
    assert ada.wire.rows(run)[0]["a"] == 1.5


def test_a_gzip_bomb_is_refused_by_the_settings_name(ada: Person, run: Run) -> None:
    body = gzip.compress(b" " * (65 * MIB) + b"{}", 9)
    reply = ada.wire.post(run, body, **{"Content-Encoding": "gzip"})
    assert reply.status_code == 413
    assert "RUNYARD_FILE_STREAM_MAX_MIB" in reply.json()["errors"][0]["message"]


def test_a_few_bytes_that_spell_millions_of_lines_are_refused_by_the_settings_name(
    ada: Person, run: Run
) -> None:
    """The review's H4: 35 KiB of gzip took 0.9 GiB."""
    lines = b",".join([b'"{}"'] * 1_500_000)
    body = gzip.compress(b'{"files":{"wandb-history.jsonl":{"offset":0,"content":[%b]}}}' % lines, 9)
    reply = ada.wire.post(run, body, **{"Content-Encoding": "gzip"})
    assert reply.status_code == 413
    assert "RUNYARD_FILE_STREAM_MAX_LINES" in reply.json()["errors"][0]["message"]
    ok(ada.wire.post(run, history(0, row(0))))
    assert steps(ada, run) == [0]


def test_a_row_of_70000_keys_and_those_behind_it_are_stored(ada: Person, run: Run) -> None:
    """The review's H2: it was answered 503 for ever."""
    wide = row(1, **{f"layer/{number}": number / 7 for number in range(70_000)})
    ok(ada.wire.post(run, history(0, row(0), wide, row(2))))
    assert steps(ada, run) == [0, 1, 2]
    assert ada.wire.rows(run)[1] == wide


@pytest.mark.parametrize("body", [b"not gzip", gzip.compress(b"{}")[:-4]], ids=["other", "cut off"])
def test_broken_gzip_is_400(ada: Person, run: Run, body: bytes) -> None:
    assert ada.wire.post(run, body, **{"Content-Encoding": "gzip"}).status_code == 400


def test_a_body_over_the_limit_is_refused_by_the_settings_name(ada: Person, run: Run) -> None:
    reply = ada.wire.post(run, b" " * (64 * MIB + 1))
    assert reply.status_code == 413
    assert "RUNYARD_FILE_STREAM_MAX_MIB" in reply.json()["errors"][0]["message"]


def test_a_body_just_under_the_limit_is_taken(ada: Person, run: Run) -> None:
    line = json.dumps(row(0, text="x" * (9 * MIB)))
    lines = [line, *(json.dumps(row(i, text="y" * (9 * MIB))) for i in range(1, 7))]
    ok(ada.wire.post(run, {"files": {"wandb-history.jsonl": {"offset": 0, "content": lines}}}))
    assert ada.wire.run(run)["historyLineCount"] == 7


def test_a_deleted_run_is_410_at_once_and_its_id_is_never_free_again(ada: Person, run: Run) -> None:
    """RUN-9."""
    ok(ada.wire.post(run, {}))
    ada.wire.data(DELETE, id=run.id)
    reply = ada.wire.post(run, history(0, row(0)))
    assert reply.status_code == 410
    assert "was deleted" in reply.json()["errors"][0]["message"]
    again = ada.wire.ask(UPSERT, project=run.project, name=run.uid)
    assert again.status_code == 400  # SDK 0.16 retries 410
    assert "cannot be reused" in again.json()["errors"][0]["message"]


def test_a_stranger_learns_nothing(ada: Person, bob: Person, run: Run) -> None:
    """The same answer for a run that is there and one that is not."""
    nowhere = Run(run.entity, run.project, "nothing")
    answers = [bob.wire.post(where, history(0, row(0))) for where in (run, nowhere)]
    assert [reply.status_code for reply in answers] == [404, 404]
    texts = [reply.text.replace(run.uid, "ID").replace("nothing", "ID") for reply in answers]
    assert texts[0] == texts[1]
    assert steps(ada, run) == []


@pytest.mark.parametrize(
    "login", ["", "Basic !!!", "Basic " + b64encode(b"api:ry-" + b"x" * 40).decode(), "Bearer x"]
)
def test_a_wrong_key_is_401(ada: Person, run: Run, server: Installation, login: str) -> None:
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    link.request("POST", run.stream, b"{}", {"Authorization": login} if login else {})
    reply = link.getresponse()
    assert (reply.status, reply.getheader("WWW-Authenticate")) == (401, 'Basic realm="Runyard"')
    reply.read()
    link.close()


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_another_method_is_405(ada: Person, run: Run, method: str) -> None:
    reply = ada.wire.http.request(method, run.stream)
    assert (reply.status_code, reply.headers["Allow"]) == (405, "POST")


def test_two_writers_keep_their_own_offsets(ada: Person, run: Run) -> None:
    """Shared mode: each client counts from 0 and knows nothing of the others."""
    for offset in range(3):
        for writer in ("w1", "w2"):
            line = row(2 * offset + (writer == "w2"), who=writer)
            ok(ada.wire.post(run, history(offset, line), **{"X-WANDB-ASYNC-CLIENT-ID": writer}))
    rows = ada.wire.rows(run)
    assert [(line["_step"], line["who"]) for line in rows] == [(i, f"w{i % 2 + 1}") for i in range(6)]


def test_the_last_post_and_an_upsert_at_once_do_not_wait_for_each_other(
    ada: Person, server: Installation
) -> None:
    """The SDK sends both at the end of every run; PostgreSQL found a deadlock in it."""
    other = Wire(server.url, ada.key)
    runs = [ada.wire.begin("at-once", f"both{number}") for number in range(30)]
    statuses: list[int] = []

    def upsert() -> None:
        statuses.extend(
            other.ask(UPSERT, project=run.project, name=run.uid, config="{}").status_code for run in runs
        )

    thread = threading.Thread(target=upsert)
    thread.start()
    for run in runs:
        ok(ada.wire.post(run, {"complete": True, "exitcode": 0}))
    thread.join(timeout=PATIENCE_S)
    other.http.close()
    assert set(statuses) == {200}


MAKE_KEY = """
import json
from access.actor import SYSTEM
from accounts.api_keys import services
from accounts.models import User
key, secret = services.create_api_key(actor=SYSTEM, owner=User.objects.get(username="{name}"), label="doomed")
print(json.dumps([key.pk, secret]))
"""


def check_that_a_revoked_key_ends(server: Installation, name: str) -> None:
    made = server.manage(
        "create_user", name, "--email", f"{name}@example.com", "--password", "correct horse battery"
    )
    pk, secret = server.manage("shell", "--no-imports", "-c", MAKE_KEY.format(name=name))
    wires = [
        Wire(server.url, secret) for _ in range(8)
    ]  # each its own connection, so that every web process has one
    run = wires[0].begin("revoked")
    for wire in wires:
        ok(wire.post(run, {}))
    with signed_in(server, made["username"], "correct horse battery") as browser:
        assert browser.post("/settings/api-keys/delete", data={"key": pk}).status_code == 200
    time.sleep(SPREADS_WITHIN_S)
    statuses = [wire.post(run, {}).status_code for wire in wires]
    for wire in wires:
        wire.http.close()
    assert statuses == [401] * 8


SPREADS_WITHIN_S = 0.3
"""How long another process may need to hear of it."""


def test_a_revoked_key_is_401_at_once(server: Installation) -> None:
    check_that_a_revoked_key_ends(server, "sdk-carl")


def test_a_revoked_key_is_401_in_every_web_process(new_server: Callable[..., Installation]) -> None:
    check_that_a_revoked_key_ends(new_server(WEB_CONCURRENCY="2"), "sdk-carl")


def test_nothing_is_left_of_this_module_in_the_log_as_a_traceback(ada: Person, server: Installation) -> None:
    """Clients' mistakes are no errors of the server's."""
    assert "Traceback" not in server.log("web")
