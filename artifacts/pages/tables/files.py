"""Tables in files of versions, with the other files that joined ones, and those in parts, name."""

from pathlib import Path

from django.utils.translation import gettext as _

from access.actor import Actor
from artifacts.access import ArtifactAction, require_for
from artifacts.manifests.ids import version_key_of_reference
from artifacts.models import Entry, Version
from artifacts.previews.errors import UnreadablePreview
from artifacts.previews.kinds import PreviewKind, kind_of_file, kind_of_name
from artifacts.previews.tables.joining import JoinedTable, PartitionedTable
from artifacts.previews.tables.opening import open_table
from artifacts.previews.tables.sources import TableSource
from artifacts.previews.tables.wandb_tables import (
    in_increment_order,
    read_joined_table,
    read_partitioned_table,
)
from artifacts.selectors import entries_of, versions_seen
from common.budgets.children import apart
from common.errors import DomainError, TooLarge
from storage.contents.reading import content_of
from storage.models import Blob

_DEEPEST = 4
"""Tables that name tables, one by the other."""
_MOST_PARTS = 500
_INCREMENTAL_TYPE = "wandb-run-incremental-table"
"""Source: ART_TYPE in wandb/sdk/internal/incremental_table_util.py."""


def file_of(blob: Blob) -> Path:
    """Return a file with the content of a table.

    Raises:
        UnreadablePreview: it lies in a bucket and is larger than what is fetched to be looked at.
        FileNotFoundError: it is gone.
    """
    try:
        return content_of(blob).local_copy()
    except TooLarge as refusal:
        raise UnreadablePreview(refusal.message) from None


def find_referenced(actor: Actor, entry: Entry, action: ArtifactAction) -> tuple[Version, Entry] | None:
    """Return the file of another artifact that a reference names, where the actor may do this; else None."""
    pk, path = version_key_of_reference(entry.reference)
    version = versions_seen(actor, action).filter(pk=pk).first() if pk else None
    target = entries_of(version, [path]).first() if version is not None else None
    if version is None or target is None or target.content is None:
        return None
    return version, target


def table_of(actor: Actor, version: Version, entry: Entry, depth: int = 0) -> TableSource:
    """Return the table in a file, or the one that a joined or partitioned table names.

    Args:
        actor: Who reads it.
        version: Whose file it is.
        entry: The file.
        depth: How many tables led here: two that name each other would lead on for ever.

    Raises:
        UnreadablePreview: it is none, or names what is not there.
    """
    if depth > _DEEPEST:
        raise UnreadablePreview(
            _("“%(path)s” refers to too many other tables, or to itself.") % {"path": entry.path}
        )
    if entry.content is None:
        return _referenced(actor, entry, depth)
    kind = kind_of_file(entry.path, content_of(entry.content.blob))
    content = file_of(entry.content.blob)
    if kind == PreviewKind.JOINED_TABLE:
        joined = apart(read_joined_table, content)
        left, right = (_table_at(actor, version, path, depth + 1) for path in (joined.left, joined.right))
        return JoinedTable(left, right, joined.left_key, joined.right_key)
    if kind == PreviewKind.PARTITIONED_TABLE:
        folder = apart(read_partitioned_table, content).rstrip("/") + "/"
        parts = list(entries_of(version, prefix=folder)[:_MOST_PARTS])
        by_path = {part.path: part for part in parts if part.path.endswith(".table.json")}
        return PartitionedTable(
            [table_of(actor, version, by_path[path], _DEEPEST) for path in in_increment_order(list(by_path))]
        )
    return apart(open_table, content, kind)


def whole_table_of(actor: Actor, version: Version, entry: Entry) -> TableSource:
    """As `table_of`; of a table that is logged in increments, all that the version has, not only this one's rows."""
    key = entry.path.partition(".")[2]
    if version.collection.type.name != _INCREMENTAL_TYPE or kind_of_name(entry.path) != PreviewKind.TABLE:
        return table_of(actor, version, entry)
    parts = {part.path: part for part in entries_of(version) if part.path.partition(".")[2] == key}
    return PartitionedTable(
        [table_of(actor, version, parts[path]) for path in in_increment_order(list(parts))[:_MOST_PARTS]]
    )


def _table_at(actor: Actor, version: Version, path: str, depth: int) -> TableSource:
    entry = entries_of(version, [path]).first()
    if entry is None:
        raise UnreadablePreview(
            _("The file “%(path)s”, which this table refers to, is missing.") % {"path": path}
        )
    return table_of(actor, version, entry, depth)


def _referenced(actor: Actor, entry: Entry, depth: int) -> TableSource:
    """Follow a reference to a file of another artifact, as far as the actor may download it."""
    found = find_referenced(actor, entry, ArtifactAction.VIEW)
    if found is None:
        raise UnreadablePreview(_("The table “%(path)s” is stored elsewhere.") % {"path": entry.path})
    version, target = found
    try:
        require_for(actor, ArtifactAction.DOWNLOAD, version)
    except DomainError:
        raise UnreadablePreview(
            _("You don’t have permission to download the artifact that contains “%(path)s”.")
            % {"path": entry.path}
        ) from None
    return table_of(actor, version, target, depth)
