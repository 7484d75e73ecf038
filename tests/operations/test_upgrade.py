"""To a later release, which has an app more (tests/later_release): nothing is lost, and there is a way back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.databases import GIVEN
from tests.fixtures import installed
from tests.installation import Installation
from tests.killing import start_writers, wait_for_posts
from tests.management import Management
from tests.sdk.people import person
from tests.stored import look

pytestmark = [pytest.mark.races, pytest.mark.processes]

LATER = {"DJANGO_SETTINGS_MODULE": "tests.later_release.settings"}
COUNT = """
from runs.models import Run
from tests.later_release.models import Note
print(Run.objects.count(), Note.objects.count())
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


@pytest.mark.skipif(
    GIVEN.startswith("postgres"), reason="the same there, where releases are tried side by side"
)
def test_an_upgrade_that_fails_says_how_to_go_on_and_back(new_server: Callable[..., Installation]) -> None:
    """The version that ran before goes on meanwhile, and by what is said it starts again."""
    server = new_server(worker_app="tests.impatient")
    with person(server, "upgrade-ada") as ada, later_release(server) as later:
        runs = [ada.wire.begin("upgrades") for _ in range(2)]
        writers = start_writers(server.url, ada.key, runs)
        wait_for_posts(writers)
        _, planned = later.run("migrate", "--plan")
        assert "later.0001_notes" in planned
        assert "Raw SQL operation" in planned
        status, said = later.run("prepare", fails=True)
        assert status == 1
        assert "Migration later.0002_fill failed" in said
        assert "no_such_table" in said
        assert "Applied before it: later.0001_notes" in said
        assert "runyard migrate later zero" in said
        wait_for_posts(writers)
        for writer in writers:
            writer.finish()
        assert [writer.refused for writer in writers] == [[], []]

        assert later.run("migrate", "later", "zero")[0] == 0
        server.restart("web")
        assert later.run("migrate", "later", "0001")[0] == 0
        status, said = later.run("migrate", fails=True)
        assert status == 1
        assert "The version that ran before goes on with this database as it is" in said

        status, said = later.run("prepare")
        assert status == 0, said
        server.change(**LATER)
        runs_, notes = server.manage("shell", "--no-imports", "-c", COUNT).split()
        assert runs_ == notes == "2"
        server.kill9("worker")
        found = look(server.manage, [writer.expected for writer in writers])
    assert (found.wrong, found.unreadable) == ([], [])


@pytest.mark.skipif(
    not GIVEN.startswith("postgres"), reason="several web processes of two releases need PostgreSQL"
)
def test_old_web_processes_work_beside_new_ones(new_server: Callable[..., Installation]) -> None:
    """RUN-8: each release takes posts of the same runs while the other one runs, and none is refused."""
    common = {"worker_app": "tests.impatient", "RUNYARD_SEGMENTS": "database"}
    old = new_server(**common)
    with person(old, "rolling-ada") as ada:
        runs = [ada.wire.begin("upgrades") for _ in range(2)]
        writers = start_writers(old.url, ada.key, runs)
        wait_for_posts(writers)
        with later_release(old) as later:
            status, said = later.run("migrate")
        assert status == 0, said
        secret = {"RUNYARD_SECRET_KEY": (old.home / "secret-key").read_text().strip()}
        with installed(beside=old, **common, **LATER, **secret) as new:
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
