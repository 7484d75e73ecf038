"""file_stream as only several connections or processes show it; what posts may contain is in wandb_api/tests/wire."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.installation import Installation
from tests.sdk.people import Person, signed_in
from tests.sdk.wire import UPSERT, Wire
from tests.waiting import PATIENCE_S


def ok(reply: Any) -> None:
    assert reply.status_code == 200, reply.text
    assert reply.json()["stopped"] is False


@pytest.mark.races
def test_the_last_post_and_an_upsert_at_once_do_not_wait_for_each_other(
    ada: Person, server: Installation
) -> None:
    """The SDK sends both at the end of every run; PostgreSQL found a deadlock in it."""
    log = server.log_path("web")
    before = log.stat().st_size
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
    assert "Traceback" not in log.read_bytes()[before:].decode(errors="replace")


MAKE_KEY = """
import json
from access.actor import SYSTEM
from accounts.api_keys import services
from accounts.models import User
key, secret = services.create_api_key(actor=SYSTEM, owner=User.objects.get(username="carl"), label="doomed")
print(json.dumps([key.pk, secret]))
"""
SPREADS_WITHIN_S = 0.3
"""How long another process may need to hear of it."""


def test_a_revoked_key_is_401_in_every_web_process(new_server: Callable[..., Installation]) -> None:
    server, password = new_server(WEB_CONCURRENCY="2"), "correct horse battery"
    server.manage("create_user", "carl", "--email", "carl@example.com", "--password", password)
    pk, secret = server.manage("shell", "--no-imports", "-c", MAKE_KEY)
    wires = [Wire(server.url, secret) for _ in range(8)]  # so many connections that each process has one
    run = wires[0].begin("revoked")
    for wire in wires:
        ok(wire.post(run, {}))
    with signed_in(server, "carl", password) as browser:
        assert browser.post("/settings/api-keys/delete", data={"key": pk}).status_code == 200
    time.sleep(SPREADS_WITHIN_S)
    statuses = [wire.post(run, {}).status_code for wire in wires]
    for wire in wires:
        wire.http.close()
    assert statuses == [401] * 8
