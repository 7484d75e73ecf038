"""PgBouncer in transaction mode before the PostgreSQL that the suite was given."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg

from tests.fakes.postgresql import user_of_servers
from tests.ports import free_port
from tests.waiting import until

SERVER_CONNECTIONS = 4
"""Fewer than the clients have, so that each transaction meets the session of another."""


def program() -> str | None:
    """Return its path, which Debian keeps off the PATH; None where it is not installed."""
    return shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")


@contextlib.contextmanager
def pooler(url: str) -> Iterator[str]:
    """Put one before a database; give the URL by which clients reach it."""
    given, port = urlsplit(url), free_port()
    folder = Path(tempfile.mkdtemp(prefix="runyard-pgbouncer-"))
    password = f" password={unquote(given.password)}" if given.password else ""
    server = f"host={given.hostname} port={given.port or 5432} user={given.username}{password}"
    (folder / "ini").write_text(
        f"[databases]\n* = {server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
        "unix_socket_dir =\nauth_type = any\npool_mode = transaction\n"
        f"default_pool_size = {SERVER_CONNECTIONS}\nmax_client_conn = 200\n"
    )
    options: Any = user_of_servers()
    if options:
        for path in (folder, folder / "ini"):
            shutil.chown(path, "postgres", "postgres")
    with (folder / "log").open("wb") as log:
        command = [str(program()), str(folder / "ini")]
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **options)
    reached = f"postgres://{given.username}@127.0.0.1:{port}{given.path}"
    try:
        until(lambda: _answers(reached), "PgBouncer to answer")
        yield reached
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


def _answers(url: str) -> bool:
    with contextlib.suppress(psycopg.OperationalError), psycopg.connect(url) as link:
        return link.execute("SELECT 1").fetchone() is not None
    return False
