"""Files shown as a tree, folder by folder: a folder is opened by its path, and only what is shown is read."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

File = TypeVar("File")
"""What a row of a file is drawn from."""
Read = Callable[[list[str]], Mapping[str, File]]
"""Returns the files with these paths, by path; those that are gone are left out."""

FILES_A_PAGE = 200
OPEN_UP_TO = 40
"""A tree of so few files shows all its folders open."""


@dataclass(slots=True)
class Folder(Generic[File]):
    """A folder's row, and what is in it where it is open."""

    path: str
    """With a slash at its end; "" for the whole."""
    file_count: int = 0
    size_bytes: int = 0
    folders: "list[Folder[File]]" = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    is_open: bool = False
    more_from: int | None = None
    """Where the folder's further files begin, when there are."""

    @property
    def name(self) -> str:
        """What follows the parent's path; a slash where that is nothing."""
        return self.path.removesuffix("/").rpartition("/")[2] or "/"


def open_folder(
    sizes: Mapping[str, int],
    read: Read[File],
    *,
    path: str = "",
    start: int = 0,
    open_up_to: int = OPEN_UP_TO,
    page: int = FILES_A_PAGE,
) -> Folder[File]:
    """Return a folder with its files from ``start`` on, and with all that lies in it when the whole has few files.

    Args:
        sizes: Bytes by path, at least of what lies in the folder.
        read: Is called once, with the paths of all files that are shown.
        path: Of the folder, with a slash at its end.
        start: How many of the folder's own files were shown before.
        open_up_to: A tree of so few files shows all its folders open.
        page: How many files of a folder are shown at once.
    """
    folder: Folder[File] = Folder(path, len(sizes), sum(sizes.values()))
    opened = list(_opened(folder, sizes, start, page, is_deep=not path and len(sizes) <= open_up_to))
    found = read([name for _folder, names in opened for name in names])
    for each, names in opened:
        each.files = [found[name] for name in names if name in found]
    return folder


def _opened(
    folder: Folder[File], sizes: Mapping[str, int], start: int, page: int, *, is_deep: bool
) -> Iterator[tuple[Folder[File], list[str]]]:
    """Open a folder, and yield it and those opened in it, each with the paths of its files that are shown."""
    inner, names = _split(sizes, folder)
    end = start + page
    folder.is_open = True
    folder.folders = inner if start == 0 else []
    folder.more_from = end if len(names) > end else None
    yield folder, names[start:end]
    if is_deep:
        for child in folder.folders:
            yield from _opened(child, sizes, 0, page, is_deep=True)


def _split(sizes: Mapping[str, int], folder: Folder[File]) -> tuple[list[Folder[File]], list[str]]:
    """Return the folders directly in a folder, and the paths of its own files."""
    folders: dict[str, Folder[File]] = {}
    names: list[str] = []
    for name, size in sizes.items():
        if not name.startswith(folder.path):
            continue
        first, slash, _rest = name[len(folder.path) :].partition("/")
        if slash:
            child = folders.setdefault(first, Folder(f"{folder.path}{first}/"))
            child.file_count += 1
            child.size_bytes += size
        else:
            names.append(name)
    return [folders[name] for name in sorted(folders)], sorted(names)
