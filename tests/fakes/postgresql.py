"""PostgreSQL servers of a test's own, to be killed and promoted; they run as a user who is not root, as they demand."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from tests.ports import free_port
from tests.waiting import until

SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_buffers = 32MB
hot_standby = on
"""


def _program(name: str) -> str:
    """Return the path of a program, which Debian keeps off the PATH."""
    found = shutil.which(name) or next(
        iter(sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))[-1:]), None
    )
    assert found, f"{name} is missing: it comes with PostgreSQL's server"
    return str(found)


def user_of_servers() -> dict[str, Any]:
    """Return as whom servers run that refuse to be root's."""
    return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}


class PostgresServer:
    """A server with a folder and a port of its own, which lets everybody in."""

    def __init__(self) -> None:
        self.port = free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="runyard-postgresql-"))
        if user_of_servers():
            shutil.chown(self._folder, "postgres", "postgres")
        self._data = self._folder / "data"
        self._process: subprocess.Popen[bytes] | None = None

    def create(self) -> None:
        """Make its files, empty."""
        self._run(
            "initdb",
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--no-instructions",
            "-D",
            str(self._data),
        )
        with (self._data / "postgresql.conf").open("a") as file:
            file.write(SETTINGS)

    def follow(self, primary: "PostgresServer") -> None:
        """Make its files as a copy of another one, whose changes it then takes over."""
        where = ("-h", "127.0.0.1", "-p", str(primary.port), "-U", "postgres")
        self._run("pg_basebackup", *where, "-D", str(self._data), "-R", "-X", "stream", "-c", "fast")

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [_program(program), *arguments],
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
            **user_of_servers(),
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        """Start it, and wait until it lets somebody in."""
        command = [_program("postgres"), "-D", str(self._data), "-p", str(self.port)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=self._folder, stdout=log, stderr=log, start_new_session=True, **user_of_servers()
            )
        until(self._answers, "PostgreSQL to answer")

    def _answers(self) -> bool:
        assert self._process is None or self._process.poll() is None, (self._folder / "log").read_text()
        with contextlib.suppress(psycopg.OperationalError):
            self.execute("SELECT 1")
            return True
        return False

    def url(self, database: str) -> str:
        """Return the address of one of its databases."""
        return f"postgres://postgres@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str, database: str = "postgres") -> list[Any]:
        """Return the rows of a statement; none where it gives none."""
        with psycopg.connect(self.url(database), autocommit=True, connect_timeout=5) as link:
            cursor = link.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def kill9(self) -> None:
        """Kill it and all its processes without warning."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def discard(self) -> None:
        """Leave nothing of it."""
        self.kill9()
        shutil.rmtree(self._folder, ignore_errors=True)


@contextlib.contextmanager
def pair(*, is_synchronous: bool = True) -> Iterator[tuple[PostgresServer, PostgresServer]]:
    """Give a primary and its standby, which, if synchronous, has what is committed before the client hears of it."""
    primary, standby = PostgresServer(), PostgresServer()
    try:
        primary.create()
        primary.start()
        standby.follow(primary)
        standby.start()
        if is_synchronous:
            primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            primary.execute("SELECT pg_reload_conf()")
        yield primary, standby
    finally:
        primary.discard()
        standby.discard()
