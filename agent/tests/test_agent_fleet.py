"""AGT-2: hosts watched without a run of their own, and samples added to runs that something else logs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from recorded import PATIENCE_S, until

import fake_server
from fake_server import FakeServer, Run
from runyard_agent.attaching import lives
from runyard_agent.ending import Ending
from runyard_agent.hosting import Hosting, Period, day_of
from runyard_agent.identity import boot_id, host_id
from runyard_agent.settings import load

QUICK = ("--interval", "0.1", "--without", "ipu")


@pytest.fixture
def to_server(fake):
    return {"RUNYARD_URL": fake.url, "RUNYARD_API_KEY": fake_server.KEY, "RUNYARD_FINISH_TIMEOUT": "10"}


def host_runs(fake: FakeServer) -> list[Run]:
    return [run for run in list(fake.runs.values()) if run.header.get("job_type") == "host"]


def spooled(root: Path, more_than: int, pattern: str = "system*") -> list[Path]:
    """Return the files of spools that have more bytes; a spool that begins or ends has a hidden name, and may vanish."""
    with suppress(FileNotFoundError):
        return [file for file in root.glob(f"[!.]*/{pattern}") if file.stat().st_size > more_than]
    return []


def rows_of(run: Run) -> list[dict[str, float]]:
    return list(run.records("system"))


def ended(process: subprocess.Popen[str], number: int = signal.SIGTERM) -> tuple[int, str]:
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE_S)
    return process.returncode, errors


def test_a_host_has_one_run_a_day_over_restarts(agent, fake, to_server):
    """AGT-2: a stop finishes the run, the next start goes on with it; its time is that since midnight UTC."""

    def writers():
        return {writer for run in host_runs(fake) for _, writer in run.rows}

    for count in (1, 2):
        process = agent("host", *QUICK, **to_server)
        until(lambda: len(writers()) == count)  # noqa: B023 - called at once
        assert host_runs(fake)[0].state == "running"
        code, errors = ended(process)
        assert code == 0, errors
        assert "Traceback" not in errors
        assert host_runs(fake)[0].state == "finished"
    [run] = host_runs(fake)
    host = socket.gethostname()
    today = time.strftime("%Y-%m-%d", time.gmtime(rows_of(run)[0]["_timestamp"]))
    assert run.header["uid"] == f"{host_id()}-{today}"
    assert {name: run.header[name] for name in ("project", "group", "host", "display_name")} == {
        "project": "hosts", "group": host, "host": host, "display_name": f"{host} {today}",
    }  # fmt: skip
    assert all(row["_runtime"] == pytest.approx(row["_timestamp"] % 86_400, abs=0.01) for row in rows_of(run))
    assert b'"cpu_count"' in run.files["wandb-metadata.json"]


def test_ctrl_c_ends_it_in_order(agent, fake, to_server):
    """AGT-2: as in a terminal; 130 is what shells have for that."""
    process = agent("host", *QUICK, "--project", "gpus", "--per", "boot", **to_server)
    run = until(lambda: next(iter(host_runs(fake)), None))
    assert run.header["project"] == "gpus"
    assert run.header["uid"] == f"{host_id()}-{boot_id()}"
    assert ended(process, signal.SIGINT)[0] == 130
    assert run.state == "finished"


def test_a_host_that_starts_before_its_server_loses_nothing(agent, fake, to_server, tmp_path):
    """AGT-2, AGT-5: it spools until the server is there."""
    fake.stop()
    process = agent("host", *QUICK, **to_server)
    until(lambda: spooled(tmp_path / "spool", 5000))
    fake.start()
    run = until(lambda: next(iter(host_runs(fake)), None))
    assert ended(process)[0] == 0
    assert not run.gaps
    runtimes = [row["_runtime"] for row in rows_of(run)]
    assert runtimes == sorted(runtimes)
    assert len(runtimes) > 5


def test_what_an_agent_left_is_sent_by_the_next_and_its_end_ends_nothing(agent, fake, to_server, tmp_path):
    """AGT-2, AGT-5: stopped while the server was away; the run that goes on meanwhile stays running."""
    fake.stop()
    first = agent("host", *QUICK, **{**to_server, "RUNYARD_FINISH_TIMEOUT": "0.1"})
    until(lambda: spooled(tmp_path / "spool", 5000))
    assert ended(first)[0] == 0
    [left] = tmp_path.glob("spool/[0-9]*")
    fake.start()
    second = agent("host", *QUICK, **to_server)
    until(lambda: not left.exists())
    [run] = host_runs(fake)
    assert "finish" in {part for post in fake.posts() for part in post}
    until(lambda: run.state == "running" and len({writer for _, writer in run.rows}) == 2)
    assert ended(second)[0] == 0
    assert run.state == "finished"
    assert not run.gaps


def test_a_host_is_watched_once(agent, run, fake, to_server):
    """AGT-2: a second agent for the same project says who watches; one for another project may."""
    first = agent("host", *QUICK, **to_server)
    until(lambda: host_runs(fake))
    second = run("host", RUNYARD_SPOOL_DIR="/nonexistent/spool", **to_server)
    assert second.returncode == 1
    assert second.stderr == (
        f"runyard-agent: this host is already watched by another agent (process {first.pid})\n"
    )
    third = agent("host", *QUICK, "--project", "others", **to_server)
    until(lambda: len(host_runs(fake)) == 2)
    assert ended(third)[0] == ended(first)[0] == 0


def test_a_stop_on_the_page_ends_the_watching(agent, fake, to_server):
    """AGT-2, RUN-15: with code 0, so that systemd does not start it again."""
    process = agent("host", *QUICK, **to_server)
    run = until(lambda: next(iter(host_runs(fake)), None))
    run.stop_requested = True
    assert process.wait(PATIENCE_S) == 0
    assert run.exit_code == 0


def test_hosts_and_nodes_without_a_server_are_synced_later(agent, run, fake, to_server, tmp_path):
    """AGT-2, AGT-3: offline needs neither server nor key; disabled does nothing."""
    offline = {"RUNYARD_MODE": "offline", "RUNYARD_SPOOL_DIR": str(tmp_path / "elsewhere")}
    host = agent("host", *QUICK, **offline)
    node = agent("attach", "--run", "ada/p/first", "--label", "node-3", *QUICK, **offline)
    until(lambda: len(spooled(tmp_path / "elsewhere", 5000)) == 2)
    assert ended(host)[0] == ended(node)[0] == 0
    assert not fake.requests
    other = begin(fake)
    done = run("sync", str(tmp_path / "elsewhere"), **to_server)
    assert done.returncode == 0, done.stdout + done.stderr
    [of_host] = host_runs(fake)
    assert of_host.state == "finished"
    assert rows_of(of_host)
    assert rows_of(other)
    assert other.state == "running"
    for command in (["host"], ["attach", "--run", "ada/p/first"]):
        disabled = run(*command, RUNYARD_MODE="disabled")
        assert (disabled.returncode, disabled.stdout) == (0, "")
        assert "mode is disabled" in disabled.stderr


def test_a_second_ctrl_c_ends_it_at_once(agent, fake, to_server, tmp_path):
    """AGT-2: who does not want to wait for the server; what is left stays in the spool."""
    fake.stop()
    process = agent("host", *QUICK, **{**to_server, "RUNYARD_FINISH_TIMEOUT": "600"})
    until(lambda: spooled(tmp_path / "spool", 5000))
    process.send_signal(signal.SIGINT)
    until(lambda: any(b'"finish"' in file.read_bytes() for file in spooled(tmp_path / "spool", 0, "acts*")))
    code, errors = ended(process, signal.SIGINT)
    assert code == 130
    assert "not everything has reached the server" in errors
    assert "Traceback" not in errors


def test_a_second_sigterm_changes_nothing(agent, fake, to_server, tmp_path):
    """AGT-2: as timeout(1) sends them; the end is as orderly."""
    process = agent("host", *QUICK, **to_server)
    run = until(lambda: next(iter(host_runs(fake)), None))
    process.send_signal(signal.SIGTERM)
    assert ended(process)[0] == 0
    assert run.state == "finished"
    assert not list(tmp_path.glob("spool/[0-9]*"))


class Counter:
    """Counts its samples."""

    name = "counter"

    def __init__(self) -> None:
        self.count = 0

    def start(self):
        pass

    def collect(self):
        self.count += 1
        return {"count": self.count}

    def facts(self):
        return {"counter": "yes"}

    def close(self):
        pass


def test_no_sample_is_lost_where_one_day_follows_another(fake, to_server, tmp_path):
    """AGT-2: the old run ends finished, the new one has the next sample."""
    environment = {**to_server, "RUNYARD_SPOOL_DIR": str(tmp_path), "RUNYARD_CONFIG": str(tmp_path / "none")}
    settings = load({"interval": "0.02"}, environment=environment)
    counter = Counter()

    def short_day(moment):
        return Period(f"{moment // 0.5:.0f}", moment // 0.5 * 0.5)

    with Ending() as ending:
        hosting = Hosting(settings, period_of=short_day, ending=ending, collectors=[counter])
        watching = threading.Thread(target=hosting.run)
        watching.start()
        until(lambda: len(host_runs(fake)) >= 3)
        ending.tell()
        watching.join(PATIENCE_S)
    until(lambda: {run.state for run in host_runs(fake)} == {"finished"})
    runs = sorted(host_runs(fake), key=lambda run: run.header["uid"])
    counts = [row["system.count"] for run in runs for row in rows_of(run)]
    assert counts == list(range(1, counter.count + 1))
    for run in runs:
        assert {short_day(row["_timestamp"]).name for row in rows_of(run)} == {
            run.header["uid"].rpartition("-")[2]
        }
        assert all(0 <= row["_runtime"] < 0.5 for row in rows_of(run))
        assert run.files["wandb-metadata.json"]


def test_a_full_or_missing_disk_does_not_end_the_watching(agent, fake, to_server, tmp_path):
    """AGT-2, AGT-5: the spool can't be made now, and can be later."""
    place = tmp_path / "place"
    place.write_text("no folder")
    process = agent("host", *QUICK, **{**to_server, "RUNYARD_SPOOL_DIR": str(place)})
    assert "no spool can be created" in next(line for line in process.stderr if "spool" in line)
    place.unlink()
    until(lambda: host_runs(fake))
    assert ended(process)[0] == 0


@pytest.mark.parametrize(
    ("moment", "name", "began_at"),
    [(0, "1970-01-01", 0), (1795305599.9, "2026-11-21", 1795219200), (1795305600, "2026-11-22", 1795305600)],
)
def test_days_are_of_utc(moment, name, began_at):
    assert day_of(moment) == Period(name, began_at)


def test_ids_of_hosts_tell_hosts_apart(tree):
    """AGT-2: by the name and the machine's id, which itself stays secret."""
    root = tree({"etc/machine-id": "0123456789abcdef0123456789abcdef\n"})
    first = host_id(root, "gpu 07/é")
    assert first == host_id(root, "gpu 07/é")
    assert first.startswith("gpu-07-")
    assert "01234567" not in first
    assert host_id(root, "gpu-08") != host_id(tree({"etc/machine-id": "f" * 32}), "gpu-08")
    assert host_id(root / "nothing", "a") != host_id(root / "nothing", "b")
    assert len(host_id(root, "n" * 300) + "-2026-11-22") <= 128


def begin(fake: FakeServer, uid: str = "first") -> Run:
    """Let something else begin a run, on another host."""
    header = {"entity": "ada", "project": "p", "uid": uid, "resume": "allow", "host": "elsewhere"}
    assert fake.answer("POST", "/api/v1/runs", header).status == 201
    return fake.run(uid)


def test_several_nodes_add_to_one_run(agent, fake, to_server):
    """AGT-2: each under its label, all of the run's time; its state is not theirs to change."""
    nodes = [
        agent("attach", "--run", "ada/p/first", "--label", f"node-{number}", *QUICK, **to_server)
        for number in (3, 4)
    ]
    assert "waiting up to 300 s for the run ada/p/first" in nodes[0].stderr.readline()
    run = begin(fake)
    run.started_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))
    until(lambda: len({writer for _, writer in run.rows}) == 2 and len(rows_of(run)) > 6)
    labels = {tag.partition("/l:")[2] for row in rows_of(run) for tag in row if not tag.startswith("_")}
    assert labels == {"node-3", "node-4"}
    assert all(3500 < row["_runtime"] < 3800 for row in rows_of(run))
    assert all(post["attached"] for post in fake.posts())
    assert run.signs_of_life == 0
    until(lambda: len(run.files) == 2)  # which machines they are, and their GPUs; none replaces the run's own
    assert {json.loads(content)["label"] for content in run.files.values()} == labels
    assert sorted(run.files) == ["runyard-hosts/node-3.json", "runyard-hosts/node-4.json"]
    run.state = "finished"
    for node in nodes:
        _, errors = node.communicate(timeout=PATIENCE_S)
        assert node.returncode == 0
        assert "the run has ended: finished" in errors


def test_it_ends_with_the_process_it_watches(agent, fake, to_server, sleeper):
    """AGT-2: of that process, under this host's name where another one logs the run; what it has is sent."""
    run = begin(fake)
    parent, child = sleeper
    process = agent(
        "attach", "--run", f"{fake.url}/ada/p/runs/first", "--pid", str(parent), *QUICK, **to_server
    )
    until(lambda: len(rows_of(run)) > 3)
    assert f"system.proc.cpu.threads/l:{socket.gethostname()}" in rows_of(run)[-1]
    os.kill(child, signal.SIGKILL)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert f"process {parent} has ended" in errors
    assert run.state == "running"


def test_it_ends_when_the_run_is_deleted(agent, fake, to_server):
    """AGT-2: nothing can be added to it any more."""
    run = begin(fake)
    process = agent("attach", "--run", "ada/p/first", *QUICK, **to_server)
    until(lambda: rows_of(run))
    fake.deleted.add("ada/p/first")
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert "the run is gone: The run was deleted." in errors


def test_ctrl_c_detaches(agent, fake, to_server):
    """AGT-2: the run goes on."""
    run = begin(fake)
    process = agent(
        "attach", *QUICK, **to_server, RUNYARD_RUN_ID="first", RUNYARD_PROJECT="p", RUNYARD_ENTITY="ada"
    )
    until(lambda: rows_of(run))
    assert ended(process, signal.SIGINT)[0] == 130
    assert run.state == "running"
    assert run.exit_code is None


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--run", "ada/p/first"), 1, "the run ada/p/first has ended: finished"),
        (
            ("--run", "ada/p/other", "--wait", "0"),
            1,
            "the run ada/p/other does not exist, or this key has no access to it",
        ),
        (("--run", "ada/p/first", "--pid", "999999999"), 2, "process 999999999 does not exist"),
        ((), 2, "an empty path names no run"),
    ],
)
def test_runs_that_nothing_can_be_added_to(run, fake, to_server, arguments, code, message):
    """AGT-2: one sentence each."""
    begin(fake).state = "finished"
    done = run("attach", *arguments, **to_server)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_dead_process_that_nobody_reaped_has_ended():
    """AGT-2: a zombie's number is still there."""
    import psutil

    with subprocess.Popen(["sleep", "60"]) as child:
        process = psutil.Process(child.pid)
        assert lives(process)
        child.send_signal(signal.SIGKILL)
        until(lambda: not lives(process))
    assert not lives(process)


def test_the_unit_is_one_that_systemd_takes(run, tmp_path):
    """AGT-2: what is shipped, with the path of this installation."""
    done = run("host", "--print-unit")
    assert done.returncode == 0
    assert "ExecStart=/opt" not in done.stdout
    assert " -m runyard_agent host\n" in done.stdout
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("systemd-analyze is not there")
    unit = tmp_path / "runyard-agent.service"
    unit.write_text(done.stdout)
    checked = subprocess.run(
        [verify, "verify", "--man=no", str(unit)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (checked.returncode, checked.stderr) == (0, "")
