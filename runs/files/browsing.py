"""How a run's files are shown: folder by folder, and previewed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from common.web.file_tree import FILES_A_PAGE, Folder, open_folder
from runs.files.text_preview import language_of, read_text_preview
from runs.models import Run, RunFile
from runs.selectors import files_of
from storage.contents.reading import content_of
from storage.signed_urls import tickets


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


def _file_entry(run: Run, file: RunFile) -> FileEntry:
    url = reverse("runs:run_file", args=[run.project.team.name, run.project.name, run.uid, file.name])
    return FileEntry(file.name, file.size_bytes, file.updated_at, url, kind_of(file.content_type))


def folder_of(run: Run, path: str = "", start: int = 0) -> Folder[FileEntry]:
    """Return a folder with its files from ``start`` on, and what lies in it when the run has few files."""

    def read(names: list[str]) -> dict[str, FileEntry]:
        return {file.name: _file_entry(run, file) for file in files_of(run).filter(name__in=names)}

    sizes = dict(files_of(run).values_list("name", "size_bytes"))
    return open_folder(sizes, read, path=path, start=start)


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
            content_of(file.blob), name=file.name, size_bytes=file.size_bytes, revealed=revealed
        )
    except FileNotFoundError:
        return {**shown, "missing": True}
    if preview is None:
        return {**shown, "kind": "other"}
    return {**shown, "text": preview.text, "truncated": preview.is_cut}
