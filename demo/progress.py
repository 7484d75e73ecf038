"""What of the demo is made, so that ``make demo`` goes on where it failed."""

import json
from collections.abc import Callable
from pathlib import Path

from django.db import transaction

END = "end"


class Progress:
    """The steps that are done, in a file of the data folder."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._done: set[str] = set(json.loads(path.read_text())) if path.exists() else set()

    def has(self, step: str) -> bool:
        """Whether a step is done."""
        return step in self._done

    def add(self, *steps: str) -> None:
        """Note that steps are done."""
        self._done.update(steps)
        self._path.write_text(json.dumps(sorted(self._done)))

    def forget(self) -> None:
        """Begin anew: what the file tells of is no longer there."""
        self._done.clear()
        self._path.unlink(missing_ok=True)

    def do(self, step: str, act: Callable[[], object]) -> None:
        """Do a step wholly or not at all, unless it is done."""
        if self.has(step):
            return
        with transaction.atomic():
            act()
        self.add(step)
