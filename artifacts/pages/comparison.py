"""What changed from one version to another: files, metadata, and the rows of a table that both have."""

from typing import Any

from access.actor import Actor
from artifacts.models import Entry, Membership
from artifacts.pages.preview import preview_of, table_of
from artifacts.previews.comparison import ComparedFile, compare_files, compare_metadata, compare_tables
from artifacts.selectors import entries_of
from common.errors import DomainError
from runs.run_page.value_tree import read_tree


def _files(place: Membership) -> list[ComparedFile]:
    rows = Entry.objects.filter(version=place.version_id).values_list("path", "digest", "size_bytes")
    return [ComparedFile(path, digest, size or 0) for path, digest, size in rows]


def compare_places(before: Membership, after: Membership) -> dict[str, Any]:
    """Return the context of what changed in files and metadata."""
    metadata = [read_tree(place.version.metadata_text) for place in (before, after)]
    return {"files": compare_files(_files(before), _files(after)), "metadata": compare_metadata(*metadata)}


def pair_of(actor: Actor, before: Membership, after: Membership, path: str, *, key: str) -> dict[str, Any]:
    """Return one file of both versions: both previews, and what became of the rows if both are tables."""
    entries = [entries_of(place.version, [path]).first() for place in (before, after)]
    previews = [
        preview_of(actor, place.version, entry, {}) if entry is not None else None
        for place, entry in zip((before, after), entries, strict=True)
    ]
    pair: dict[str, Any] = {"path": path, "before": previews[0], "after": previews[1], "key": key}
    if not all(preview is not None and preview.kind == "table" for preview in previews):
        return pair
    tables = [
        table_of(actor, place.version, entry)
        for place, entry in zip((before, after), entries, strict=True)
        if entry is not None
    ]
    try:
        return {**pair, "rows": compare_tables(tables[0], tables[1], key)}
    except DomainError as refusal:
        return {**pair, "problem": refusal.message}
