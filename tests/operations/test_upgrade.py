"""From the last release to a later one, which has an app more (tests/later_release): nothing is lost, and there is a
way back."""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import sdks
from tests.databases import GIVEN, SQLITE
from tests.fixtures import installed
from tests.installation import Installation
from tests.killing import start_writers, wait_for_posts
from tests.management import Management
from tests.released import Released, release_programs
from tests.sdk.people import person
from tests.stored import look
from tests.waiting import until

pytestmark = [pytest.mark.races, pytest.mark.processes, pytest.mark.takes(60)]

LATER = {"DJANGO_SETTINGS_MODULE": "tests.later_release.settings"}
COUNT = """
from runs.models import Run
from tests.later_release.models import Note
print(Run.objects.count(), Note.objects.count())
"""
LOG = """
import wandb
with wandb.init(project="upgrades", id="logged", config={"lr": 0.1, "layers": [64, 32]}, tags=["kept"]) as run:
    print("trained")
    for step in range(4_200):
        run.log({"loss": 1 / (step + 1), "seen": 2**60 + step, "skipped": float("nan")})
    run.log({"errors": wandb.Table(["guess", "truth"], [["cat", "dog"], ["bird", "cat"]])})
    weights = wandb.Artifact("weights", "model", metadata={"layers": 2})
    with weights.new_file("weights.bin", mode="wb") as file:
        file.write(bytes(range(256)) * 4000)
    run.log_artifact(weights, aliases=["best"])
"""
READ = """
import hashlib, json, pathlib, wandb
api = wandb.Api()
run = api.run("upgrades/logged")
weights = api.artifact("upgrades/weights:best")
files = {}
for file in run.files():
    with file.download("files", replace=True) as content:
        files[file.name] = hashlib.sha256(content.read().encode(errors="surrogateescape")).hexdigest()
folder = pathlib.Path(weights.download("weights"))
print(json.dumps({
    "state": run.state, "config": run.config, "tags": run.tags, "summary": dict(run.summary),
    "history": list(run.scan_history()), "files": files, "digest": weights.digest, "metadata": weights.metadata,
    "weights": hashlib.sha256((folder / "weights.bin").read_bytes()).hexdigest(), "by": weights.logged_by().id,
}, default=repr, sort_keys=True))
"""


class Later:
    """Commands of the later release on a server's database."""

    def __init__(self, server: Installation, management: Management) -> None:
        self._server, self._management = server, management

    def run(self, *command: str, fails: bool = False) -> tuple[int, str]:
        """Return the status, and what was printed."""
        mark = self._server.home / "later-release-fails"
        if fails:
            mark.touch()
        try:
            status, printed, errors = self._management.run(list(command))
        finally:
            mark.unlink(missing_ok=True)
        return status, printed + errors


@contextmanager
def later_release(server: Installation) -> Iterator[Later]:
    """Give the later release."""
    with Management(server.env | LATER) as management:
        yield Later(server, management)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give those of the last release."""
    return release_programs(tmp_path_factory.mktemp("release"))


@pytest.fixture
def old(programs: Path) -> Iterator[Released]:
    """Run the last release."""
    variables = {"RUNYARD_SEGMENTS": "database"} if GIVEN.startswith("postgres") else {}
    with (
        tempfile.TemporaryDirectory(prefix="runyard-server-") as folder,
        Released(Path(folder), programs=programs, **variables) as server,
    ):
        yield server


def rows_of(file: Path) -> dict[str, set[tuple[Any, ...]]]:
    """Return all rows of a SQLite database, by table."""
    with closing(sqlite3.connect(file)) as link:
        tables = [
            name
            for (name,) in link.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not name.startswith("sqlite_")
        ]
        return {name: set(link.execute(f'SELECT * FROM "{name}"')) for name in tables}  # noqa: S608 - its own tables


@pytest.mark.sdk
@pytest.mark.skipif(
    GIVEN.startswith("postgres"), reason="the same there, where releases are tried side by side"
)
def test_an_upgrade_that_fails_says_how_to_go_on_and_back(
    old: Released, run_script: Callable[..., sdks.Ran], sdk: Callable[[str], Path]
) -> None:
    """The release that ran before goes on meanwhile, and by what is said it starts again; then all is there."""
    newest = sdk(sdks.versions()[-1])
    with person(old, "upgrade-ada") as ada, later_release(old) as later:
        run_script(newest, LOG, ada.env)
        until(
            lambda: any(path.is_file() for path in (old.home / "segments").rglob("*")),
            "the release to pack what was logged",
        )
        logged = run_script(newest, READ, ada.env).stdout
        runs = [ada.wire.begin("upgrades") for _ in range(2)]
        writers = start_writers(old.url, ada.key, runs)
        wait_for_posts(writers)
        _, planned = later.run("migrate", "--plan")
        assert "later.0001_notes" in planned
        assert "Raw SQL operation" in planned
        status, said = later.run("prepare", fails=True)
        assert status == 1
        assert "Migration later.0002_fill failed" in said
        assert "no_such_table" in said
        applied = said.partition("Applied before it: ")[2].partition(".\n")[0]
        assert "later.0001_notes" in applied, said
        assert "runyard migrate later zero" in said
        wait_for_posts(writers)
        for writer in writers:
            writer.finish()
        assert [writer.refused for writer in writers] == [[], []]

        assert later.run("migrate", "later", "zero")[0] == 0
        old.restart("web")
        assert later.run("migrate", "later", "0001")[0] == 0
        status, said = later.run("migrate", fails=True)
        assert status == 1
        assert "The version that ran before goes on with this database as it is" in said

        old.stop()
        before = rows_of(old.home / SQLITE)
        status, said = later.run("prepare")
        assert status == 0, said
        after = rows_of(old.home / SQLITE)
        assert {name for name, rows in before.items() if not rows <= after[name]} == set()
        old.upgrade(**LATER)
        runs_, notes = old.manage("shell", "--no-imports", "-c", COUNT).split()
        assert runs_ == notes == "3"
        assert run_script(newest, READ, ada.env).stdout == logged
        old.kill9("worker")
        found = look(old.manage, [writer.expected for writer in writers])
    assert (found.wrong, found.unreadable) == ([], [])


@pytest.mark.skipif(
    not GIVEN.startswith("postgres"), reason="several web processes of two releases need PostgreSQL"
)
def test_old_web_processes_work_beside_new_ones(old: Released) -> None:
    """RUN-8: each release takes posts of the same runs while the other one runs, and none is refused."""
    with person(old, "rolling-ada") as ada:
        runs = [ada.wire.begin("upgrades") for _ in range(2)]
        writers = start_writers(old.url, ada.key, runs)
        wait_for_posts(writers)
        with later_release(old) as later:
            status, said = later.run("migrate")
        assert status == 0, said
        variables = {
            "RUNYARD_SEGMENTS": "database",
            "RUNYARD_SECRET_KEY": (old.home / "secret-key").read_text().strip(),
        }
        with installed(beside=old, worker_app="tests.impatient", **LATER, **variables) as new:
            runs += [ada.wire.begin("upgrades") for _ in range(2)]
            writers += start_writers(new.url, ada.key, runs[2:])
            for name in ("worker", "web"):
                wait_for_posts(writers)
                old.restart(name)
            wait_for_posts(writers)
            for writer in writers:
                writer.finish()
            for host in (old, new):
                host.kill9("worker")
            found = look(new.manage, [writer.expected for writer in writers])
            states = new.manage("shell", "--no-imports", "-c", COUNT).split()
    assert [writer.refused for writer in writers] == [[]] * 4
    assert (found.wrong, found.unreadable) == ([], [])
    assert int(states[0]) >= len(runs)
