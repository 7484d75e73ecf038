"""A real installation for tests: its own data folder, database, Redis and port; the production command lines."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

from common.server import embedded_redis
from common.server.supervisor import (
    MEMORY,
    kill_group,
    raise_open_files,
    spawn,
    web_command,
    worker_command,
)
from tests.databases import SQLITE, Database, installation_env, prepared_database, prepared_static
from tests.management import Management
from tests.plugin import check_that_it_is_marked
from tests.ports import free_port
from tests.redises import OwnRedis
from tests.waiting import PATIENCE_S

_made = 0


class Installation:
    """Runs web, worker (with beat) and, unless a server was given to the suite, Redis.

    Args:
        home: Its data folder.
        beside: Another one, whose database and Redis it has: a further host of the same installation.
        database_url: An empty database that somebody else removes; else one is created.
        worker_app: The module of the worker's Celery application.
        variables: Settings, which a further host does not get from the first one.
    """

    def __init__(
        self,
        home: Path,
        *,
        beside: "Installation | None" = None,
        database_url: str = "",
        worker_app: str = "config.celery",
        **variables: str,
    ) -> None:
        global _made  # noqa: PLW0603 - numbers the databases of one test process
        _made += 1
        self.home = home
        self._beside = beside
        self._database_url = database_url
        self._worker_app = worker_app
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        if beside is None:
            self._database = Database(f"runyard_server_{os.getpid()}_{_made}", home / SQLITE)
            self._redis = OwnRedis()
        else:
            self._database, self._redis = beside._database, beside._redis
        self.env = installation_env(home, self._database) | {
            "PROMETHEUS_MULTIPROC_DIR": str(home / "measured"),
            "RUNYARD_PORT": str(self.port),
            "RUNYARD_URL": self.url,
            "RUNYARD_REDIS_URL": self._redis.url,
            **({"RUNYARD_DATABASE_URL": database_url} if database_url else {}),
            **variables,
        }
        self.management = Management(self.env)

    def _prepare(self) -> None:
        """Copy the tables and static files; its secrets are its own."""
        if self._beside is None:
            self._redis.empty()
            if not self._database_url:
                self._database.create(like=prepared_database())
        shutil.copytree(prepared_static(), self.home / "static")
        if self._database_url:
            self.manage("prepare")

    def __enter__(self) -> Self:
        check_that_it_is_marked()
        try:
            self._prepare()
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
        self.management.stop()
        self.stop()
        if self._beside is None:
            self._database.drop()
            self._redis.give_back()

    def _commands(self) -> dict[str, list[str]]:
        own = self._redis.folder if self._beside is None else None
        commands = {"redis": embedded_redis.command(own)} if own else {}
        worker = [self._worker_app if part == "config.celery" else part for part in worker_command()]
        return commands | {"web": web_command("127.0.0.1", self.port), "worker": worker}

    def start(self) -> None:
        """Start every process that does not run, and wait until /ready says so."""
        raise_open_files()  # as `manage.py serve` does, for the server and for the test's own end of connections
        for name, command in self._commands().items():
            process = self._processes.get(name)
            if process is None or process.poll() is not None:
                with self.log_path(name).open("ab") as log:
                    self._processes[name] = spawn(command, env=MEMORY | self.env, stdout=log)
                if self._redis.folder and name == "redis":
                    embedded_redis.wait_until_ready(self._redis.folder, self._processes[name])
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline, answer = time.monotonic() + PATIENCE_S, "no answer"
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
        raise AssertionError(f"/ready after {PATIENCE_S} s: {answer}\n{logs}")

    def stop(self) -> None:
        """End every process as an operator would; Redis last."""
        for names in (("web", "worker"), ("redis",)):
            running = [self._processes.pop(name) for name in names if name in self._processes]
            for process in running:
                if process.poll() is None:
                    process.terminate()
            for process in running:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=PATIENCE_S)
                kill_group(process)
                process.wait()

    def kill9(self, name: str) -> None:
        """Kill "web", "worker" or "redis" without warning; `start` brings it back."""
        process = self._processes[name]
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def change(self, **variables: str) -> None:
        """Give web, worker and commands other settings, by a restart of each."""
        self.configure(**variables)
        for name in ("web", "worker"):
            self.restart(name)

    def configure(self, **variables: str) -> None:
        """Give commands other settings, and processes that are started from now on."""
        self.env |= variables
        self.management.stop()
        self.management = Management(self.env)

    def restart(self, name: str) -> None:
        """Let a process end as a service manager does, and start it again."""
        self._processes[name].terminate()
        self._processes[name].wait(timeout=PATIENCE_S)
        self.start()

    def pid(self, name: str) -> int:
        """Return the process id of "web", "worker" or "redis"."""
        return self._processes[name].pid

    def processes(self) -> list[psutil.Process]:
        """Return its processes and those they have started."""
        started = [psutil.Process(process.pid) for process in self._processes.values()]
        return [each for process in started for each in (process, *process.children(recursive=True))]

    def manage(self, *arguments: str) -> Any:
        """Run a management command on this installation; return its JSON, or what it printed.

        Raises:
            AssertionError: it failed; the message has all it printed.
        """
        status, printed, errors = self._run_command(arguments)
        if status:
            raise AssertionError(f"manage.py {' '.join(arguments)} failed:\n{printed}\n{errors}")
        try:
            return json.loads(printed)
        except ValueError:
            return printed

    def _run_command(self, arguments: Sequence[str]) -> tuple[int, str, str]:
        """Run a management command; return its status and what it printed on stdout and stderr."""
        return self.management.run(list(arguments))

    def cookie(self, kind: str) -> str:
        """Return the name of its cookie of a kind, "session" or "csrf"."""
        return f"runyard_{kind}_{self.port}"

    def client_env(self, api_key: str) -> dict[str, str]:
        """Return what the SDK needs to find this installation."""
        return {"WANDB_BASE_URL": self.url, "WANDB_API_KEY": api_key}

    def get(self, path: str, headers: dict[str, str] | None = None) -> tuple[int, str]:
        """Ask for a page once; return status and body."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
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
