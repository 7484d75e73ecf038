"""Which files the last full backup holds, so that an incremental one leaves them out; kept in the data folder.

The files themselves never change, so name and size tell which are there. Names come in the order of a walk and are
asked for in that order: millions of them need no memory.
"""

import gzip
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from django.conf import settings

from common.errors import Conflict


@dataclass(frozen=True)
class Base:
    """The full backup that an incremental one needs."""

    id: str
    name: str
    created_at: str


class SortedNames:
    """Names and sizes of files, asked for in their order.

    Args:
        lines: ``size name`` of each.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._passed_over: str | None = None
        self._advance()

    def _advance(self) -> None:
        size, _, self._name = next(self._lines, "").rstrip("\n").partition(" ")
        self._size = int(size or 0)

    def size_of(self, name: str) -> int | None:
        """Return the size of a file, None where it is not among them."""
        while self._name and self._name.split("/") < name.split("/"):
            self._pass_over()
        if self._name != name:
            return None
        size = self._size
        self._advance()
        return size

    def _pass_over(self) -> None:
        self._passed_over = self._passed_over or self._name
        self._advance()

    def finish(self) -> str | None:
        """Return the first name that was not asked for."""
        if self._name:
            self._pass_over()
        return self._passed_over


def line_of(name: str, size: int) -> str:
    """Return a file's line in a list for `SortedNames`."""
    return f"{size} {name}\n"


def _path() -> Path:
    return Path(settings.DATA_FOLDER) / "last-full-backup.gz"


@contextmanager
def last_full_backup() -> Iterator[tuple[Base, SortedNames]]:
    """Give the last full backup and its files.

    Raises:
        Conflict: none is known here.
    """
    if not _path().exists():
        raise Conflict("No full backup was created here: run it once without --incremental.")
    with gzip.open(_path(), "rt") as file:
        yield Base(**json.loads(file.readline())), SortedNames(file)


def keep_list(base: Base, lines: IO[str]) -> None:
    """Remember a full backup, which has its name and is whole, instead of the one before."""
    new = _path().with_suffix(".part")
    lines.seek(0)
    with gzip.open(new, "wt", compresslevel=1) as file:
        file.write(json.dumps(asdict(base)) + "\n")
        file.writelines(lines)
    new.replace(_path())
