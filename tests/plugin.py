"""What the whole suite stands on; `-p tests.plugin` in pyproject.toml loads it before Django's settings.

At import it gives this process its own data folder and decides which Redis it uses: one that starts with the first
connection to it, or, when RUNYARD_REDIS_URL is given, a database of that server that no other xdist worker uses.
The fixtures are in `tests.fixtures` and `tests.browser`.
"""

import gc
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.utils import translation
from redis.connection import AbstractConnection

from common.server import embedded_redis
from tests.suite import budget, dialect, examples, order, passes, rotation, second_try, typescript
from tests.suite.checkout import ROOT

if TYPE_CHECKING:
    from tests.suite.schedule import Schedule

MARKER = "RUNYARD_TEST_REDIS"
"""Keeps what the person gave, since xdist workers inherit what their controller set."""
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
LEFT = pytest.StashKey[dict[str, int]]()
"""How many tests this pass leaves out, by reason."""
REDIS_DATABASES = 16
"""As Redis is set up everywhere: the suite's workers use the first ones, the servers they start the others."""


def redis_database(url: str, number: int) -> str:
    """Return the URL of another database of the same Redis."""
    parts = urlsplit(url)
    first = int(parts.path.strip("/") or 0)
    return urlunsplit(parts._replace(path=f"/{(first + number) % REDIS_DATABASES}"))


# A shell starts what runs in its background deaf to the first two, `nohup` to the third, and every training process
# would inherit that.
for _number, _handler in (
    (signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL), (signal.SIGHUP, signal.SIG_DFL),
):  # fmt: skip
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, _handler)

gc.disable()  # until all is collected: 2 of 9 s
os.environ.setdefault(MARKER, os.environ.get("RUNYARD_REDIS_URL", ""))
GIVEN_REDIS = os.environ[MARKER]
HOME = Path(tempfile.mkdtemp(prefix="runyard-tests-"))
_folder = None if GIVEN_REDIS else embedded_redis.make_folder()
os.environ["RUNYARD_HOME"] = str(HOME)
SHARED = Path(os.environ.setdefault("RUNYARD_TEST_SHARED", str(HOME)))
"""The folder of the process that started first, for what all processes of the suite use."""
os.environ["RUNYARD_REDIS_URL"] = (
    embedded_redis.url_of(_folder) if _folder else redis_database(GIVEN_REDIS, WORKER)
)
_redis: "list[subprocess.Popen[bytes]]" = []
_starting = threading.Lock()
redis_was_used = threading.Event()
_running: list[pytest.Item] = []
_preparing: list[threading.Thread] = []


def pytest_configure(config: pytest.Config) -> None:
    """Add the fixtures after those of the installed plugins, so that ours win; say which examples are tried."""
    from tests import browser, fixtures

    if not hasattr(config, "workerinput"):
        is_named = config.args_source is pytest.Config.ArgsSource.ARGS
        os.environ[rotation.NAMED_VARIABLE] = "1" if is_named else ""
    examples.choose()
    dialect.watch()
    config.pluginmanager.register(dialect, "runyard-dialect")
    start_redis_when_it_is_needed()
    config.pluginmanager.register(fixtures, "runyard-fixtures")
    config.pluginmanager.register(browser, "runyard-browser")
    typescript.register(config, HOME)
    budget.register(config)
    second_try.register(config)


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return one more than there are cores, since a third of the time a test waits for other processes.

    No more than there are files, which are never divided; none for a single file: each worker takes seconds to start.
    """
    files = len(passes.files_of(config))
    return min(files, len(os.sched_getaffinity(0)) + 1) if files > 1 else 0


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> "Schedule | None":
    """Let `--dist loadfile` know of browsers."""
    if config.getoption("dist") != "loadfile":
        return None
    from tests.suite.schedule import FilesInBrowser, Schedule

    return Schedule(config, log, FilesInBrowser(SHARED))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Prepare the database and the static files that many will wait for, while workers collect."""
    if passes.is_whole(session.config):
        from tests.databases import prepared_database, prepared_static

        _preparing.append(
            threading.Thread(target=lambda: (prepared_database(), prepared_static()), daemon=True)
        )
        _preparing[0].start()


def pytest_collection(session: pytest.Session) -> None:
    """Import the test modules in another order than the other workers do.

    Each is compiled by the first that imports it. In a new clone each worker would compile all of them, in 13 s.
    """
    if hasattr(session.config, "workerinput"):
        files = [path.relative_to(ROOT).with_suffix("").parts for path in passes.files_of(session.config)]
        modules = [".".join(parts) for parts in files if (ROOT / parts[0] / "__init__.py").exists()]
        first = len(modules) * WORKER // session.config.workerinput["workercount"]
        for module in (*modules[first:], *modules[:first]):
            with suppress(Exception, pytest.skip.Exception):  # the collection reports it
                import_module(module)


def start_redis_when_it_is_needed() -> None:
    """Start the embedded Redis with the first connection to a Redis; one that was given may have been used before."""
    if GIVEN_REDIS:
        redis_was_used.set()
        return
    connect = AbstractConnection.connect_check_health

    def start_and_connect(self: AbstractConnection, *args: Any, **options: Any) -> Any:
        with _starting:
            if not redis_was_used.is_set():
                start_redis()
                redis_was_used.set()
        return connect(self, *args, **options)

    AbstractConnection.connect_check_health = start_and_connect  # type: ignore[method-assign]


def start_redis() -> None:
    """Start the embedded Redis."""
    assert _folder is not None
    command = embedded_redis.command(_folder)
    quiet = subprocess.DEVNULL  # not our own output: one that outlives us would keep a pipe open
    _redis.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet))
    embedded_redis.wait_until_ready(_folder, _redis[0])


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    for thread in _preparing:
        thread.join()
    for process in _redis:
        process.terminate()
        process.wait(timeout=10)
    for folder in (_folder, HOME):
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the controller what this worker has left out: all of them leave out the same."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left"], output["reduced"] = session.config.stash[LEFT], passes.reduced


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take in what a worker has left out."""
    output = getattr(node, "workeroutput", {})
    node.config.stash[LEFT] = output.get("left", {})
    passes.reduced.update(output.get("reduced", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what is left to the complete pass."""
    for line in passes.describe(terminalreporter.config.stash.get(LEFT, dict[str, int]()), passes.reduced):
        terminalreporter.write_line(line)


def pytest_collection_finish() -> None:
    """Spare the garbage collector all that was imported and collected: it would look through it in every test."""
    dialect.watch_expressions()
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remember which test runs, for `check_that_it_is_marked`."""
    _running[:] = [item]
    second_try.renew_server(item)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Forget the language in which the test asked for pages: it stays with the thread."""
    translation.deactivate()


def check_that_it_is_marked() -> None:
    """Refuse a server to a test that is taken for one without: it would be left out on the second database.

    Raises:
        AssertionError: the running test is marked `unstored`.
    """
    unmarked = [item.nodeid for item in _running if item.get_closest_marker("unstored")]
    assert not unmarked, f"{unmarked} starts a server by itself: mark it `processes`"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Mark what asks for no database, before `-m` chooses; leave out what is not of this pass; order the rest.

    Files that take long come first, so that no worker is left alone with one at the end. Browser tests come last:
    Playwright leaves an event loop running, which Django and asyncio tests refuse. `make test` keeps xdist from
    changing the order of files.
    """
    for item in items:
        if not passes.is_stored(item):
            item.add_marker("unstored")
    if os.environ.get("CI"):
        for item in items:
            item.add_marker(second_try.mark(item))
    yield
    chosen = list(items)
    left = passes.select(items)
    config.stash[LEFT] = left
    if left:
        run = set(items)
        config.hook.pytest_deselected(items=[item for item in chosen if item not in run])
    items.sort(key=order.key(items))
    if hasattr(config, "workerinput"):
        from tests.suite.schedule import FilesInBrowser

        FilesInBrowser(SHARED).write(items)
