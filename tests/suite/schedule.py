"""Which worker of xdist runs which file: `tests.plugin` gives this to it.

Playwright leaves an event loop running, which Django and asyncio tests refuse, so a worker that has been in a browser
stays there. One goes there at once, or the longest of these files would begin when all others have ended. The others
follow it when nothing else waits.
"""

from collections.abc import Iterable
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler.loadfile import LoadFileScheduling
from xdist.workermanage import WorkerController

from tests.suite.passes import file_of


class FilesInBrowser:
    """What workers tell the controller by a file: it hears of no marks."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "files-in-browser"

    def write(self, items: Iterable[pytest.Item]) -> None:
        """Tell which of these tests' files drive a browser; all workers tell the same."""
        files = {file_of(item) for item in items if item.get_closest_marker("browser")}
        self._path.write_text("\n".join(sorted(files)))

    def read(self) -> set[str]:
        """Return the files, once all workers have collected."""
        return set(self._path.read_text().splitlines())


class Schedule(LoadFileScheduling):
    """Gives out whole files in the order of the tests, those in a browser to workers that run nothing else."""

    def __init__(self, config: pytest.Config, log: Producer | None, told: FilesInBrowser) -> None:
        super().__init__(config, log)
        self._told = told
        self._in_browser: set[str] = set()
        self._there: set[WorkerController] = set()
        """The workers that are in a browser."""

    def schedule(self) -> None:
        """Send a worker to the browser, unless it is the only one, and give out the first files."""
        if self.collection is None:
            self._in_browser = self._told.read()
            self._there = set(self.nodes[1:][-1:]) if self._in_browser else set()
        super().schedule()

    def _assign_work_unit(self, node: WorkerController) -> None:
        file = self._next_for(node)
        if file is None:
            return
        self.workqueue.move_to_end(file, last=False)
        super()._assign_work_unit(node)
        if file in self._in_browser:
            self._there.add(node)

    def _reschedule(self, node: WorkerController) -> None:
        """Give a worker another file when it is at its last test, which it begins once it knows what follows.

        xdist does so two tests earlier, so that a file waits behind long ones while other workers have none.
        """
        if node.shutting_down or self._pending_of(self.assigned_work[node]) > 1:
            return
        if self._next_for(node) is None:
            node.shutdown()
        else:
            self._assign_work_unit(node)

    def _next_for(self, node: WorkerController) -> str | None:
        """Return the file that a worker takes next."""
        if node in self._there:
            return next((file for file in self.workqueue if file in self._in_browser), None)
        return next(iter(self.workqueue), None)  # those in a browser come last
