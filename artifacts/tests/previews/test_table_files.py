"""Tables are read as they were written, whatever wrote them, and what is damaged is refused."""

import json
import math
import tempfile
import tracemalloc
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from artifacts.previews.cells import Column, ColumnKind
from artifacts.previews.errors import MIB, UnreadablePreview
from artifacts.previews.kinds import PreviewKind
from artifacts.previews.tables import json_reader, parquet_tables, sources
from artifacts.previews.tables.json_reader import JsonReader
from artifacts.previews.tables.opening import TABLE_KINDS, open_table
from artifacts.previews.tables.pages import read_page
from artifacts.previews.tables.request import CellFilter, CellOperator, TableRequest
from artifacts.previews.tables.wandb_tables import (
    JoinedTableFile,
    in_increment_order,
    read_joined_table,
    read_partitioned_table,
)
from artifacts.tests.previews.tables import wandb_table, written
from tests.suite.examples import examples

IMAGE = {"_type": "image-file", "path": "media/images/a.png", "sha256": "00", "width": 4, "height": 4}


def is_nan(value) -> bool:
    return isinstance(value, float) and math.isnan(value)


class TestTablesOfWandb:
    def test_rows_and_kinds(self, tmp_path):
        optional = {
            "params": {"allowed_types": [{"wb_type": "none"}, {"wb_type": "number"}]},
            "wb_type": "union",
        }
        mixed = {
            "params": {"allowed_types": [{"wb_type": "string"}, {"wb_type": "number"}]},
            "wb_type": "union",
        }
        grid = {"params": {"serialization_path": {"key": "grid", "path": "a.npz"}}, "wb_type": "ndarray"}
        types = {
            "id": "primaryKey", "img": "image-file", "7": optional, "when": "timestamp", "m": mixed, "grid": grid,
        }  # fmt: skip
        names = ["id", "img", 7, "when", "m", "grid"]
        data: list[list[Any]] = [
            ["a", IMAGE, float("nan"), 1704067200000, 1, None],
            ["b", None, 5, None, "x", None],
        ]
        table = open_table(wandb_table(tmp_path, names, data, types), PreviewKind.TABLE)
        assert table.columns == (
            Column("id", ColumnKind.TEXT), Column("img", ColumnKind.MEDIA), Column("7", ColumnKind.NUMBER),
            Column("when", ColumnKind.TIME), Column("m", ColumnKind.ANY),
            Column("grid", ColumnKind.LIST, "a.npz"),
        )  # fmt: skip
        first, second = table.rows()
        assert first[:2] == ["a", IMAGE]
        assert is_nan(first[2])
        assert first[3:] == ["2024-01-01", 1, None]
        assert second == ["b", None, 5, None, "x", None]
        assert table.row_count == 2

    def test_a_table_of_a_run_has_no_types_and_may_name_its_columns_last(self, tmp_path):
        for text in (
            '{"columns": ["a", "a"], "data": [[1, 2]]}',
            '{"data": [[1, 2]], "columns": ["a", "a"]}',
        ):
            table = open_table(written(tmp_path, text), PreviewKind.TABLE)
            assert [column.name for column in table.columns] == ["a", "a (2)"]
            assert list(table.rows()) == [[1, 2]]
            assert table.row_count is None

    def test_a_row_that_is_too_short_or_too_long_is_fitted(self, tmp_path):
        table = open_table(wandb_table(tmp_path, ["a", "b"], [[1], [1, 2, 3]]), PreviewKind.TABLE)
        assert list(table.rows()) == [[1, None], [1, 2]]

    def test_an_increment_says_how_many_rows_it_has(self, tmp_path):
        said = {"columns": ["a"], "data": [[1]], "nrows": 1, "previous_increments_paths": ["x"]}
        assert open_table(written(tmp_path, json.dumps(said)), PreviewKind.TABLE).row_count == 1

    def test_a_long_table_is_read_in_pieces(self, tmp_path, monkeypatch):
        """A page of the middle of it never holds much more than a piece of the text."""
        monkeypatch.setattr(json_reader, "_CHUNK", 4096)
        data = [[number, "x" * 100, number / 7] for number in range(50_000)]
        path = wandb_table(tmp_path, ["n", "text", "ratio"], data)
        tracemalloc.start()
        table = open_table(path, PreviewKind.TABLE)
        assert next(table.rows(40_000)) == data[40_000]
        assert tracemalloc.get_traced_memory()[1] < 1024 * 1024
        tracemalloc.stop()
        assert path.stat().st_size > 6_000_000

    @pytest.mark.parametrize(
        "text",
        ["", "[]", "{}", "{", "{1: 2}", '{"columns": [], ', '{"columns": ["a"]}', '{"columns" ["a"]}',
         '{"columns": 1, "data": []}', '{"data": [1], "columns": ["a"]}', '{"columns": ["a"], "data": 1}'],
    )  # fmt: skip
    def test_what_is_no_table_is_refused(self, tmp_path, text):
        path = written(tmp_path, text)
        with pytest.raises(UnreadablePreview):
            list(open_table(path, PreviewKind.TABLE).rows())

    def test_a_table_that_is_cut_off_gives_the_rows_before(self, tmp_path):
        rows = open_table(written(tmp_path, '{"columns": ["a"], "data": [[1], [2'), PreviewKind.TABLE).rows()
        assert next(rows) == [1]
        with pytest.raises(UnreadablePreview, match="truncated"):
            next(rows)

    def test_rows_that_are_nested_deeply_are_refused(self, tmp_path):
        for depth in (300, 100_000):
            text = '{"columns": ["a"], "data": [' + "[" * depth + "]" * depth + "]}"
            with pytest.raises(UnreadablePreview):
                list(open_table(written(tmp_path, text), PreviewKind.TABLE).rows())

    def test_more_columns_than_are_shown(self, tmp_path):
        with pytest.raises(UnreadablePreview, match="1001 columns; at most 1000"):
            open_table(wandb_table(tmp_path, list(range(1001)), []), PreviewKind.TABLE)

    def test_files_that_name_other_tables(self, tmp_path):
        joined = {
            "_type": "joined-table",
            "table1": "a.table.json",
            "table2": "b.table.json",
            "join_key": "id",
        }
        path = written(tmp_path, json.dumps(joined))
        assert read_joined_table(path) == JoinedTableFile("a.table.json", "b.table.json", "id", "id")
        path = written(tmp_path, json.dumps(joined | {"join_key": ["id", "uid"]}))
        assert read_joined_table(path).right_key == "uid"
        path = written(tmp_path, '{"_type": "partitioned-table", "parts_path": "parts"}')
        assert read_partitioned_table(path) == "parts"

    @pytest.mark.parametrize(
        "text", ["", "1", "{}", '{"table1": "a", "table2": 2, "join_key": "x", "parts_path": 1}', "x" * 2**21]
    )
    def test_files_that_name_none_are_refused(self, tmp_path, text):
        path = written(tmp_path, text)
        for read in (read_joined_table, read_partitioned_table):
            with pytest.raises(UnreadablePreview):
                read(path)

    def test_increments_come_as_they_were_logged(self):
        names = ["10-5.k.table.json", "2-9.k.table.json", "2-10.k.table.json", "0.table.json"]
        assert in_increment_order(names) == [
            "0.table.json", "2-9.k.table.json", "2-10.k.table.json", "10-5.k.table.json",
        ]  # fmt: skip


class TestCsv:
    def test_numbers_are_numbers_where_the_whole_column_has_them(self, tmp_path):
        text = 'id,zip,loss,"a, b"\r\n1,01234,0.5,x\r\n2,99999,,"two\nlines"\r\n\r\n3,1,1e-3,""\r\n'
        table = open_table(written(tmp_path, text), PreviewKind.CSV)
        assert table.columns == (
            Column("id", ColumnKind.NUMBER), Column("zip", ColumnKind.TEXT),
            Column("loss", ColumnKind.NUMBER), Column("a, b", ColumnKind.TEXT),
        )  # fmt: skip
        assert list(table.rows()) == [
            [1, "01234", 0.5, "x"], [2, "99999", None, "two\nlines"], [3, "1", 0.001, None],
        ]  # fmt: skip
        assert list(table.rows(2)) == [[3, "1", 0.001, None]]
        assert list(table.parts_of_rows([2, 0, 2])) == [[0.5, 1, 0.5], [None, 2, None], [0.001, 3, 0.001]]

    def test_tabs_semicolons_and_a_byte_order_mark(self, tmp_path):
        assert list(open_table(written(tmp_path, "a\tb\n1,5\t2\n"), PreviewKind.TSV).rows()) == [["1,5", 2]]
        table = open_table(written(tmp_path, "\ufeffa;b\n1,5;2\n"), PreviewKind.CSV)
        assert [column.name for column in table.columns] == ["a", "b"]
        assert list(table.rows()) == [["1,5", 2]]

    def test_rows_wider_than_the_head_widen_the_table(self, tmp_path):
        table = open_table(written(tmp_path, "a\n1,2\n3\n"), PreviewKind.CSV)
        assert [column.name for column in table.columns] == ["a", "2"]
        assert list(table.rows()) == [[1, 2], [3, None]]

    def test_an_empty_file_has_no_columns(self, tmp_path):
        table = open_table(written(tmp_path, ""), PreviewKind.CSV)
        assert (table.columns, list(table.rows())) == ((), [])

    def test_a_cell_beyond_the_limit_and_a_line_beyond_the_limit(self, tmp_path, monkeypatch):
        with pytest.raises(UnreadablePreview, match="more than 131072 characters"):
            open_table(written(tmp_path, 'a\n"' + "x" * 200_000), PreviewKind.CSV)
        monkeypatch.setattr(sources, "VALUE_CHARACTERS", 1024 * 1024)
        with pytest.raises(UnreadablePreview, match="more than 1 million"):
            open_table(written(tmp_path, "1," * 600_000), PreviewKind.CSV)


class TestObjects:
    def test_a_list_of_objects_has_their_keys_as_columns(self, tmp_path):
        text = '[{"a": 1, "b": "x"}, {"b": null, "c": [1]}, 5]'
        table = open_table(written(tmp_path, text), PreviewKind.JSON)
        assert table.columns == (
            Column("a", ColumnKind.NUMBER), Column("b", ColumnKind.TEXT), Column("c", ColumnKind.LIST),
            Column("value", ColumnKind.NUMBER),
        )  # fmt: skip
        assert list(table.rows()) == [[1, "x", None, None], [None, None, [1], None], [None, None, None, 5]]

    def test_json_lines(self, tmp_path):
        path = written(tmp_path, '{"a": NaN}\n\n{"a": 2}')
        first, second = open_table(path, PreviewKind.JSON_LINES).rows()
        assert is_nan(first[0])
        assert second == [2]
        with pytest.raises(UnreadablePreview, match="Line 2 is not valid JSON"):
            open_table(written(tmp_path, '{"a": 1}\n{"a"'), PreviewKind.JSON_LINES)

    def test_an_object_is_no_table(self, tmp_path):
        with pytest.raises(UnreadablePreview):
            open_table(written(tmp_path, '{"a": 1}'), PreviewKind.JSON)


class TestParquet:
    def write(self, folder: Path, columns, **options) -> Path:
        path = folder / "file.parquet"
        pq.write_table(pa.table(columns), path, **options)
        return path

    def test_every_type_is_a_value_that_pages_show(self, tmp_path):
        path = self.write(
            tmp_path,
            {
                "n": pa.array([1, None], pa.int64()),
                "x": pa.array([0.5, float("nan")]),
                "ok": pa.array([True, None]),
                "name": pa.array(["a", "b"]).dictionary_encode(),
                "price": pa.array([Decimal("1.50"), None]),
                "at": pa.array(
                    [datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=UTC), None], pa.timestamp("ns", "UTC")
                ),
                "far": pa.array([2**60, None], pa.timestamp("ms")),
                "day": pa.array([date(2024, 1, 2), None]),
                "raw": pa.array([b"abc", None]),
                "image": pa.array([{"bytes": b"abcd", "path": "a.png"}, None]),
                "tags": pa.array([["a"], []]),
            },
        )
        table = open_table(path, PreviewKind.PARQUET)
        assert table.row_count == 2
        assert {column.name: str(column.kind) for column in table.columns} == {
            "n": "number", "x": "number", "ok": "boolean", "name": "text", "price": "number", "at": "time",
            "far": "time", "day": "time", "raw": "any", "image": "object", "tags": "list",
        }  # fmt: skip
        first, second = table.rows()
        far = first.pop(6)
        assert first == [
            1, 0.5, True, "a", 1.5, "2024-01-02T03:04:05.000006+00:00", "2024-01-02",
            {"_type": "bytes", "size": 3}, {"bytes": {"_type": "bytes", "size": 4}, "path": "a.png"}, ["a"],
        ]  # fmt: skip
        assert isinstance(far, str)
        assert second[2:-1] == [None, "b", *[None] * 6]

    def test_only_the_row_groups_of_the_page_are_read(self, tmp_path):
        path = self.write(tmp_path, {"n": list(range(10_000))}, row_group_size=100, use_dictionary=False)
        content = bytearray(path.read_bytes())
        first = pq.ParquetFile(path).metadata.row_group(0).column(0)
        content[first.data_page_offset : first.data_page_offset + 20] = b"\xff" * 20
        path.write_bytes(content)
        table = open_table(path, PreviewKind.PARQUET)
        assert [row[0] for row in table.rows(9_998)] == [9_998, 9_999]
        assert next(table.rows(150)) == [150]
        with pytest.raises(UnreadablePreview, match="damaged"):
            next(table.rows())

    def test_sorting_reads_its_columns_and_then_the_rows_of_the_page(self, tmp_path):
        rows = [{"n": number % 700, "a": {"b": number}, "a.b": None} for number in range(3000)]
        path = tmp_path / "file.parquet"
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=1100)
        table = open_table(path, PreviewKind.PARQUET)
        request = TableRequest(
            sort=(("n", True),), filters=(CellFilter("n", CellOperator.LESS, "699"),), limit=6
        )
        page = read_page(table, request)
        assert [row.number for row in page.rows] == [698, 1398, 2098, 2798, 697, 1397]
        assert page.rows[3].cells == [698, '{"b": 2798}', None]
        assert page.total == 2996
        assert read_page(table, TableRequest(search="2999")).rows[0].number == 2999
        assert table.pick([]) == {}

    def test_a_column_that_may_fill_the_memory_is_refused(self, tmp_path, monkeypatch):
        monkeypatch.setattr(parquet_tables, "_COLUMN_BYTES", MIB)
        table = open_table(
            self.write(tmp_path, {"x": ["x" * (3 * MIB)]}, use_dictionary=False), PreviewKind.PARQUET
        )
        with pytest.raises(UnreadablePreview, match="a column of 3 MiB; at most 1 MiB"):
            next(table.rows())

    def test_content_that_is_gone_is_no_damaged_file(self, tmp_path):
        for kind in TABLE_KINDS:
            with pytest.raises(FileNotFoundError):
                open_table(tmp_path / "gone", kind)


def test_other_kinds_are_no_tables(tmp_path):
    with pytest.raises(UnreadablePreview, match="not a table"):
        open_table(written(tmp_path, "a"), PreviewKind.IMAGE)


def test_a_file_beyond_the_limit_is_not_read(tmp_path):
    path = written(tmp_path, "a\n")
    with path.open("r+b") as file:
        file.truncate(sources.TABLE_BYTES + 1)
    for kind in TABLE_KINDS - {PreviewKind.PARQUET}:
        with pytest.raises(UnreadablePreview, match="the limit is 256 MiB"):
            open_table(path, kind)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    rows=st.lists(st.lists(VALUES, min_size=2, max_size=2), max_size=6),
    chunk=st.integers(1, 9),
    indent=st.sampled_from([None, 1]),
)
@settings(deadline=None)
def test_json_is_read_the_same_in_pieces_of_any_size(rows, chunk, indent):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_reader, "_CHUNK", chunk)
        path = written(Path(folder), json.dumps(rows, indent=indent))
        with JsonReader(path) as reader:
            assert list(reader.items()) == json.loads(json.dumps(rows))


def parquet_bytes() -> bytes:
    file = pa.BufferOutputStream()
    pq.write_table(pa.table({"n": [1, 2, 3], "s": ["a", None, "c"]}), file)
    return bytes(file.getvalue().to_pybytes())


WHOLE = {
    PreviewKind.TABLE: b'{"columns": ["a", "b"], "data": [[1, "x"], [NaN, {"_type": "image-file"}]], "nrows": 2}',
    PreviewKind.CSV: b'a,b\n1,"x"\n2,"y, z"\n',
    PreviewKind.TSV: b"a\tb\n1\tx\n",
    PreviewKind.JSON: b'[{"a": 1}, {"b": [1, 2]}]',
    PreviewKind.JSON_LINES: b'{"a": 1}\n{"b": "\xc3\xa4"}\n',
    PreviewKind.PARQUET: parquet_bytes(),
}


@pytest.mark.parametrize("kind", sorted(TABLE_KINDS))
@given(data=st.data())
@settings(deadline=None, max_examples=examples(50))
def test_whatever_is_damaged_gives_rows_of_one_width_or_is_refused(kind, data):
    content = bytearray(WHOLE[kind])
    for place, byte in data.draw(
        st.lists(st.tuples(st.integers(0, len(content)), st.integers(0, 255)), max_size=4)
    ):
        content[place : place + 1] = bytes([byte])
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), bytes(content[: data.draw(st.integers(0, len(content)))]))
        try:
            table = open_table(path, kind)
            widths = {len(row) for row in table.rows()}
        except UnreadablePreview:
            return
        assert widths <= {len(table.columns)}
