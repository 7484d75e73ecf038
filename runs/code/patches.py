"""Patches in git's format as pages show them: file by file, every line with its numbers before and after."""

import re
from dataclasses import dataclass, field
from enum import StrEnum

MOST_LINES = 4000
"""Lines that are shown of one patch."""
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_GIT = "diff --git "
_MARKS = " +-\\"
"""How the lines of a hunk begin; tools that cut blanks leave empty ones."""


class Change(StrEnum):
    """What a patch does to a file."""

    MODIFIED = "modified"
    ADDED = "added"
    DELETED = "deleted"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True)
class PatchLine:
    """A line of a patch."""

    kind: str
    """added, removed, context, or hunk for the head of a part."""
    text: str
    before: int | None = None
    after: int | None = None


@dataclass(slots=True)
class FilePatch:
    """What a patch changes in one file."""

    name: str
    change: Change = Change.MODIFIED
    name_before: str = ""
    is_binary: bool = False
    lines: list[PatchLine] = field(default_factory=list)
    added: int = 0
    removed: int = 0


@dataclass(slots=True)
class Patch:
    """A whole patch."""

    files: list[FilePatch] = field(default_factory=list)
    is_cut: bool = False
    """Whether it goes on after what is here."""

    @property
    def added(self) -> int:
        """Lines that come."""
        return sum(file.added for file in self.files)

    @property
    def removed(self) -> int:
        """Lines that go."""
        return sum(file.removed for file in self.files)


class _Reader:
    """Reads line by line; heads of hunks say how many lines are theirs, so that no text is taken for a head."""

    def __init__(self) -> None:
        self.patch = Patch()
        self._left = [0, 0]
        self._at = [0, 0]

    def read(self, line: str) -> None:
        if any(self._left) and (not line or line[0] in _MARKS):
            self._read_changed(line)
        elif match := _HUNK.match(line):
            self._begin_hunk(line, match)
        elif not line.startswith("\\"):  # "\ No newline at end of file"
            self._read_head(line)

    def _file(self) -> FilePatch:
        if not self.patch.files:
            self.patch.files.append(FilePatch(""))
        return self.patch.files[-1]

    def _read_head(self, line: str) -> None:
        self._left = [0, 0]
        if line.startswith(_GIT):
            self.patch.files.append(FilePatch(_last_name(line)))
        elif line.startswith("--- "):
            if not self.patch.files or self._file().lines:  # a patch without git's own heads
                self.patch.files.append(FilePatch(_name_in(line)))
        elif line.startswith("+++ "):
            self._file().name = _name_in(line) or self._file().name
        elif line.startswith("new file"):
            self._file().change = Change.ADDED
        elif line.startswith("deleted file"):
            self._file().change = Change.DELETED
        elif line.startswith("rename from "):
            self._file().change, self._file().name_before = Change.RENAMED, line.removeprefix("rename from ")
        elif line.startswith(("Binary files ", "GIT binary patch")):
            self._file().is_binary = True

    def _begin_hunk(self, line: str, match: re.Match[str]) -> None:
        self._at = [int(match[1]), int(match[3])]
        self._left = [int(match[2] or 1), int(match[4] or 1)]
        self._file().lines.append(PatchLine("hunk", line))

    def _read_changed(self, line: str) -> None:
        file, mark = self._file(), line[:1]
        if mark == "\\":
            return
        before = None if mark == "+" else self._count(0)
        after = None if mark == "-" else self._count(1)
        kind = {"+": "added", "-": "removed"}.get(mark, "context")
        file.added += mark == "+"
        file.removed += mark == "-"
        file.lines.append(PatchLine(kind, line[1:], before, after))

    def _count(self, side: int) -> int:
        self._left[side] = max(0, self._left[side] - 1)
        self._at[side] += 1
        return self._at[side] - 1


def _last_name(head: str) -> str:
    """Return the name after the change: both are the same, or lines that follow name them."""
    names = head.removeprefix(_GIT)
    return names.partition(" b/")[2] or names


def _name_in(line: str) -> str:
    name = line[4:].partition("\t")[0]
    return "" if name == "/dev/null" else re.sub(r"^[ab]/", "", name)


def read_patch(text: str, *, is_cut: bool = False) -> Patch:
    """Return what a patch changes, up to `MOST_LINES` lines; what is no patch has no files."""
    reader = _Reader()
    lines = text.split("\n")
    for line in lines[:MOST_LINES]:
        reader.read(line.removesuffix("\r"))
    patch = reader.patch
    patch.files = [file for file in patch.files if file.name]
    patch.is_cut = is_cut or len(lines) > MOST_LINES
    return patch
