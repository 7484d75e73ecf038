"""What the page shows of one file: a picture, a text, a table, the header of weights. All of it is a download."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from access.actor import Actor
from artifacts.access import ArtifactAction, require_for
from artifacts.models import Entry, Version
from artifacts.pages.tables.files import file_of, find_referenced, table_of
from artifacts.pages.tables.joins import TableJoin, join_by_hand
from artifacts.pages.tables.view import TableView, show_rows, view_table
from artifacts.previews.kinds import PreviewKind, kind_of_file, media_type_of
from artifacts.previews.tables.json_reader import has_rows
from artifacts.previews.tables.opening import ALL_TABLE_KINDS
from artifacts.previews.tensors import TensorListing
from artifacts.previews.weights import WEIGHTS_KINDS, read_weights
from common.errors import Invalid, TooManyRequests, Unavailable
from runs.files.text_preview import TextPreview, read_text_preview
from runs.models import Project
from storage.contents.reading import content_of
from storage.signed_urls import tickets

_MEDIA = {PreviewKind.IMAGE, PreviewKind.AUDIO, PreviewKind.VIDEO}


@dataclass(slots=True)
class Preview:
    """What is shown of a file."""

    entry: Entry
    kind: str
    url: str = ""
    text: TextPreview | None = None
    weights: TensorListing | None = None
    table: TableView | None = None
    join: TableJoin | None = None
    problem: str = ""
    """Why there is nothing to see."""


def preview_of(
    actor: Actor,
    version: Version,
    entry: Entry,
    asked: Mapping[str, Any],
    project: Project | None = None,
) -> Preview:
    """Return what is shown of an entry.

    Args:
        actor: Who sees it.
        version: Has the entry.
        entry: A file, or a reference.
        asked: Which rows of a table, and with which other it is joined.
        project: Whose other artifacts a table may be joined with.

    Raises:
        Forbidden: the actor may not download the version.
    """
    require_for(actor, ArtifactAction.DOWNLOAD, version)
    try:
        return _preview(actor, version, entry, asked, project)
    except (Invalid, TooManyRequests, Unavailable) as refusal:  # the rest of the page needs no bucket
        return Preview(entry, "none", problem=refusal.message)
    except FileNotFoundError:
        return Preview(entry, "none", problem=_("The content of this file was deleted from the server."))


def _preview(
    actor: Actor,
    version: Version,
    entry: Entry,
    asked: Mapping[str, Any],
    project: Project | None,
) -> Preview:
    if entry.content is None:
        return _referenced(actor, entry, asked, project)
    blob = entry.content.blob
    content = content_of(blob)
    kind = kind_of_file(entry.path, content)
    if kind in _MEDIA:
        media_type = media_type_of(entry.path)
        return Preview(entry, kind, tickets.get_path(blob, name=entry.path, content_type=media_type))
    if kind in WEIGHTS_KINDS:
        where = file_of(blob) if content.bucket_id is None else content
        return Preview(entry, "weights", weights=read_weights(kind, where, content.size_bytes))
    if kind in ALL_TABLE_KINDS and (kind != PreviewKind.JSON or has_rows(file_of(blob))):
        return _table_preview(actor, version, entry, asked, project)
    if kind == PreviewKind.NONE:
        return Preview(entry, "none")
    size = entry.size_bytes or 0
    text = read_text_preview(content, name=entry.path, size_bytes=size, revealed=True)
    return Preview(entry, "none" if text is None else "text", text=text)


def _referenced(actor: Actor, entry: Entry, asked: Mapping[str, Any], project: Project | None) -> Preview:
    """Show the file of another artifact that a reference names, as the SDK adds a table to a second artifact."""
    found = find_referenced(actor, entry, ArtifactAction.DOWNLOAD)
    if found is None:
        return Preview(entry, "reference")
    return replace(_preview(actor, *found, asked, project), entry=entry)


def _table_preview(
    actor: Actor,
    version: Version,
    entry: Entry,
    asked: Mapping[str, Any],
    project: Project | None,
) -> Preview:
    source = table_of(actor, version, entry)
    if project is None:
        return Preview(entry, "table", table=view_table(source, asked, partial(show_rows, version)))
    join = join_by_hand(actor, project, version, source, asked)
    return Preview(entry, "table", table=view_table(join.source, asked, join.show), join=join)
