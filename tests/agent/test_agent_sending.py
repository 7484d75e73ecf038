"""The agent's spool and a real server: what an agent that was cut off left is sent by ``sync`` (AGT-5, AGT-8)."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import clients
from tests.agents import agent
from tests.installation import Installation
from tests.sdk.people import Person, person
from tests.waiting import PATIENCE_S

ROWS = 2000
RECORD = """
import sys, uuid
from pathlib import Path
from runyard_agent.spool import Spool
root, uid, count, entity = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
header = {"entity": entity, "project": "spooled", "uid": uid, "resume": "never", "writer": uuid.uuid4().hex[:16],
          "attached": False, "display_name": "Spooled", "config": {"lr": float("inf")}, "tags": ["offline"]}
spool = Spool.create(root, header, max_bytes=2**30)
(spool.folder / "model.txt").write_text("weights")
for number in range(count):
    at = 1795240000 + number
    spool.append("history", {"_step": number, "_timestamp": at, "_runtime": number, "loss": 1 / (number + 1)})
    spool.append("system", {"_timestamp": at, "_runtime": number, "system.cpu": number % 100})
    spool.append("log", f"2026-11-22T10:00:00.000000 line {number}")
spool.append("acts", {"act": "file", "name": "out/model.txt", "path": str(spool.folder / "model.txt")})
spool.append("acts", {"act": "alert", "id": uid, "title": "done", "text": "", "level": "INFO", "wait_s": 0})
spool.append("acts", {"act": "summary", "summary": {"loss": 0.5}})
spool.append("acts", {"act": "finish", "exit_code": 3})
"""


@pytest.fixture(scope="module")
def ada(server: Installation) -> Iterator[Person]:
    with person(server, "spool-ada") as made:
        yield made


def sync(
    server: Installation, key: str, root: Path, *flags: str, code: int = 0, **more: str
) -> list[dict[str, Any]]:
    command = ["-m", "runyard_agent", "sync", "--json", "--timeout", "60", *flags, str(root)]
    process = agent(server, key, *command, **more)
    printed, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, printed
    outcomes: list[dict[str, Any]] = json.loads(printed)
    return outcomes


def record(server: Installation, key: str, root: Path, uid: str, *, entity: str = "") -> None:
    process = agent(server, key, "-c", RECORD, str(root), uid, str(ROWS), entity)
    printed, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, printed


def assert_whole(http: httpx.Client, uid: str) -> None:
    runs = http.get("/runs/", params={"per_page": 50}).json()["results"]
    pk = next(run["id"] for run in runs if run["uid"] == uid)
    run = http.get(f"/runs/{pk}/").json()
    assert run["state"] == "failed"
    assert run["display_name"] == "Spooled"
    assert run["summary"]["loss"] == 0.5
    history = [json.loads(line) for line in http.get(f"/runs/{pk}/history/").text.splitlines()]
    assert [(row["_step"], row["loss"]) for row in history] == [
        (step, 1 / (step + 1)) for step in range(ROWS)
    ]
    system = [json.loads(line) for line in http.get(f"/runs/{pk}/system/").text.splitlines()]
    assert [row["system.cpu"] for row in system] == [number % 100 for number in range(ROWS)]
    console = http.get(f"/runs/{pk}/logs/download/").text
    assert [line.rpartition("line ")[2] for line in console.splitlines()] == [
        str(number) for number in range(ROWS)
    ]
    assert http.get(f"/runs/{pk}/files/out/model.txt/").text == "weights"


def test_an_offline_run_is_sent_whole_while_the_server_is_killed(server, ada, tmp_path):
    """AGT-5, AGT-8: web is killed in the middle; afterwards the server holds what was logged, once, in order."""
    record(server, ada.key, tmp_path, "offline")
    outcomes: list[dict[str, Any]] = []
    sending = threading.Thread(target=lambda: outcomes.extend(sync(server, ada.key, tmp_path)))
    sending.start()
    time.sleep(0.5)  # wherever that finds it
    server.kill9("web")
    server.start()
    sending.join()
    assert [outcome["state"] for outcome in outcomes] == ["sent"]
    with clients.client(
        base_url=f"{server.url}/api/v1", auth=("api", ada.key), follow_redirects=True
    ) as http:
        assert_whole(http, "offline")
    assert clients.request("GET", outcomes[0]["url"], follow_redirects=True).status_code < 500
    assert sync(server, ada.key, tmp_path) == []


def test_a_mistyped_entity_is_corrected_when_the_run_is_sent(server, ada, tmp_path):
    """The review's D2: refused with the command that helps, which sends everything, once, and to no other place."""
    record(server, ada.key, tmp_path, "mistyped", entity="spool-adda")
    [refused] = sync(server, ada.key, tmp_path, code=1, RUNYARD_ENTITY=ada.name)
    command = f"runyard-agent sync --entity {ada.name} {refused['folder']}"
    assert refused["state"] == "refused"
    assert refused["message"].startswith("Stopped sending (404). The entity “spool-adda” doesn’t exist")
    assert refused["message"].endswith(f"to send it: {command}")
    assert "WANDB" not in refused["message"]
    flags = command.split()[2:-1]
    [sent] = sync(server, ada.key, tmp_path, *flags)
    assert (sent["state"], sent["run"]) == ("sent", f"{ada.name}/spooled/mistyped")
    with clients.client(
        base_url=f"{server.url}/api/v1", auth=("api", ada.key), follow_redirects=True
    ) as http:
        assert_whole(http, "mistyped")
        assert len(http.get("/runs/", params={"uid": "mistyped"}).json()["results"]) == 1
    assert sync(server, ada.key, tmp_path, *flags) == []
