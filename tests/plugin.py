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
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from common import embedded_redis

MARKER = "RUNYARD_TEST_REDIS"
"""Keeps what the person gave, since xdist workers inherit what their controller set."""
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
REAL_MARKS = ("browser", "sdk", "processes", "faults")
REAL_FIXTURES = {"server", "new_server"}
"""What tells that a test waits for other processes."""
STORED_MARKS = (*REAL_MARKS, "django_db")
STORED_FIXTURES = {*REAL_FIXTURES, "db", "transactional_db", "django_db_setup"}
"""What tells that a test asks a database or Redis."""
SERVER_DATABASES_FROM = 8
"""Redis has 16 databases: the tests' own processes use the lower half, the servers they start the upper."""


def redis_database(url: str, number: int) -> str:
    """Return the URL of another database of the same Redis."""
    parts = urlsplit(url)
    first = int(parts.path.strip("/") or 0)
    return urlunsplit(parts._replace(path=f"/{(first + number) % 16}"))


# A shell starts what runs in its background deaf to these, and every training process would inherit that.
for _number, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL)):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, _handler)

os.environ.setdefault(MARKER, os.environ.get("RUNYARD_REDIS_URL", ""))
GIVEN_REDIS = os.environ[MARKER]
HOME = Path(tempfile.mkdtemp(prefix="runyard-tests-"))
_folder = None if GIVEN_REDIS else embedded_redis.make_folder()
os.environ["RUNYARD_HOME"] = str(HOME)
os.environ["RUNYARD_REDIS_URL"] = (
    embedded_redis.url_of(_folder) if _folder else redis_database(GIVEN_REDIS, WORKER % SERVER_DATABASES_FROM)
)
_redis: "list[subprocess.Popen[bytes]]" = []
_running: list[pytest.Item] = []


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


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remember which test runs, for `check_that_it_is_marked`."""
    _running[:] = [item]


def check_that_it_is_marked() -> None:
    """Refuse a server to a test that is taken for one without: it would be left out on the second database.

    Raises:
        AssertionError: the running test is marked `unstored`.
    """
    unmarked = [item.nodeid for item in _running if item.get_closest_marker("unstored")]
    assert not unmarked, f"{unmarked} starts a server by itself: mark it `processes`"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark what asks for no database, before `-m` chooses; put browser tests last, after others have sorted.

    Playwright leaves an event loop running, which Django and asyncio tests refuse.

    `make test` keeps xdist from changing the order of files. In CI, which others' work slows at will, every test but
    those that kill at random gets a second try; the summary names each that needed it, and each is a fault to mend.
    """
    for item in items:
        if not _has(item, STORED_MARKS, STORED_FIXTURES):
            item.add_marker("unstored")
    if os.environ.get("CI"):
        for item in items:
            if not item.get_closest_marker("faults"):
                item.add_marker(pytest.mark.flaky(reruns=1))
    yield
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def _has(item: pytest.Item, marks: Iterable[str], fixtures: Iterable[str]) -> bool:
    """Say whether a test has one of the marks, or is given one of the fixtures, by others or by itself."""
    given = getattr(item, "fixturenames", ())
    return any(map(item.get_closest_marker, marks)) or any(name in given for name in fixtures)
