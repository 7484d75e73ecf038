"""An installation of the last release, run by the programs of its wheel, as people have one before they upgrade."""

import io
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from config.env import ROOT
from tests.installation import Installation
from tests.suite.checkout import RELEASED
from tests.wheels import build_wheel, install_server

BUILT = ("assets/dist", "locale")
"""What git ignores, and a wheel has: the checkout's, for the release's own would take a minute of npm."""


def release_programs(folder: Path) -> Path:
    """Build the last release's wheel and install it below ``folder``; return its folder of programs.

    A clone without the release's commit (a shallow one, or an archive of the sources) builds its own wheel.
    """
    source = folder / "source" if _has_commit() else ROOT
    if source != ROOT:
        _extract(source)
    build_wheel(source, folder)
    [wheel] = folder.glob("runyard-*.whl")
    return install_server(folder / "environment", wheel, source)


def _has_commit() -> bool:
    command = ["git", "cat-file", "-e", f"{RELEASED}^{{commit}}"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def _extract(folder: Path) -> None:
    """Put the release's sources into a folder, with what was built."""
    archive = subprocess.run(["git", "archive", RELEASED], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    for name in BUILT:
        shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True)


class Released(Installation):
    """Runs web, worker and commands of the release; `upgrade` lets this checkout run instead.

    Args:
        home: Its data folder.
        programs: Those of the release.
        variables: Settings.
    """

    def __init__(self, home: Path, *, programs: Path, **variables: Any) -> None:
        super().__init__(home, **variables, DJANGO_SETTINGS_MODULE="config.settings.prod")
        self._program: Path | None = programs / "runyard"

    def _prepare(self) -> None:
        """Begin empty: the prepared database has the tables of this checkout."""
        self._redis.empty()
        self._database.create()
        self.manage("prepare")

    def _commands(self) -> dict[str, list[str]]:
        commands = super()._commands()
        if self._program:
            # in another folder than the tests, where Python would find this checkout's modules first
            run = ["env", "-C", str(self.home), str(self._program)]
            commands |= {name: [*run, name] for name in ("web", "worker")}
        return commands

    def _run_command(self, arguments: Sequence[str]) -> tuple[int, str, str]:
        """Run a command of the release, or of this checkout after the upgrade."""
        if self._program is None:
            return super()._run_command(arguments)
        command = [str(self._program), *arguments]
        done = subprocess.run(
            command, env=self.env, cwd=self.home, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    def upgrade(self, **variables: str) -> None:
        """Start web and worker of this checkout, with further settings; the database is ready for them."""
        self.stop()
        self._program = None
        self.configure(**variables)
        self.start()
