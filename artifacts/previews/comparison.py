"""What changed from one version to another: files, metadata, texts. Tables: `artifacts.previews.tables.comparison`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from runs.config.flatten import flatten
from runs.table.comparison import ComparisonSection, compare_flat

MOST_LINES = 2000
"""Of a text that is compared line by line; the time grows with their square."""
_LINES_AROUND = 3


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """A file of a version, as its manifest has it."""

    path: str
    digest: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class FilePair:
    """A file before and after: with other content, or under another path."""

    before: ComparedFile
    after: ComparedFile


@dataclass(frozen=True, slots=True)
class FileComparison:
    """What became of the files; each list is sorted by path."""

    added: list[ComparedFile]
    removed: list[ComparedFile]
    changed: list[FilePair]
    renamed: list[FilePair]
    """Of a file that was there once or several times, as many as came under another path."""
    unchanged_count: int


def compare_files(before: Iterable[ComparedFile], after: Iterable[ComparedFile]) -> FileComparison:
    """Return which files were added, removed, changed and renamed."""
    old, new = ({file.path: file for file in files} for files in (before, after))
    both = sorted(old.keys() & new.keys())
    changed = [FilePair(old[path], new[path]) for path in both if old[path].digest != new[path].digest]
    gone = [old[path] for path in sorted(old.keys() - new.keys())]
    come = [new[path] for path in sorted(new.keys() - old.keys())]
    renamed = list(_renamed(gone, come))
    moved = {path for pair in renamed for path in (pair.before.path, pair.after.path)}
    return FileComparison(
        added=[file for file in come if file.path not in moved],
        removed=[file for file in gone if file.path not in moved],
        changed=changed,
        renamed=renamed,
        unchanged_count=len(both) - len(changed),
    )


def _renamed(gone: list[ComparedFile], come: list[ComparedFile]) -> Iterator[FilePair]:
    """Pair files of the same content, in the order of their paths."""
    by_digest: dict[str, list[ComparedFile]] = defaultdict(list)
    for file in reversed(come):
        by_digest[file.digest].append(file)
    for file in gone:
        if waiting := by_digest.get(file.digest):
            yield FilePair(file, waiting.pop())


def compare_metadata(
    before: dict[str, Any], after: dict[str, Any], *, with_equal: bool = False
) -> ComparisonSection:
    """Return the metadata of two versions key by key, secrets masked."""
    return compare_flat(_("Metadata"), [flatten(before), flatten(after)], with_equal=with_equal)


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line in what changed in a text."""

    kind: str
    """``added``, ``removed``, ``same``, or ``gap`` where lines are left out."""
    text: str


def compare_texts(before: str, after: str) -> list[TextLine]:
    """Return the lines that changed with some around them; none if a text has more than MOST_LINES."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MOST_LINES:
        return []
    kinds = {"+": "added", "-": "removed", " ": "same", "@": "gap"}
    lines = islice(unified_diff(old, new, n=_LINES_AROUND, lineterm=""), 2, None)  # without names of files
    return [TextLine(kinds[line[0]], line if line[0] == "@" else line[1:]) for line in lines]
