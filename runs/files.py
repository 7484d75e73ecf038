"""How a run's files are shown: in the tree, and previewed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from runs.models import Run, RunFile
from storage import tickets
from storage.local import path_of

PREVIEW_BYTES = 256 * 1024
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/svg+xml")


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A row of the tree."""

    name: str
    size_bytes: int
    updated_at: datetime
    url: str
    is_image: bool


def listed_file(run: Run, file: RunFile) -> ListedFile:
    """Return a file's row; ``run`` has project and team loaded."""
    args = [run.project.team.name, run.project.name, run.uid, file.name]
    url = reverse("runs:run_file", args=args)
    return ListedFile(file.name, file.size_bytes, file.updated_at, url, file.content_type in _PICTURES)


def preview_of(file: RunFile | None) -> dict[str, Any] | None:
    """Return what the preview shows: an image's signed URL, or the beginning of a text; neither for other kinds."""
    if file is None:
        return None
    shown: dict[str, Any] = {"name": file.name, "text": "", "image_url": "", "truncated": False}
    if file.content_type in _PICTURES:
        shown["image_url"] = tickets.get_path(file.blob, name=file.name, content_type=file.content_type)
        return shown
    with path_of(file.blob.location).open("rb") as content:
        head = content.read(PREVIEW_BYTES)
    if b"\x00" not in head:
        shown["text"] = head.decode("utf-8", errors="replace")
        shown["truncated"] = file.size_bytes > len(head)
    return shown
