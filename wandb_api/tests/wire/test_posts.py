"""Posts of file_stream by hand: what the SDK does only when something goes wrong (RUN-8, RUN-9)."""

import json
from base64 import b64encode
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.utils import timezone

from access.actor import SYSTEM
from accounts.api_keys import services
from accounts.models import ApiKey, User
from runs.models import BadLine, Pulse
from runs.tasks import find_crashed_runs
from tests.factories import make_key
from tests.in_process import InProcess
from tests.sdk.wire import UPSERT, Run, Wire, history, row

DELETE = "mutation D($id: ID!) { deleteRun(input: {id: $id}) { clientMutationId } }"


@pytest.fixture
def run(ada: Wire) -> Run:
    return ada.begin("posts")


def steps(wire: Wire, run: Run) -> list[int]:
    return [line["_step"] for line in wire.rows(run)]


def ok(reply: Any) -> None:
    assert reply.status_code == 200, reply.text
    assert reply.json()["stopped"] is False


def log(offset: int, *lines: str) -> dict[str, Any]:
    return {"files": {"output.log": {"offset": offset, "content": lines}}}


# -- lines ---------------------------------------------------------------------------------------------------------


def test_console_lines_are_written_over_by_offset(ada: Wire, run: Run) -> None:
    """RUN-8: progress bars."""
    for offset, lines in [(0, ["one", "10%"]), (1, ["20%"]), (1, ["30%", "done"])]:
        ok(ada.post(run, log(offset, *lines)))
    assert ada.log(run) == ["one", "30%", "done"]


ODD_LINES = [
    "tab\there",
    "é🚀",
    "\u0085 \x0c",
    "a\u2028b",
    "carriage\rreturn",
    "",
    "  ",
    "\x1b[31mred",
    "two\nlines",
]


@pytest.mark.dialect
@pytest.mark.parametrize("text", ODD_LINES, ids=ascii)
def test_console_lines_come_back_whatever_they_contain(ada: Wire, run: Run, text: str) -> None:
    ok(ada.post(run, log(0, "before", text, "after")))
    assert ada.log(run) == ["before", text, "after"]


def test_a_bad_line_is_set_aside_and_the_rest_is_stored(ada: Wire, run: Run) -> None:
    """RUN-8: counted, and shown on the run."""
    content = [json.dumps(row(0)), '{"_step": 1, broken', "[1, 2]", json.dumps(row(3))]
    ok(ada.post(run, {"files": {"wandb-history.jsonl": {"offset": 0, "content": content}}}))
    ok(ada.post(run, history(4, row(4))))
    assert [line["_step"] for line in ada.rows(run) if "_step" in line] == [0, 3, 4]
    assert Pulse.objects.get(run__uid=run.uid).bad_lines == 2
    kept = BadLine.objects.filter(run__uid=run.uid).order_by("pk")
    assert list(kept.values_list("text", flat=True)) == content[1:3]


def test_a_bad_summary_leaves_the_last_good_one(ada: Wire, run: Run) -> None:
    for text in ['{"a": 1}', "{nothing"]:
        ok(ada.post(run, {"files": {"wandb-summary.json": {"offset": 0, "content": [text]}}}))
    assert json.loads(ada.run(run)["summaryMetrics"]) == {"a": 1}


def synced(*, at: str, offset: int) -> dict[str, Any]:
    """Return what `wandb sync` of 0.31 sends of two steps: history from the count that the server has named, the log
    from 0 and with the time of the syncing."""
    body = history(offset, row(0), row(1))
    body["files"] |= log(0, f"{at}.000001 one", f"{at}.000002 two")["files"]
    return {**body, "complete": True, "exitcode": 1}


def test_a_log_synced_again_is_there_once(ada: Wire, run: Run) -> None:
    """RUN-8: seen with the real one, on the second `wandb sync` of a killed run."""
    ok(ada.post(run, synced(at="2026-11-21T10:43:52", offset=0)))
    again = ada.begin(run.project, run.uid)
    ok(ada.post(run, synced(at="2026-11-21T10:43:59", offset=again.line_count)))
    assert steps(ada, run) == [0, 1]
    assert ada.log(run) == ["one", "two"]


def test_a_log_synced_before_any_history_is_there_once(ada: Wire, run: Run) -> None:
    """RUN-8: the run had been marked as crashed, so its lines were taken for another process's."""
    lines = [f"2026-11-21T10:43:52.{number:06} line {number}" for number in range(3)]
    ok(ada.post(run, {"files": {**history(0, row(0))["files"], **log(0, *lines)["files"]}}))
    Pulse.objects.filter(run__uid=run.uid).update(heartbeat_at=timezone.now() - timedelta(hours=1))
    find_crashed_runs()
    told = {"_wandb": {"value": {"t": {"3": [42]}}}}  # how the SDK says that `wandb sync` sends
    ada.begin(run.project, run.uid, config=json.dumps(told))
    synced = [line.replace("10:43:52", "10:50:00") for line in lines]
    ok(ada.post(run, log(0, *synced)))
    ok(ada.post(run, history(0, row(0), row(1))))
    assert steps(ada, run) == [0, 1]
    assert ada.log(run) == ["line 0", "line 1", "line 2"]


@pytest.mark.dialect
def test_a_row_of_70000_keys_and_those_behind_it_are_stored(ada: Wire, run: Run) -> None:
    """It was answered 503 each time that it came."""
    wide = row(1, **{f"layer/{number}": number / 7 for number in range(70_000)})
    ok(ada.post(run, history(0, row(0), wide, row(2))))
    assert steps(ada, run) == [0, 1, 2]
    assert ada.rows(run)[1] == wide


def test_two_writers_keep_their_own_offsets(ada: Wire, run: Run) -> None:
    """Shared mode: each client counts from 0 and knows nothing of the others."""
    for offset in range(3):
        for writer in ("w1", "w2"):
            line = row(2 * offset + (writer == "w2"), who=writer)
            ok(ada.post(run, history(offset, line), **{"X-WANDB-ASYNC-CLIENT-ID": writer}))
    rows = ada.rows(run)
    assert [(line["_step"], line["who"]) for line in rows] == [(i, f"w{i % 2 + 1}") for i in range(6)]
    for writer in ("w1", "w2"):  # the same line twice is no repetition
        ok(ada.post(run, history(3, row(6)), **{"X-WANDB-ASYNC-CLIENT-ID": writer}))
    assert steps(ada, run) == [*range(6), 6, 6]


# -- bodies --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body", [{}, {"files": {}}, {"files": None}, {"uploaded": ["x"]}, {"dropped": 0, "complete": False}]
)
def test_a_heartbeat_needs_no_content(ada: Wire, run: Run, body: dict[str, Any]) -> None:
    before = ada.run(run)["heartbeatAt"]
    ok(ada.post(run, body))
    assert ada.run(run)["heartbeatAt"] >= before


def history_of(file: Any) -> dict[str, Any]:
    return {"files": {"wandb-history.jsonl": file}}


@pytest.mark.dialect
@pytest.mark.parametrize(
    "body",
    [
        history_of({"offset": "x", "content": ['{"_step": 0}']}),
        history_of({"offset": -4, "content": ['{"_step": 0}']}),
        history_of({"content": [{"_step": 0}]}),
        {**history_of([1]), "complete": "yes"},
        history_of({"offset": 0, "content": [None, 1, True, "null", '"x"']}),
        history_of({"offset": 0, "content": ['{"_step": 1e400, "a": 99999999999999999999999}']}),
        history_of({"offset": 0, "content": ['{"_step": "x", "_timestamp": null}']}),
        log(10**9, "far"),
        log(0, "\ud800"),
        {"files": {"wandb-summary.json": {"offset": 0, "content": ["[1]"]}}},
        {"files": {"wandb-events.jsonl": {"offset": 0, "content": ['{"a": "\\ud800", "b\\u0000": 1}']}}},
        {"complete": True, "exitcode": "no"},
        {"complete": True, "exitcode": 2**40},
    ],
    ids=json.dumps,
)
def test_an_odd_post_is_taken_and_the_next_one_too(ada: Wire, run: Run, body: dict[str, Any]) -> None:
    """Nothing here may be 4xx (the stream would end) or 5xx (it would be sent again for a week)."""
    ok(ada.post(run, body))
    ok(ada.post(run, log(0, "still here")))
    assert ada.run(run) is not None


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[1]", b'"text"', b'{"files": '])
def test_a_body_that_is_no_object_is_400(ada: Wire, run: Run, body: bytes) -> None:
    reply = ada.post(run, body)
    assert reply.status_code == 400
    assert "JSON" in reply.json()["errors"][0]["message"]


# -- who posts, and how --------------------------------------------------------------------------------------------


def test_a_deleted_run_is_410_at_once_and_its_id_is_never_free_again(ada: Wire, run: Run) -> None:
    """RUN-9."""
    ok(ada.post(run, {}))
    ada.data(DELETE, id=run.id)
    for _ in range(2):  # the first finds a remembered right to log, the second none
        reply = ada.post(run, history(0, row(0)))
        assert reply.status_code == 410
        assert "was deleted" in reply.json()["errors"][0]["message"]
    again = ada.ask(UPSERT, project=run.project, name=run.uid)
    assert again.status_code == 400  # SDK 0.16 retries 410
    assert "cannot be reused" in again.json()["errors"][0]["message"]


def test_a_stranger_learns_nothing(ada: Wire, bob: Wire, run: Run) -> None:
    """The same answer for a run that is there and one that is not."""
    nowhere = Run(run.entity, run.project, "nothing")
    answers = [bob.post(where, history(0, row(0))) for where in (run, nowhere)]
    assert [reply.status_code for reply in answers] == [404, 404]
    texts = [reply.text.replace(run.uid, "ID").replace("nothing", "ID") for reply in answers]
    assert texts[0] == texts[1]
    assert steps(ada, run) == []


@pytest.mark.parametrize(
    "login", ["", "Basic !!!", "Basic " + b64encode(b"api:ry-" + b"x" * 40).decode(), "Bearer x"]
)
def test_a_wrong_key_is_401(ada: Wire, run: Run, login: str) -> None:
    headers = {"Authorization": login} if login else {}
    reply = ada.http.post(run.stream, content=b"{}", headers=headers, auth=httpx.Auth())
    assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (401, 'Basic realm="Runyard"')


def test_a_revoked_key_is_401_at_once(transport: InProcess) -> None:
    owner = User.objects.get(username="ada")
    wire = Wire("http://testserver", make_key(owner, label="doomed"), transport)
    run = wire.begin("revoked")
    for _ in range(3):  # the right to log is remembered
        ok(wire.post(run, {}))
    services.delete_api_key(actor=SYSTEM, key=ApiKey.objects.get(label="doomed"))
    assert wire.post(run, {}).status_code == 401


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_another_method_is_405(ada: Wire, run: Run, method: str) -> None:
    reply = ada.http.request(method, run.stream)
    assert (reply.status_code, reply.headers["Allow"]) == (405, "POST")
