"""The files of a version, read for what is shown."""

from django.db.models import QuerySet

from artifacts.models import Entry, Version
from artifacts.selectors import entries_of
from common.web.file_tree import FILES_A_PAGE, Folder, open_folder

MOST_NAMED = 100_000
"""Paths that are read to find folders; further ones are found by search."""


def folder_of(version: Version, path: str = "", start: int = 0) -> Folder[Entry]:
    """Return a folder with its files from ``start`` on, and what lies in it when the version has few files."""

    def read(names: list[str]) -> dict[str, Entry]:
        return {entry.path: entry for entry in entries_of(version, names)}

    rows = entries_of(version, prefix=path).values_list("path", "size_bytes")[:MOST_NAMED]
    return open_folder({name: size or 0 for name, size in rows}, read, path=path, start=start)


def find_entry(version: Version, path: str) -> Entry | None:
    """Return the entry of a path as a page asks for it: forms send an end of a line as two characters."""
    found = {entry.path: entry for entry in entries_of(version, [path, path.replace("\r\n", "\n")])}
    return found.get(path) or next(iter(found.values()), None)


def find_entries(version: Version, text: str) -> QuerySet[Entry]:
    """Return the first entries whose path has the text, whatever its case."""
    return entries_of(version).filter(path__icontains=text)[:FILES_A_PAGE]
