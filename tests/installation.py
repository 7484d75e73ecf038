"""A real installation for tests: its own data folder, database, Redis and port; the production command lines.

One is migrated for each test process and never started; all others begin as copies of it, which saves each 12 s of CPU.
"""

import atexit
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

import redis

from common import embedded_redis
from common.processes import kill_group, raise_open_files, spawn, web_command, worker_command
from config.env import ROOT
from tests.plugin import (
    GIVEN_REDIS,
    HOME,
    SERVER_DATABASES_FROM,
    WORKER,
    check_that_it_is_marked,
    redis_database,
)

READY_WITHIN_S = 60
STOP_WITHIN_S = 20
SQLITE = "runyard.sqlite3"
_made = 0


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Installation:
    """Runs web, worker (with beat) and, unless a server was given to the suite, Redis."""

    def __init__(self, home: Path, *, worker_app: str = "config.celery", **variables: str) -> None:
        global _made  # noqa: PLW0603 - numbers the databases of one test process
        _made += 1
        self.home = home
        self._worker_app = worker_app
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._database = ThrowAwayDatabase(f"runyard_server_{os.getpid()}_{_made}")
        self._redis_folder = None if GIVEN_REDIS else embedded_redis.make_folder()
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("RUNYARD_", "DJANGO_"))
        }
        self.env = kept | {
            "DJANGO_SETTINGS_MODULE": "config.settings.prod",
            "PYTHONUNBUFFERED": "1",
            "PROMETHEUS_MULTIPROC_DIR": str(home / "measured"),
            "RUNYARD_HOME": str(home),
            "RUNYARD_PORT": str(self.port),
            "RUNYARD_URL": self.url,
            "RUNYARD_REDIS_URL": self._redis_url(),
            **({"RUNYARD_DATABASE_URL": self._database.url} if self._database.url else {}),
            **variables,
        }

    def _redis_url(self) -> str:
        if self._redis_folder:
            return embedded_redis.url_of(self._redis_folder)
        number = SERVER_DATABASES_FROM + (WORKER + _made) % (16 - SERVER_DATABASES_FROM)
        return redis_database(GIVEN_REDIS, number)

    def prepare(self) -> None:
        """Make what an installation begins with: the tables and the static files."""
        self._database.create()
        self.manage("migrate", "--no-input")
        self.manage("collectstatic", "--no-input", "--verbosity", "0")

    def _begin_as(self, prepared: "Installation") -> None:
        """Copy the tables and static files of another; its secrets stay its own."""
        self._database.create(like=prepared._database)
        shutil.copytree(prepared.home / "static", self.home / "static")
        if not self._database.url:
            shutil.copy(prepared.home / SQLITE, self.home / SQLITE)

    def __enter__(self) -> Self:
        check_that_it_is_marked()
        try:
            self._begin_as(_prepared())
            if not self._redis_folder:
                with redis.Redis.from_url(self.env["RUNYARD_REDIS_URL"]) as client:
                    client.flushdb()
            self.start()
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        """Leave no process, database or Redis behind."""
        self.stop()
        self._database.drop()
        if self._redis_folder:
            shutil.rmtree(self._redis_folder, ignore_errors=True)

    def _commands(self) -> dict[str, list[str]]:
        commands = {"redis": embedded_redis.command(self._redis_folder)} if self._redis_folder else {}
        worker = [self._worker_app if part == "config.celery" else part for part in worker_command()]
        return commands | {"web": web_command("127.0.0.1", self.port), "worker": worker}

    def start(self) -> None:
        """Start every process that does not run, and wait until /ready says so."""
        raise_open_files()  # as `manage.py serve` does, for the server and for the test's own end of connections
        for name, command in self._commands().items():
            process = self._processes.get(name)
            if process is None or process.poll() is not None:
                with self.log_path(name).open("ab") as log:
                    self._processes[name] = spawn(command, env=self.env, stdout=log)
                if self._redis_folder and name == "redis":
                    embedded_redis.wait_until_ready(self._redis_folder, self._processes[name])
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline, answer = time.monotonic() + READY_WITHIN_S, "no answer"
        while time.monotonic() < deadline:
            for name, process in self._processes.items():
                if process.poll() is not None:
                    raise AssertionError(f"{name} ended with status {process.returncode}:\n{self.log(name)}")
            try:
                status, body = self.get("/ready")
                if status == http.HTTPStatus.OK:
                    return
                answer = f"{status} {body[:2000]}"
            except (OSError, http.client.HTTPException) as error:
                answer = repr(error)
            time.sleep(0.1)
        logs = "\n".join(f"--- {name}\n{self.log(name)}" for name in self._processes)
        raise AssertionError(f"/ready after {READY_WITHIN_S} s: {answer}\n{logs}")

    def stop(self) -> None:
        """End every process as an operator would; Redis last."""
        for names in (("web", "worker"), ("redis",)):
            running = [self._processes.pop(name) for name in names if name in self._processes]
            for process in running:
                if process.poll() is None:
                    process.terminate()
            for process in running:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=STOP_WITHIN_S)
                kill_group(process)
                process.wait()

    def kill9(self, name: str) -> None:
        """Kill "web", "worker" or "redis" without warning; `start` brings it back."""
        process = self._processes[name]
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def pid(self, name: str) -> int:
        """Return the process id of "web", "worker" or "redis"."""
        return self._processes[name].pid

    def manage(self, *arguments: str) -> Any:
        """Run a management command on this installation; return its JSON, or what it printed.

        Raises:
            AssertionError: it failed; the message has all it printed.
        """
        done = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"manage.py {' '.join(arguments)} failed:\n{done.stdout}\n{done.stderr}")
        try:
            return json.loads(done.stdout)
        except ValueError:
            return done.stdout

    def client_env(self, api_key: str) -> dict[str, str]:
        """Return what the SDK needs to find this installation."""
        return {"WANDB_BASE_URL": self.url, "WANDB_API_KEY": api_key}

    def get(self, path: str, headers: dict[str, str] | None = None) -> tuple[int, str]:
        """Ask for a page once; return status and body."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            link.request("GET", path, headers=headers or {})
            reply = link.getresponse()
            return reply.status, reply.read().decode()
        finally:
            link.close()

    def log_path(self, name: str) -> Path:
        """Name the file that has what a process printed."""
        return self.home / f"{name}.log"

    def log(self, name: str) -> str:
        """Return what a process printed, the last 20 kB of it."""
        path = self.log_path(name)
        return path.read_text(errors="replace")[-20_000:] if path.exists() else ""


@cache
def _prepared() -> Installation:
    """Return the one that all others of this process begin as."""
    home = HOME / "prepared"
    home.mkdir()
    made = Installation(home)
    atexit.register(made._leave)
    made.prepare()
    return made


class ThrowAwayDatabase:
    """A database of its own on the PostgreSQL that the suite was given; nothing at all on SQLite."""

    def __init__(self, name: str) -> None:
        given = os.environ.get("RUNYARD_DATABASE_URL", "")
        self._name = name
        self._given = given if given.startswith("postgres") else ""
        self.url = self._on(name) if self._given else ""

    def _on(self, name: str) -> str:
        return urlunsplit(urlsplit(self._given)._replace(path=f"/{name}"))

    def _run(self, statement: str, options: str = "") -> None:
        import psycopg

        with psycopg.connect(self._on("postgres"), autocommit=True) as link:
            link.execute(f'{statement} "{self._name}"{options}')

    def create(self, *, like: "ThrowAwayDatabase | None" = None) -> None:
        """Make it, empty or with all that another holds, to which nobody may be connected."""
        if self._given:
            self._run("CREATE DATABASE", f' TEMPLATE "{like._name}"' if like else "")

    def drop(self) -> None:
        """Remove it, with whoever is still connected."""
        if self._given:
            self._run("DROP DATABASE IF EXISTS", " WITH (FORCE)")
