"""AGT-5: ``sync`` sends what offline and killed runs left."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from recorded import PATIENCE_S, until

from fake_server import KEY, error
from runyard_agent.elsewhere import sync_command
from runyard_agent.server import Refused

AGENT = Path(__file__).parents[1]


@pytest.fixture
def sync(fake, tmp_path):
    def command(*arguments: str, code: int = 0, **environment: str) -> str:
        """Run the command, check its exit code, and return what it printed on stdout and stderr."""
        done = subprocess.run(
            [sys.executable, "-m", "runyard_agent", "sync", *arguments],
            capture_output=True, text=True, timeout=PATIENCE_S, check=False,
            env=variables(**environment),
        )  # fmt: skip
        printed = done.stdout + done.stderr
        assert "Traceback" not in printed
        assert KEY not in printed
        assert done.returncode == code, printed
        return printed

    def variables(**environment: str) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("RUNYARD_", "WANDB_", "COV"))
        }
        return {
            **kept, "PYTHONPATH": str(AGENT), "RUNYARD_URL": fake.url, "RUNYARD_API_KEY": KEY,
            "NETRC": "/nonexistent", "RUNYARD_SPOOL_DIR": str(tmp_path / "spool"), "RUNYARD_CONFIG": str(tmp_path / "none"), **environment,
        }  # fmt: skip

    command.variables = variables  # type: ignore[attr-defined]
    return command


@pytest.fixture
def left(new_spool):
    """Leave a spool as an offline run does."""

    def make(uid: str, *, exit_code: int | None = 0, rows: int = 100) -> Path:
        spool = new_spool(uid=uid)
        for number in range(rows):
            spool.append("history", {"_step": number})
            spool.append("log", f"2026-11-22T10:00:00.000000 {number}")
        if exit_code is not None:
            spool.append("acts", {"act": "finish", "exit_code": exit_code})
        spool.close()
        folder: Path = spool.folder
        return folder

    return make


def test_all_that_is_left_is_sent_and_the_second_time_there_is_nothing(sync, left, fake):
    """AGT-5: each ends as what it was; one without an end is left for the server to find crashed."""
    folders = [left("a"), left("b", exit_code=7), left("c", exit_code=None)]
    printed = sync()
    for uid, state in (("a", "finished"), ("b", "failed"), ("c", "running")):
        run = fake.run(uid)
        assert run.records("history") == [{"_step": number} for number in range(100)]
        assert len(run.records("log")) == 100
        assert run.state == state
        assert f"p/{uid}: {201 - (uid == 'c')} records to send" in printed
        assert f"{fake.url}/ada/p/{uid}" in printed
    assert not any(folder.exists() for folder in folders)
    requests = len(fake.requests)
    assert "Nothing is left to send." in sync()
    assert len(fake.requests) == requests


def test_dry_run_lists_what_is_left_and_asks_nobody(sync, left, fake):
    """AGT-5: counts and sizes, also as JSON."""
    folder = left("a")
    assert "100 of history, 100 of log, 1 of acts" in sync("--dry-run", RUNYARD_URL="")
    (outcome,) = json.loads(sync("--dry-run", "--json"))
    assert outcome["records"] == {"history": 100, "system": 0, "log": 100, "acts": 1}
    assert outcome["size_bytes"] == sum(file.stat().st_size for file in folder.glob("*.[0-9]*"))
    assert (outcome["folder"], outcome["run"], outcome["state"]) == (str(folder), "p/a", "waiting")
    assert not fake.requests


def test_json_tells_each_run(sync, left, fake):
    """AGT-5: nothing else is printed on stdout."""
    folder = left("a")
    (outcome,) = json.loads(sync("--json", str(folder)))
    assert outcome["state"] == "sent"
    assert outcome["url"] == f"{fake.url}/ada/p/a"
    assert outcome["run"] == "ada/p/a"
    assert json.loads(sync("--json")) == []


def test_a_run_that_is_being_recorded_is_left_alone(sync, left, new_spool, fake):
    """AGT-5: told, and a failure only where it was asked for."""
    spool = new_spool(uid="live")
    spool.append("history", {})
    left("a")
    assert f"in use by another process (PID {os.getpid()})" in sync()
    assert fake.run("a").state == "finished"
    assert "in use by another process" in sync(str(spool.folder), code=1)
    assert len(spool.read("history", 0, 100).payloads) == 1


def test_two_at_once_send_each_run_once(sync, left, fake):
    """AGT-5: the second finds some in use, and none is sent twice or torn."""
    for uid in "abcdef":
        left(uid, rows=300)
    threads = [threading.Thread(target=sync) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for uid in "abcdef":
        assert fake.run(uid).records("history") == [{"_step": number} for number in range(300)]
    assert len([path for _, path, _, _ in fake.requests if path.endswith("/runs")]) == 6


def test_a_server_that_does_not_answer_ends_it_after_a_while(sync, left, fake):
    """AGT-5: what is left is told, the next run is not even tried, and it goes on another time."""
    folders = [left("a"), left("b")]
    fake.stop()
    printed = sync("--timeout", "0.5", code=1)
    assert "Connection refused" in printed
    assert "unreachable  p/a" in printed
    assert "waiting      p/b" in printed
    assert all(folder.exists() for folder in folders)
    fake.start()
    sync()
    assert fake.run("a").state == fake.run("b").state == "finished"


def test_a_refused_run_does_not_hold_up_the_others(sync, left, fake):
    """AGT-5: told in a sentence; exit code 1."""
    left("a")
    left("b")
    fake.deleted.add("ada/p/a")
    printed = sync(code=1)
    assert "refused      p/a" in printed
    assert "The run was deleted" in printed
    assert fake.run("b").state == "finished"
    fake.refuses = error(401, "unauthenticated", "The key is not known.")
    assert "Stopped sending (401). The key is not known." in sync(code=1)


@pytest.mark.parametrize(
    ("arguments", "environment", "message"),
    [
        (["/nonexistent"], {}, "/nonexistent is not a folder"),
        ([], {"RUNYARD_URL": ""}, "set url"),
        ([], {"RUNYARD_API_KEY": ""}, "set api_key"),
        (["--timeout", "soon"], {}, "invalid float value"),
    ],
)
def test_wrong_usage_ends_with_2_and_one_sentence(sync, arguments, environment, message):
    """AGT-5: no stack traces for user errors."""
    assert message in sync(*arguments, code=2, **environment)


def test_a_spool_that_can_not_be_read_is_told(sync, left, fake):
    """AGT-5: and the others are sent."""
    broken = left("a")
    (broken / "spool.json").write_text("{")
    left("b")
    assert f"unreadable   {broken.name}" in sync(code=1)
    assert fake.run("b").state == "finished"


def test_a_terminal_gets_a_bar(sync, left, fake):
    """AGT-5: progress."""
    left("a")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "runyard_agent", "sync"],
        stdout=theirs,
        stderr=theirs,
        env=sync.variables(TERM="xterm"),
    ) as process:
        os.close(theirs)
        printed = b""
        try:
            while part := os.read(ours, 65536):
                printed += part
        except OSError:  # the end, as Linux tells it
            pass
    os.close(ours)
    assert process.returncode == 0
    assert "━" in printed.decode()
    assert f"{fake.url}/ada/p/a" in printed.decode()


def test_an_interrupted_sync_goes_on_the_next_time(sync, left, fake):
    """AGT-5: Ctrl-C answers 130 and loses nothing."""
    left("a", rows=500)
    fake.stop()
    with subprocess.Popen(
        [sys.executable, "-m", "runyard_agent", "sync"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=sync.variables(),
    ) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(2)
        printed = process.stdout.read().decode()
    assert process.returncode == 130
    assert "Traceback" not in printed
    fake.start()
    sync()
    assert fake.run("a").records("history") == [{"_step": number} for number in range(500)]


def test_flags_send_a_run_elsewhere(sync, left, fake):
    """The review's D2: for this sending, and only what the server has no part of."""
    folder = left("a")
    (outcome,) = json.loads(sync("--json", "--entity", "physics", "--project", "digits", str(folder)))
    assert (outcome["state"], outcome["run"]) == ("sent", "physics/digits/a")
    assert len(fake.run("a", "physics", "digits").records("history")) == 100


def test_a_run_of_which_the_server_has_a_part_stays_where_it_is(sync, new_spool, deliver, fake):
    """The review's D2: no run is torn in two; without the flag the rest is sent."""
    spool = new_spool(uid="a")
    spool.append("history", {"_step": 0})
    delivery = deliver(spool)
    until(lambda: delivery.begun and not any(delivery.waiting().values()))
    delivery.close()
    spool.append("history", {"_step": 1})
    spool.close()
    printed = sync("--entity", "physics", str(spool.folder), code=1)
    assert "a part of it is in ada/p already, where the rest belongs; leave out --entity" in printed
    sync(str(spool.folder))
    assert fake.run("a").records("history") == [{"_step": 0}, {"_step": 1}]


@pytest.mark.parametrize(
    ("status", "detail", "flags"),
    [
        (404, {"entity": "x", "project": "", "entities": ["ada"]}, "--entity ada "),
        (404, {"entity": "x", "project": "", "entities": ["ada", "physics"]}, "--entity ENTITY "),
        (404, {"entity": "ada", "project": "x", "entities": ["ada"]}, "--project PROJECT "),
        (403, None, "[--entity ENTITY] [--project PROJECT] "),
        (400, {"uid": ["no"]}, "[--entity ENTITY] [--project PROJECT] "),
        (401, None, ""),
    ],
)
def test_a_refusal_names_the_flags_that_may_help(status, detail, flags):
    """The review's D2: the line can be pasted where there is one entity to choose."""
    refused = Refused(status, "", "No.", detail)
    assert sync_command(Path("/s/a b"), refused) == f"runyard-agent sync {flags}'/s/a b'"
