"""The files of a version as a tree, folder by folder, read for what is shown."""

from dataclasses import dataclass, field

from django.db.models import QuerySet

from artifacts.models import Entry, Version
from artifacts.selectors import entries_of

A_PAGE = 200
OPEN_UP_TO = 40
"""A version of so few files shows all its folders open."""
MOST_NAMED = 100_000
"""Paths that are read to find folders; further ones are found by search."""


@dataclass(slots=True)
class EntryFolder:
    """A folder, and what is in it where it is open."""

    path: str
    """With a slash at its end; "" for the whole."""
    file_count: int = 0
    size_bytes: int = 0
    folders: "list[EntryFolder]" = field(default_factory=list)
    files: list[Entry] = field(default_factory=list)
    is_open: bool = False
    more_from: int | None = None
    """Where the folder's further files begin, when there are."""

    @property
    def name(self) -> str:
        """What follows the parent's path."""
        return self.path.rstrip("/").rpartition("/")[2]


def folder_of(version: Version, path: str = "", start: int = 0) -> EntryFolder:
    """Return a folder with its files from ``start`` on, and what lies in it when the version has few files."""
    rows = entries_of(version, prefix=path).values_list("path", "size_bytes")[:MOST_NAMED]
    sizes = {name: size or 0 for name, size in rows}
    folder = EntryFolder(path, len(sizes), sum(sizes.values()))
    is_deep = not path and len(sizes) <= OPEN_UP_TO
    _fill(folder, sizes, start, is_deep=is_deep)
    _load(version, folder)
    return folder


def _fill(folder: EntryFolder, sizes: dict[str, int], start: int, *, is_deep: bool) -> None:
    inner: dict[str, EntryFolder] = {}
    names: list[str] = []
    for name, size in sizes.items():
        if not name.startswith(folder.path):
            continue
        first, slash, _rest = name[len(folder.path) :].partition("/")
        if not slash:
            names.append(name)
            continue
        child = inner.setdefault(first, EntryFolder(f"{folder.path}{first}/"))
        child.file_count += 1
        child.size_bytes += size
    folder.is_open = True
    folder.folders = [inner[name] for name in sorted(inner)] if start == 0 else []
    folder.files = [Entry(path=name) for name in sorted(names)[start : start + A_PAGE]]
    folder.more_from = start + A_PAGE if len(names) > start + A_PAGE else None
    if is_deep:
        for child in folder.folders:
            _fill(child, sizes, 0, is_deep=True)


def _load(version: Version, folder: EntryFolder) -> None:
    """Read the entries that are shown, in one query."""
    shown = list(_open_folders(folder))
    paths = [entry.path for each in shown for entry in each.files]
    found = {entry.path: entry for entry in entries_of(version, paths)}
    for each in shown:
        each.files = [found[entry.path] for entry in each.files if entry.path in found]


def _open_folders(folder: EntryFolder) -> "list[EntryFolder]":
    return [folder, *(inner for child in folder.folders if child.is_open for inner in _open_folders(child))]


def find_entries(version: Version, text: str) -> QuerySet[Entry]:
    """Return the first entries whose path has the text, whatever its case."""
    return entries_of(version).filter(path__icontains=text)[:A_PAGE]
