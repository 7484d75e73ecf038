"""What changed from one version to another: files, metadata, and the rows of a table that both have."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from access.actor import Actor
from artifacts.models import Entry, Membership
from artifacts.pages.preview import preview_of
from artifacts.pages.tables.files import table_of
from artifacts.previews.cells import Cell
from artifacts.previews.comparison import ComparedFile, compare_files, compare_metadata, compare_texts
from artifacts.previews.tables.comparison import MOST_CHANGES, RowChange, TableComparison, compare_tables
from artifacts.selectors import entries_of
from common.budgets.children import apart
from common.errors import DomainError
from runs.run_page.value_tree import read_tree

MOST_FILES = 500
"""Of each kind of change that are shown; all are counted."""


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """A row of one of the versions in what changed in a table."""

    key: Cell
    cells: list[tuple[Cell, bool]]
    """With each whether the other version has something else there."""
    is_after: bool
    opens: bool
    """Whether it is the first of its change."""


def _files(place: Membership) -> list[ComparedFile]:
    rows = Entry.objects.filter(version=place.version_id).values_list("path", "digest", "size_bytes")
    return [ComparedFile(path, digest, size or 0) for path, digest, size in rows]


def compare_places(before: Membership, after: Membership) -> dict[str, Any]:
    """Return the context of what changed in files and metadata."""
    metadata = [read_tree(place.version.metadata_text) for place in (before, after)]
    files = compare_files(_files(before), _files(after))
    kinds = (files.added, files.removed, files.changed, files.renamed)
    return {
        "files": files,
        "files_cut": any(len(found) > MOST_FILES for found in kinds),
        "metadata": compare_metadata(*metadata),
    }


def pair_of(actor: Actor, before: Membership, after: Membership, path: str, *, key: str) -> dict[str, Any]:
    """Return one file of both versions: both previews, and what became of the rows if both are tables."""
    entries = [entries_of(place.version, [path]).first() for place in (before, after)]
    previews = [
        preview_of(actor, place.version, entry, {}) if entry is not None else None
        for place, entry in zip((before, after), entries, strict=True)
    ]
    pair: dict[str, Any] = {"path": path, "before": previews[0], "after": previews[1], "key": key}
    kinds = [preview.kind if preview is not None else "" for preview in previews]
    if kinds == ["image", "image"]:
        return {**pair, "is_image": True}
    if kinds == ["text", "text"]:
        texts = [
            preview.text.text for preview in previews if preview is not None and preview.text is not None
        ]
        return {**pair, "text_lines": compare_texts(*texts)}
    if kinds != ["table", "table"]:
        return pair
    tables = [
        table_of(actor, place.version, entry)
        for place, entry in zip((before, after), entries, strict=True)
        if entry is not None
    ]
    try:
        rows = apart(compare_tables, tables[0], tables[1], key)
    except DomainError as refusal:
        return {**pair, "problem": refusal.message}
    is_cut = rows.added_count + rows.removed_count + rows.changed_count > MOST_CHANGES
    return {**pair, "rows": rows, "lines": list(_lines(rows)), "is_cut": is_cut}


def _lines(rows: TableComparison) -> Iterator[ChangedLine]:
    for change in rows.changes:
        if change.before is not None:
            yield ChangedLine(change.key, _marked(rows, change, change.before), is_after=False, opens=True)
        if change.after is not None:
            cells = _marked(rows, change, change.after)
            yield ChangedLine(change.key, cells, is_after=True, opens=change.before is None)


def _marked(rows: TableComparison, change: RowChange, cells: list[Cell]) -> list[tuple[Cell, bool]]:
    return [(cell, column.name in change.changed) for column, cell in zip(rows.columns, cells, strict=True)]
