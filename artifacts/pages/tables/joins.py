"""A table joined by hand with another one: of the same version, or of another of the project."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from access.actor import Actor
from artifacts.access import ArtifactAction, require_for
from artifacts.models import Version
from artifacts.pages.tables.files import table_of
from artifacts.pages.tables.view import ShownRow, ShowRows, show_rows
from artifacts.previews.cells import Column
from artifacts.previews.kinds import kind_of_name
from artifacts.previews.tables.joining import JoinedTable
from artifacts.previews.tables.opening import ALL_TABLE_KINDS
from artifacts.previews.tables.pages import TableRow
from artifacts.previews.tables.sources import TableSource
from artifacts.selectors import collections_of, entries_of, get_membership
from common.errors import DomainError, NotFound
from runs.models import Project

_MOST_SUGGESTED = 200
_MOST_LOOKED_AT = 5000
"""Paths among which tables are looked for; others can be typed."""


@dataclass(slots=True)
class TableJoin:
    """What is joined, and what the page offers to choose."""

    source: TableSource
    """The table itself as long as there is nothing to join it with."""
    show: ShowRows
    columns: tuple[Column, ...]
    """Those of the table itself."""
    is_open: bool = False
    """Whether a join was begun."""
    version: str = ""
    """``name:alias`` as it was given; "" is the version of the table itself."""
    path: str = ""
    left: str = ""
    right: str = ""
    is_inner: bool = False
    versions: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    other_columns: tuple[Column, ...] = ()
    """Those of the other table, once it was read."""
    problem: str = ""
    """Why nothing is joined."""


def join_by_hand(
    actor: Actor, project: Project, version: Version, source: TableSource, asked: Mapping[str, Any]
) -> TableJoin:
    """Join a table with the one that a page asks for.

    Args:
        actor: Who may download the version; is asked for the other one again.
        project: Where the other version is.
        version: Has the table.
        source: The table.
        asked: ``join`` is the path of the other one, ``with`` its version, ``left`` and ``right`` the columns, ``how``
            is "inner" for pairs only.
    """
    join = TableJoin(source, partial(show_rows, version), source.columns)
    if "join" not in asked:
        return join
    join.is_open = True
    join.version, join.path = str(asked.get("with", "")).strip(), str(asked["join"]).strip()
    join.left, join.right = str(asked.get("left", "")), str(asked.get("right", ""))
    join.is_inner = asked.get("how") == "inner"
    rows = collections_of(actor, project).values_list("name", flat=True)[:_MOST_SUGGESTED]
    join.versions = [f"{name}:latest" for name in rows]
    try:
        _join(join, actor, project, version)
    except DomainError as refusal:
        join.problem = refusal.message
    except FileNotFoundError:
        join.problem = _("The content of this file was deleted from the server.")
    return join


def _join(join: TableJoin, actor: Actor, project: Project, version: Version) -> None:
    other = get_membership(actor, project, join.version).version if join.version else version
    require_for(actor, ArtifactAction.DOWNLOAD, other)
    paths = entries_of(other).values_list("path", flat=True)[:_MOST_LOOKED_AT]
    join.paths = [path for path in paths if kind_of_name(path) in ALL_TABLE_KINDS][:_MOST_SUGGESTED]
    if not join.path:
        return
    entry = entries_of(other, [join.path]).first()
    if entry is None:
        raise NotFound(_("The version has no file “%(path)s”.") % {"path": join.path})
    right = table_of(actor, other, entry)
    join.other_columns = right.columns
    _choose_columns(join)
    if not (join.left and join.right):
        return
    own = join.source
    join.source = JoinedTable(own, right, join.left, join.right, is_outer=not join.is_inner)
    join.show = partial(_show_both, version, other, len(own.columns))


def _choose_columns(join: TableJoin) -> None:
    """Join by a column that both tables have, unless others were chosen; none of another table is kept."""
    mine, theirs = [[one.name for one in columns] for columns in (join.columns, join.other_columns)]
    shared = next((name for name in mine if name in theirs), "")
    if join.left not in mine:
        join.left = shared
    if join.right not in theirs:
        join.right = join.left if join.left in theirs else ""


def _show_both(left: Version, right: Version, width: int, rows: Sequence[TableRow]) -> list[ShownRow]:
    """Look up the media of each side among the files of its own version."""
    sides = [
        show_rows(left, [TableRow(row.number, row.cells[:width]) for row in rows]),
        show_rows(right, [TableRow(row.number, row.cells[width:]) for row in rows]),
    ]
    return [(mine[0], [*mine[1], *theirs[1]]) for mine, theirs in zip(*sides, strict=True)]
