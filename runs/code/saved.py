"""The files of a run's code: those that its SDK uploaded, and those of artifacts that it logged as code."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Q
from django.urls import reverse

from access.actor import Actor
from common.web.file_tree import Folder, open_folder
from runs.files.code_saving import is_code
from runs.files.text_preview import TextPreview, read_text_preview
from runs.lifecycle.participants import CodeFile, CodeSource, code_sources
from runs.models import Run, RunFile
from runs.selectors import files_of
from storage.contents.reading import content_of

MOST_FILES = 2000
"""Files of one source that the page lists."""
PATCH = "diff.patch"
REQUIREMENTS = "requirements.txt"
CONDA = "conda-environment.yaml"
_FOLDER = "code/"


def _url(run: Run, file: RunFile) -> str:
    return reverse("runs:run_file", args=[run.project.team.name, run.project.name, run.uid, file.name])


def _code_file(run: Run, file: RunFile) -> CodeFile:
    path = file.name.removeprefix(_FOLDER)
    return CodeFile(_FOLDER.rstrip("/"), path, file.size_bytes, _url(run, file), content_of(file.blob))


class SavedCode:
    """What there is of a run's code, each file by a key that addresses name."""

    def __init__(self, actor: Actor, run: Run) -> None:
        known = Q(name__startswith=_FOLDER) | Q(name__endswith=".patch") | Q(name__in=[REQUIREMENTS, CONDA])
        rows = files_of(run).filter(known).order_by("name")[:MOST_FILES]
        own = [file for file in rows if is_code(file.name) or file.name in {REQUIREMENTS, CONDA}]
        self._run = run
        self._by_name = {file.name: file for file in own}
        program = [_code_file(run, file) for file in own if file.name.startswith(_FOLDER)]
        self.sources = [
            *([CodeSource(_FOLDER.rstrip("/"), "", program)] if program else []),
            *code_sources(actor, run, MOST_FILES),
        ]
        self.patches = [file for file in own if file.name.endswith(".patch")]

    def named(self, name: str) -> CodeFile | None:
        """Return a file beside the code: a patch, or a list of packages."""
        file = self._by_name.get(name)
        return _code_file(self._run, file) if file else None

    @property
    def _files(self) -> Iterator[CodeFile]:
        """All files of all sources, in their order."""
        return (file for source in self.sources for file in source.files)

    def find(self, key: str) -> CodeFile | None:
        """Return the file with this key."""
        return next((file for file in self._files if file.key == key), None)

    @property
    def paths(self) -> set[str]:
        """The paths of all files, those beside the code too."""
        beside = (name for name in self._by_name if not name.startswith(_FOLDER))
        return {file.path for file in self._files}.union(beside)

    def at(self, path: str) -> CodeFile | None:
        """Return the file with this path: of the first source that has one, else beside the code."""
        return next((file for file in self._files if file.path == path), None) or self.named(path)

    def main_file(self, program: str) -> CodeFile | None:
        """Return the file of the program that ran, else the first."""
        files = list(self._files)
        named = (
            file for file in files if program and (program == file.path or program.endswith(f"/{file.path}"))
        )
        return next(named, files[0] if files else None)


def tree_of(source: CodeSource) -> Folder[CodeFile]:
    """Return all files of a source in their folders."""
    files = {file.path: file for file in source.files}
    sizes = {path: file.size_bytes for path, file in files.items()}
    return open_folder(
        sizes, lambda names: {name: files[name] for name in names}, open_up_to=MOST_FILES, page=MOST_FILES
    )


def text_of(file: CodeFile | None, *, revealed: bool) -> TextPreview | None:
    """Return the beginning of a file; None where it is no text, or gone."""
    if file is None:
        return None
    options: dict[str, Any] = {"name": file.path, "size_bytes": file.size_bytes}
    try:
        return read_text_preview(file.content, revealed=revealed, **options)
    except FileNotFoundError:
        return None
