"""`manage.py serve`: one command starts everything and leaves nothing behind."""

import http.client
import io
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from common.server import supervisor as processes
from config.env import ROOT
from tests.databases import SQLITE, Database, prepared_database
from tests.ports import free_port
from tests.waiting import PATIENCE_S, until

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for left processes in /proc"),
    pytest.mark.skipif(
        os.environ.get("RUNYARD_DATABASE_URL", "").startswith("postgres"),
        reason="migrates the database it is given; the suite's servers cover PostgreSQL",
    ),
]


class Serve:
    """A running `manage.py serve` and what it printed."""

    def __init__(self, home: Path, port: int) -> None:
        self.port = port
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("RUNYARD_", "DJANGO_"))
        }
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "serve"],
            cwd=home,  # any folder will do
            env=kept | {"RUNYARD_HOME": str(home), "RUNYARD_PORT": str(port)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.lines.append(line)

    @property
    def output(self) -> str:
        return "".join(self.lines)

    def until(self, text: str) -> None:
        def printed() -> bool:
            assert self.process.poll() is None or text in self.output, self.output
            return text in self.output

        until(printed, f"{text!r}")

    def wait(self) -> int:
        status = self.process.wait(timeout=PATIENCE_S)
        self._reader.join(timeout=PATIENCE_S)
        if self.process.stdout:
            self.process.stdout.close()
        return status

    def end(self) -> None:
        """Kill it, unless it has ended."""
        if self.process.poll() is None:
            self.process.kill()
        self.wait()

    def children(self) -> list[int]:
        """Return the process ids of all that it started, and what those started."""
        with suppress(psutil.NoSuchProcess):
            return [child.pid for child in psutil.Process(self.process.pid).children(recursive=True)]
        return []

    def wait_for_children(self, count: int) -> list[int]:
        until(lambda: len(self.children()) >= count, f"{count} children")
        return self.children()

    def child(self, word: str) -> int:
        return next(pid for pid in self.children() if word in name_of(pid))


def name_of(pid: int) -> str:
    """Return a process's name; empty once it has ended."""
    with suppress(psutil.NoSuchProcess):
        return str(psutil.Process(pid).name())
    return ""


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S).close()
    except ConnectionRefusedError:
        return False
    return True


def alive(pids: list[int]) -> list[int]:
    def runs(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except (FileNotFoundError, ProcessLookupError):
            return False

    return [pid for pid in pids if runs(pid)]


_left: list[Serve] = []
"""What tests have left running: a start and an end take 10 s of CPU."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give one data folder for the module: only the first start has to migrate."""
    yield tmp_path_factory.mktemp("home")
    while _left:
        _left.pop().end()


@contextmanager
def starting(home: Path, port: int = 0) -> Iterator[Serve]:
    """Start one that ends with the block."""
    serve = Serve(home, port or free_port())
    try:
        yield serve
    finally:
        serve.end()


@contextmanager
def serving(home: Path) -> Iterator[Serve]:
    """Give one that serves: the one that an earlier test has left running, or another; a test that fails ends it."""
    serve = _left.pop() if _left else Serve(home, free_port())
    try:
        serve.until("stop      Ctrl-C")
        yield serve
    except BaseException:
        serve.end()
        raise
    if serve.process.poll() is None:
        _left.append(serve)


def is_ready(port):
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)) as link:
        link.request("GET", "/ready", headers={"Host": "localhost"})
        with link.getresponse() as reply:
            return reply.status == http.HTTPStatus.OK


def test_a_killed_supervisor_takes_its_children_along(home):
    with serving(home) as serve:
        children = serve.children()
        redis_folder = Path((home / "redis-url").read_text().removeprefix("unix://")).parent
        measured = Path((home / "metrics-folder").read_text())
        serve.process.kill()
        until(lambda: not alive(children), "the end of all")
        serve.wait()
    assert redis_folder.exists()
    with serving(home):  # the next start clears what the killed one could not
        assert not redis_folder.exists()
        assert not measured.exists()


def test_a_second_one_on_the_same_data_is_refused(home):
    with serving(home) as first, starting(home) as second:
        assert second.wait() == 1
        process = first.process.pid
        assert f"Another Runyard (process {process}) already serves the data folder {home}" in second.output
        assert "Traceback" not in second.output


def test_it_serves_until_ctrl_c_and_leaves_nothing(home):
    with serving(home) as serve:
        redis_folder = Path((home / "redis-url").read_text().removeprefix("unix://")).parent
        measured = Path((home / "metrics-folder").read_text())
        assert list(measured.glob("counter_*.db"))
        children = serve.wait_for_children(3)  # web, worker, redis
        serve.process.send_signal(signal.SIGINT)
        assert serve.wait() == 0, serve.output
    assert alive(children) == []
    assert not redis_folder.exists()
    assert not measured.exists()
    assert not (home / "redis-url").exists()
    assert not re.search("Traceback|ERROR|Warning", serve.output), serve.output


def test_a_killed_process_is_started_again_and_the_others_go_on(home):
    """The review's M6: neither a dead worker nor a dead Redis stops the web server."""
    with serving(home) as serve:
        web, worker, redis = (serve.child(word) for word in ("runyard-web", "runyard-worker", "redis"))
        os.kill(worker, signal.SIGKILL)
        serve.until("worker was killed by SIGKILL; starting it again in 1 s.")
        os.kill(redis, signal.SIGKILL)
        serve.until("redis was killed by SIGKILL")
        until(lambda: is_ready(serve.port), "all parts are well")
        assert serve.child("runyard-web") == web
        assert {serve.child("runyard-worker"), serve.child("redis")} & {worker, redis} == set()


def test_an_open_request_is_answered_before_sigterm_ends_all(home):
    with serving(home) as serve:
        children = serve.wait_for_children(3)
        with socket.create_connection(("127.0.0.1", serve.port), timeout=PATIENCE_S) as link:
            head = "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"
            link.sendall(head.encode() + b"ab")
            assert link.recv(1000).startswith(b"HTTP/1.1 100 ")  # it reads
            serve.process.send_signal(signal.SIGTERM)
            until(lambda: not listens(serve.port), "no new requests to be taken")
            link.sendall(b"cd")
            assert link.recv(1000).startswith(b"HTTP/1.1 ")
        assert serve.wait() == 0, serve.output
    assert alive(children) == []


def test_a_process_that_keeps_ending_stops_everything(monkeypatch):
    """The review's M6: what cannot run is told, and left to the service manager."""
    monkeypatch.setattr(processes, "DEATHS_MOST", 2)
    out = io.StringIO()
    supervisor = processes.Supervisor(env=os.environ, out=out)
    other = supervisor.start("other", [sys.executable, "-c", "import time; time.sleep(600)"])
    supervisor.start("web", [sys.executable, "-c", "raise SystemExit(3)"])
    assert supervisor.wait() == 1
    supervisor.stop()
    assert other.started().returncode is not None
    assert "web ended with status 3; starting it again in 1 s." in out.getvalue()
    assert "web ended with status 3, 2 times within 10 minutes; stopping everything." in out.getvalue()


def test_a_taken_port_is_one_clear_line(home):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with starting(home, port) as serve:
            assert serve.wait() == 1
    assert f"Port {port} on 127.0.0.1 is taken by another program." in serve.output
    assert "Traceback" not in serve.output


@pytest.fixture
def other_database(tmp_path: Path) -> Path:
    """Return the database of another data folder, in which nothing has been started."""
    (tmp_path / "home").mkdir()
    database = Database("", tmp_path / "home" / SQLITE)
    database.create(like=prepared_database())
    return tmp_path / "home" / SQLITE


def test_a_database_of_a_newer_release_is_refused(other_database):
    with closing(sqlite3.connect(other_database)) as link:
        row = ("accounts", "9999_future", "2030-01-01")
        link.execute("INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, ?)", row)
        link.commit()
    with starting(other_database.parent) as serve:
        assert serve.wait() == 1
    assert (
        "was migrated by a newer Runyard, or by one from before 0.1.0 (accounts.9999_future)" in serve.output
    )


def test_a_data_folder_of_an_earlier_version_is_refused(other_database):
    with closing(sqlite3.connect(other_database)) as link:
        link.execute("ALTER TABLE runs_run RENAME COLUMN notes TO remarks")
    with starting(other_database.parent) as serve:
        assert serve.wait() == 1
    assert "was made by an earlier version of Runyard" in serve.output
    assert "(runs_run has no column notes)" in serve.output
    assert "Traceback" not in serve.output


def test_the_supervisor_imports_little():
    """It runs as long as its children do: the library for Redis alone was 24 MB."""
    code = "import sys, config.commands.serve; print(*{'celery', 'django.db', 'redis'} & set(sys.modules))"
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert printed.stdout.split() == []
