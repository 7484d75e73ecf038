"""How a run's files are shown: folder by folder, and previewed."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.urls import reverse

from runs.files.text_preview import language_of, read_text_preview
from runs.models import Run, RunFile
from runs.selectors import files_of
from storage.filesystem import path_of
from storage.signed_urls import tickets

FILES_A_PAGE = 200
OPEN_UP_TO = 40
"""A run of so few files shows all its folders open."""


def kind_of(content_type: str) -> str:
    """Return how a file is shown: image, audio, video or text; text is tried for all others."""
    main = content_type.partition("/")[0]
    return main if main in {"image", "audio", "video"} else "text"


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file's row."""

    name: str
    size_bytes: int
    updated_at: datetime
    url: str
    kind: str


@dataclass(slots=True)
class Folder:
    """A folder's row, and what is in it where it is open."""

    path: str
    """With a slash at its end; "" for the whole."""
    file_count: int = 0
    size_bytes: int = 0
    folders: "list[Folder]" = field(default_factory=list)
    files: list[FileEntry] = field(default_factory=list)
    is_open: bool = False
    more_from: int | None = None
    """Where the folder's further files begin, when there are."""

    @property
    def name(self) -> str:
        """What follows the parent's path."""
        return self.path.rstrip("/").rpartition("/")[2]


def _file_entry(run: Run, file: RunFile) -> FileEntry:
    url = reverse("runs:run_file", args=[run.project.team.name, run.project.name, run.uid, file.name])
    return FileEntry(file.name, file.size_bytes, file.updated_at, url, kind_of(file.content_type))


def _rows(run: Run, names: list[str]) -> list[FileEntry]:
    found = {file.name: file for file in files_of(run).filter(name__in=names)}
    return [_file_entry(run, found[name]) for name in names if name in found]


def _split(sizes: dict[str, int], path: str) -> tuple[dict[str, Folder], list[str]]:
    """Return the folders directly in a folder, and the names of its own files."""
    folders: dict[str, Folder] = {}
    names: list[str] = []
    for name, size in sizes.items():
        if not name.startswith(path):
            continue
        first, slash, _rest = name[len(path) :].partition("/")
        if slash:
            folder = folders.setdefault(first, Folder(f"{path}{first}/"))
            folder.file_count += 1
            folder.size_bytes += size
        else:
            names.append(name)
    return dict(sorted(folders.items())), sorted(names)


def _filled(run: Run, sizes: dict[str, int], folder: Folder, *, start: int, deep: bool) -> Folder:
    inner, names = _split(sizes, folder.path)
    folder.is_open = True
    folder.folders = list(inner.values()) if start == 0 else []
    folder.files = _rows(run, names[start : start + FILES_A_PAGE])
    folder.more_from = start + FILES_A_PAGE if len(names) > start + FILES_A_PAGE else None
    if deep:
        for child in folder.folders:
            _filled(run, sizes, child, start=0, deep=True)
    return folder


def folder_of(run: Run, path: str = "", start: int = 0) -> Folder:
    """Return a folder with its files from ``start`` on, and what lies in it when the run has few files."""
    sizes = dict(files_of(run).values_list("name", "size_bytes"))
    folder = Folder(path, len(sizes), sum(sizes.values()))
    return _filled(run, sizes, folder, start=start, deep=not path and len(sizes) <= OPEN_UP_TO)


def find_files(run: Run, text: str) -> list[FileEntry]:
    """Return the first files whose path has the text, whatever its case."""
    return [_file_entry(run, file) for file in files_of(run).filter(name__icontains=text)[:FILES_A_PAGE]]


def preview_of(file: RunFile | None, *, revealed: bool) -> dict[str, Any] | None:
    """Return what the preview shows: a signed URL, or the beginning of a text with secrets masked, or nothing."""
    if file is None:
        return None
    shown: dict[str, Any] = {
        "name": file.name, "size_bytes": file.size_bytes, "kind": kind_of(file.content_type), "text": "",
        "truncated": False, "missing": False, "language": language_of(file.name),
    }  # fmt: skip
    if shown["kind"] != "text":
        shown["url"] = tickets.get_path(file.blob, name=file.name, content_type=file.content_type)
        return shown
    try:
        preview = read_text_preview(
            path_of(file.blob.location), name=file.name, size_bytes=file.size_bytes, revealed=revealed
        )
    except FileNotFoundError:
        return {**shown, "missing": True}
    if preview is None:
        return {**shown, "kind": "other"}
    return {**shown, "text": preview.text, "truncated": preview.is_cut}
