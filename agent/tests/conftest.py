"""Parts that stand for hardware: executables on PATH, trees of files, a library, a server."""

from __future__ import annotations

import contextlib
import http.server
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from recorded import PATIENCE_S

from fake_server import KEY, FakeServer
from runyard_agent.delivery import Delivery
from runyard_agent.server import Server
from runyard_agent.settings import load
from runyard_agent.spool import Spool

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Put an executable on PATH that prints a text, or runs the lines of a shell script."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")

    def make(name: str, prints: str = "", script: str = "") -> str:
        output = folder / f".{name}.out"
        output.write_text(prints)
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script or f'cat {output}'}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return make


@pytest.fixture
def tree(tmp_path):
    """Make a root folder out of files by path."""

    def make(files: dict[str, str]) -> Path:
        root: Path = tmp_path / "root"
        root.mkdir(exist_ok=True)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return root

    return make


class Site:
    """A local HTTP server; ``pages`` are status and body, or a function of the address, by path with or without query, ``requests`` what was asked."""

    def __init__(self) -> None:
        self.pages: dict[str, Any] = {}
        self.requests: list[tuple[str, dict[str, str], str]] = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def _answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                site.requests.append(
                    (self.path, {name.title(): value for name, value in self.headers.items()}, body)
                )
                bare = self.path.partition("?")[0]
                page = site.pages.get(self.path) or site.pages.get(bare, (404, "none"))
                status, text = page(self.path) if callable(page) else page
                self.send_response(status)
                self.send_header("Content-Length", str(len(text.encode())))
                if site.location:
                    self.send_header("Location", site.location)
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST = _answer

            def date_time_string(self, timestamp=None):
                return site.date or super().date_time_string(timestamp)

            def log_message(self, *_):
                pass

        self.date = self.location = ""
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def site():
    made = Site()
    yield made
    made.close()


@pytest.fixture
def sleeper():
    """Start a process that has a child, and return the parent's PID."""
    code = "import subprocess, sys; p = subprocess.Popen(['sleep', '60']); print(p.pid, flush=True); p.wait()"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    child = int(process.stdout.readline())
    yield process.pid, child
    with contextlib.suppress(ProcessLookupError):  # a test may have ended it
        os.kill(child, 9)
    process.wait()
    process.stdout.close()


@pytest.fixture
def environment(tmp_path):
    """Return what a command of the agent runs in: nothing of this process's settings, a spool of its own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("RUNYARD_", "WANDB_", "COV", "SLURM_"))
    }
    return {
        **kept,
        "PYTHONPATH": str(REPOSITORY / "agent"),
        "NETRC": str(tmp_path / "netrc"),
        "RUNYARD_CONFIG": str(tmp_path / "none"),
        "RUNYARD_SPOOL_DIR": str(tmp_path / "spool"),
    }


@pytest.fixture
def run(tmp_path, environment):
    """Run the command line as a person does."""

    def command(*arguments: str, typed: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "runyard_agent", *arguments],
            input=typed,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
            cwd=tmp_path,
            env={**environment, **variables},
        )

    return command


@pytest.fixture
def agent(tmp_path, environment):
    """Start commands that go on; what of them still runs is killed with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **variables: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "runyard_agent", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env={**environment, **variables},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def fake():
    made = FakeServer()
    yield made
    made.stop()


HEADER = {
    "entity": "",
    "project": "p",
    "uid": "r",
    "resume": "never",
    "writer": "0123456789abcdef",
    "attached": False,
}


@pytest.fixture
def new_spool(tmp_path):
    """Make spools in the test's folder."""
    made = []

    def make(*, max_bytes: int = 2**30, keep_sent: bool = False, **header) -> Spool:
        made.append(
            Spool.create(tmp_path / "spool", {**HEADER, **header}, max_bytes=max_bytes, keep_sent=keep_sent)
        )
        return made[-1]

    yield make
    for spool in made:
        spool.close()


@pytest.fixture
def deliver(fake):
    """Start sending a spool to the fake server; ``said`` are the sentences for people."""
    made = []

    def start(spool: Spool, key: str = KEY, **options) -> Delivery:
        server = Server(
            load({"url": fake.url}, environment={"RUNYARD_API_KEY": key, "RUNYARD_CONFIG": "/nonexistent"})
        )
        said: list[str] = []
        delivery = Delivery(spool, server, **{"heartbeat_s": None, "on_message": said.append, **options})
        delivery.said = said  # type: ignore[attr-defined]
        made.append(delivery)
        delivery.start()
        return delivery

    yield start
    for delivery in made:
        delivery.close()
