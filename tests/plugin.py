"""What the whole suite stands on; `-p tests.plugin` in pyproject.toml loads it before Django's settings.

At import it gives this process a data folder of its own and decides which Redis it uses: one it starts itself, or,
when RUNYARD_REDIS_URL is given, a database of that server that no other xdist worker uses.
The fixtures are in `tests.fixtures` and `tests.browser`.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from common import embedded_redis

MARKER = "RUNYARD_TEST_REDIS"
"""Keeps what the person gave, since xdist workers inherit what their controller set."""
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
REAL_MARKS = ("browser", "sdk", "processes")
REAL_FIXTURES = {"server", "new_server"}
"""What tells that a test waits for other processes."""
SERVER_DATABASES_FROM = 8
"""Redis has 16 databases: the tests' own processes use the lower half, the servers they start the upper."""


def redis_database(url: str, number: int) -> str:
    """Return the URL of another database of the same Redis."""
    parts = urlsplit(url)
    first = int(parts.path.strip("/") or 0)
    return urlunsplit(parts._replace(path=f"/{(first + number) % 16}"))


if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell starts what runs in its background so, and every training process would inherit being deaf to Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault(MARKER, os.environ.get("RUNYARD_REDIS_URL", ""))
GIVEN_REDIS = os.environ[MARKER]
HOME = Path(tempfile.mkdtemp(prefix="runyard-tests-"))
_folder = None if GIVEN_REDIS else embedded_redis.make_folder()
os.environ["RUNYARD_HOME"] = str(HOME)
os.environ["RUNYARD_REDIS_URL"] = (
    embedded_redis.url_of(_folder) if _folder else redis_database(GIVEN_REDIS, WORKER % SERVER_DATABASES_FROM)
)
_redis: "list[subprocess.Popen[bytes]]" = []


def pytest_configure(config: pytest.Config) -> None:
    """Add the fixtures after those of the installed plugins, so that ours win."""
    from tests import browser, fixtures

    config.pluginmanager.register(fixtures, "runyard-fixtures")
    config.pluginmanager.register(browser, "runyard-browser")


def pytest_sessionstart() -> None:
    """Start the embedded Redis."""
    if _folder:
        command = embedded_redis.command(_folder)
        quiet = subprocess.DEVNULL  # not our own output: one that outlives us would keep a pipe open
        _redis.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet))
        embedded_redis.wait_until_ready(_folder, _redis[0])


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    for process in _redis:
        process.terminate()
        process.wait(timeout=10)
    for folder in (_folder, HOME):
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put browser tests last: Playwright leaves an event loop running, which Django and asyncio tests refuse.

    `make test` keeps xdist from changing the order of files. In CI, which others' work slows at will, a test of real
    processes gets a second try; the summary names each that needed it, and each of those is a fault to mend.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
    if os.environ.get("CI"):
        for item in items:
            if _waits_for_others(item) and not item.get_closest_marker("faults"):
                item.add_marker(pytest.mark.flaky(reruns=1))


def _waits_for_others(item: pytest.Item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    return bool(fixtures & REAL_FIXTURES) or any(item.get_closest_marker(name) for name in REAL_MARKS)
