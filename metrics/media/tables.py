"""Tables that runs logged, read page by page: from the artifact that has them, else from a file of the run (RUN-42).

The file of the run has no pictures, and is read with secrets masked, as all files of runs are on pages; an artifact
is read by whoever may download it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO

import orjson
from django.utils.translation import gettext as _

from access.actor import Actor
from artifacts.pages.logged_files import LoggedFile, find_logged_files
from artifacts.pages.tables.files import whole_table_of
from artifacts.pages.tables.view import (
    ShownMedia,
    ShownRow,
    TableView,
    filters_in,
    paths_in,
    show_rows,
    view_table,
)
from artifacts.previews.cells import MediaCell, unique_names
from artifacts.previews.kinds import PreviewKind, media_type_of
from artifacts.previews.tables.csv_files import write_csv
from artifacts.previews.tables.joining import stack_tables
from artifacts.previews.tables.masked import MaskedTable
from artifacts.previews.tables.opening import open_table
from artifacts.previews.tables.pages import TableGroup, TableRow
from artifacts.previews.tables.request import TableRequest
from artifacts.previews.tables.sources import TableSource
from common.budgets.children import apart
from common.errors import Invalid, TooLarge, Unavailable
from common.formats.strict_json import strict
from metrics.media import selectors as media
from metrics.media.joined_tables import Joined, join_tables
from runs.models import Project, Run
from runs.selectors import files_of
from storage.contents.reading import content_of

MAX_RUNS = 50
TABLE_TYPES = frozenset({"table-file", "incremental-table-file", "partitioned-table", "joined-table"})
_EXACT = 2**53
"""Larger whole numbers lose digits in a browser, and are sent as text."""
LATEST = 2**62
"""Later than every step."""


@dataclass(slots=True)
class LoggedTable:
    """The table that a run has under a key."""

    run: Run
    source: TableSource | None = None
    file: LoggedFile | None = None
    """None of one that is read from a file of the run."""
    problem: str = ""
    """Why there is no source."""


def read_tables(actor: Actor, runs: Sequence[Run], key: str, step: int, file: str = "") -> list[LoggedTable]:
    """Return the tables that runs have under a key at or before a step; of runs that have none, nothing.

    Args:
        actor: Who wants to read them; the runs are of one project, and come from a visible query.
        runs: At most MAX_RUNS.
        key: Of history.
        step: Where several were logged.
        file: ``path`` or ``artifact_path`` of the one that is meant where a step has several.
    """
    values = {run: value for run in runs if (value := _value_of(run, key, step, file)) is not None}
    if not values:
        return []
    references = {_text(value, "artifact_path") for value in values.values()} - {""}
    project: Project = next(iter(values)).project
    found = find_logged_files(actor, project, references) if references else {}
    return [
        _read(actor, run, value, found.get(_text(value, "artifact_path"))) for run, value in values.items()
    ]


def _value_of(run: Run, key: str, step: int, file: str) -> dict[str, Any] | None:
    entry = media.media_at(run.pk, [key], step).get(key)
    values = list(_tables_in(orjson.loads(entry[3]))) if entry else []
    named = (value for value in values if file and file in {value.get("path"), value.get("artifact_path")})
    return next(named, values[0] if values else None)


def _tables_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for inner in value:
            yield from _tables_in(inner)
    elif isinstance(value, dict) and value.get("_type") in TABLE_TYPES:
        yield value


def _text(value: dict[str, Any], name: str) -> str:
    text = value.get(name)
    return text if isinstance(text, str) else ""


def _read(actor: Actor, run: Run, value: dict[str, Any], file: LoggedFile | None) -> LoggedTable:
    problem = _("The table was never uploaded, was deleted, or you don’t have permission to download it.")
    if file is not None:
        try:
            return LoggedTable(run, whole_table_of(actor, file.version, file.entry), file)
        except FileNotFoundError:
            pass  # the run's own file may still be there
        except (Invalid, Unavailable) as refusal:
            problem = refusal.message
    path = _text(value, "path").replace("\\", "/")  # the SDK on Windows
    row = files_of(run).filter(name=path).first() if path else None
    if row is None:
        return LoggedTable(run, file=file, problem=problem)
    try:
        return LoggedTable(
            run, MaskedTable(apart(open_table, content_of(row.blob).local_copy(), PreviewKind.TABLE))
        )
    except FileNotFoundError:
        return LoggedTable(run, file=file, problem=problem)
    except (Invalid, TooLarge, Unavailable) as refusal:
        return LoggedTable(run, file=file, problem=refusal.message)


def page_of_tables(tables: Sequence[LoggedTable], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return one page of all tables, one after the other: the first column says whose a row is.

    Args:
        tables: As `read_tables` gives them.
        asked: As `view_table` takes it; ``by_run`` groups by the first column, ``join`` names a column by whose values
            the tables of several runs are put side by side instead, if they can be.
    """
    about = [
        {"run": table.run.uid, "page": table.file.page if table.file else "", "problem": table.problem}
        for table in tables
    ]
    by_label = {label: table for label, table in _labelled(tables) if table.source is not None}
    sources = [(label, table.source) for label, table in by_label.items() if table.source is not None]
    if not sources:
        return {"tables": about, "columns": [], "rows": [], "total": 0}
    problem = ""
    if key := _join_key(asked, sources):
        try:
            return {"tables": about, **_page_of_joined(by_label, join_tables(sources, key), asked)}
        except Invalid as refusal:
            problem = refusal.message
    source = stack_tables(sources, "run")
    if asked.get("by_run"):
        asked = {**asked, "group": source.columns[0].name}
    view = view_table(source, asked, lambda rows: _show(by_label, rows))
    reply = _reply(view, {label: table.run.uid for label, table in by_label.items()})
    return {"tables": about, **reply, "problem": problem or view.problem}


def _join_key(asked: Mapping[str, Any], sources: Sequence[tuple[str, TableSource]]) -> str:
    """Return the column by which tables are to be joined; "" for a single one, which is shown as it is."""
    return str(asked.get("join", "")) if len(sources) > 1 else ""


def _page_of_joined(
    by_label: Mapping[str, LoggedTable], joined: Joined, asked: Mapping[str, Any]
) -> dict[str, Any]:
    uids = {label: table.run.uid for label, table in by_label.items()} | {"": ""}
    view = view_table(joined.source, asked, lambda rows: _show_joined(by_label, joined, rows))
    heads = [
        {"run": uids[owner], "name": name} for owner, name in zip(joined.owners, joined.names, strict=True)
    ]
    return _reply(view, {}) | {"heads": heads}


def _show_joined(
    by_label: Mapping[str, LoggedTable], joined: Joined, rows: Sequence[TableRow]
) -> list[ShownRow]:
    """Give the media of each run's columns their addresses."""
    shown = {row.number: [row.cells[0]] for row in rows}
    for label, table in by_label.items():
        for number, cells in _show_part(table, joined.parts(rows, label)):
            shown[number] += cells
    return [(row.number, shown[row.number]) for row in rows]


def _labelled(tables: Sequence[LoggedTable]) -> Iterator[tuple[str, LoggedTable]]:
    """Yield the tables with the names of their runs, to which the id is added where several have one name."""
    given = [table.run.display_name for table in tables]
    names = [
        name if given.count(name) == 1 else f"{name} ({table.run.uid})"
        for name, table in zip(given, tables, strict=True)
    ]
    yield from zip(unique_names(names), tables, strict=True)


def _show(by_label: Mapping[str, LoggedTable], rows: Sequence[TableRow]) -> list[ShownRow]:
    """Give media their addresses, for the rows of each run at once."""
    shown: dict[int, ShownRow] = {}
    for label, some in groupby(sorted(rows, key=lambda row: str(row.cells[0])), lambda row: row.cells[0]):
        shown.update({row[0]: row for row in _show_part(by_label[str(label)], list(some))})
    return [shown[row.number] for row in rows]


def _show_part(table: LoggedTable, rows: Sequence[TableRow]) -> list[ShownRow]:
    return show_rows(table.file.version, rows) if table.file else _show_of_run(table.run, rows)


def _show_of_run(run: Run, rows: Sequence[TableRow]) -> list[ShownRow]:
    paths = paths_in(rows)
    links = media.links_of(run, paths) if paths else {}

    def shown(cell: Any) -> Any:
        if isinstance(cell, MediaCell):
            link = links.get(cell.path, {"url": "", "size": 0})
            kind, media_type = cell.kind, media_type_of(cell.path)
            return [ShownMedia(kind, link["url"], cell.caption, cell.path, media_type, link["size"])]
        return [item for one in cell for item in shown(one)] if isinstance(cell, list) else cell

    return [(row.number, [shown(cell) for cell in row.cells]) for row in rows]


def _reply(view: TableView, uids: Mapping[str, str]) -> dict[str, Any]:
    groups = view.groups
    return {
        "columns": [column.name for column in view.columns],
        "rows": [
            {
                "run": uids.get(str(cells[0]), ""),
                "cells": [_json(cell) for cell in (cells[1:] if uids else cells)],
            }
            for _number, cells in view.rows
        ],
        "groups": None if groups is None else [_group(group, uids) for group in groups.groups],
        "group": view.group,
        "total": view.total,
        "next": view.next_offset,
        "previous": view.previous_offset,
        "problem": view.problem,
    }


def _group(group: TableGroup, uids: Mapping[str, str]) -> dict[str, Any]:
    numbers = {name: [one.mean, one.low, one.high] for name, one in group.numbers.items() if one.count}
    return {
        "text": group.text,
        "is_empty": group.cell is None,
        "run": uids.get(group.text, ""),
        "count": group.count,
        "numbers": numbers,
    }


def _json(cell: Any) -> Any:
    if isinstance(cell, list):
        return [
            {
                "kind": one.kind,
                "url": one.url,
                "caption": one.caption,
                "path": one.path,
                "type": one.media_type,
                "size": one.size_bytes,
            }
            for one in cell
        ]
    if isinstance(cell, int) and abs(cell) > _EXACT:
        return str(cell)
    return strict(cell)


def csv_of_tables(tables: Sequence[LoggedTable], asked: Mapping[str, Any]) -> BinaryIO:
    """Return a file of all rows that are asked for, which is gone when it is closed.

    Args:
        tables: As `read_tables` gives them.
        asked: ``find``, ``where`` and ``join``, as `page_of_tables` takes them.

    Raises:
        Invalid: no such column, no such condition, or tables that cannot be joined.
    """
    sources = [(label, table.source) for label, table in _labelled(tables) if table.source is not None]
    if not sources:
        return BytesIO()
    key = _join_key(asked, sources)
    source = join_tables(sources, key).source if key else stack_tables(sources, "run")
    filters = filters_in(str(asked.get("where", "")))
    request = TableRequest(filters=filters, search=str(asked.get("find", "")).strip())
    with NamedTemporaryFile(prefix="runyard-table-") as file:
        apart(write_csv, source, request, Path(file.name))
        return Path(file.name).open("rb")
