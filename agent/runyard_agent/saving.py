"""Files that a run saves: at once, whenever they change, or at its end."""

from __future__ import annotations

import contextlib
import glob
import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Callable, NamedTuple, Protocol

_LOOK_S = 10.0
"""How often it is looked whether a file changed that is saved live."""


class TakeFile(Protocol):
    def __call__(self, path: Path, name: str) -> None: ...


class Saved(NamedTuple):
    pattern: str
    base: str
    policy: str


class Saver:
    """Copies what matches, in a thread of its own: a checkpoint may be large.

    Args:
        take: saves a file under a name as it is now.
        say: tells what can't be saved.
    """

    def __init__(self, take: TakeFile, *, say: Callable[[str], None], look_s: float = _LOOK_S) -> None:
        self._take, self._say, self._look_s = take, say, look_s
        self._asked: queue.SimpleQueue[Saved | None] = queue.SimpleQueue()
        self._live: list[Saved] = []
        self._at_end: list[Saved] = []
        self._seen: dict[Path, tuple[int, int]] = {}
        self._thread: threading.Thread | None = None

    def save(self, pattern: str, base: str, policy: str) -> None:
        """Save what matches a pattern of absolute paths, named from the base on."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="runyard-saver", daemon=True)
            self._thread.start()
        self._asked.put(Saved(pattern, base, policy))

    def finish(self) -> None:
        """Save what is to be saved at the end, and wait for everything before."""
        if self._thread:
            self._asked.put(None)
            self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                asked = self._asked.get(timeout=self._look_s if self._live else None)
            except queue.Empty:
                self._look()
                continue
            if asked is None:
                break
            if asked.policy == "end":
                self._at_end.append(asked)
                continue
            if asked.policy == "live":
                self._live.append(asked)
            self._copy(asked)
        self._look()
        for saved in self._at_end:
            self._copy(saved)

    def _look(self) -> None:
        for saved in self._live:
            self._copy(saved, only_changed=True)

    def _copy(self, saved: Saved, *, only_changed: bool = False) -> None:
        for path in matching(saved.pattern):
            with self._telling(path):
                stat = path.stat()
                mark = stat.st_mtime_ns, stat.st_size
                if not only_changed or self._seen.get(path) != mark:
                    self._take(path, path.relative_to(saved.base).as_posix())
                    self._seen[path] = mark

    @contextlib.contextmanager
    def _telling(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._say(f"{path} can't be saved: {error.strerror}")


def matching(pattern: str) -> Iterator[Path]:
    """Yield the files that match a pattern, and those below folders that do."""
    given = Path(pattern)
    found = [given] if given.exists() else map(Path, sorted(glob.glob(pattern, recursive=True)))  # noqa: PTH207 - Path.glob takes no absolute pattern
    for path in found:
        if path.is_dir():
            yield from (each for each in sorted(path.rglob("*")) if each.is_file())
        else:
            yield path
