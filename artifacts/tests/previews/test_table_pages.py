"""Pages, groups and joins of tables."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from artifacts.previews.cells import MediaCell, cell_of, identity, sort_key, unique_names
from artifacts.previews.errors import UnreadablePreview
from artifacts.previews.tables import joining, pages
from artifacts.previews.tables.joining import JoinedTable, PartitionedTable
from artifacts.previews.tables.pages import COUNT, read_groups, read_page
from artifacts.previews.tables.request import CellFilter, CellOperator, TableRequest
from artifacts.tests.previews.tables import ListedTable
from common.errors import Invalid

NAN = float("nan")
MIXED = ListedTable(
    ["a", "n"], [["b", 0], [2, 1], [None, 2], [True, 3], [1.5, 4], ["a", 5], [NAN, 6], [[1], 7]]
)


def numbers(page) -> list[int]:
    return [row.number for row in page.rows]


def filtered(source, *filters: tuple[str, CellOperator, str], **more) -> list[int]:
    return numbers(
        read_page(source, TableRequest(filters=tuple(CellFilter(*one) for one in filters), **more))
    )


class TestPages:
    def test_a_page_says_whether_there_is_more_and_how_many_if_it_is_known(self):
        rows = [[number] for number in range(5)]
        page = read_page(ListedTable(["n"], rows), TableRequest(offset=1, limit=2))
        assert ([row.cells for row in page.rows], numbers(page)) == ([[1], [2]], [1, 2])
        assert (page.total, page.has_more) == (None, True)
        assert read_page(ListedTable(["n"], rows, row_count=5), TableRequest(limit=2)).total == 5
        last = read_page(ListedTable(["n"], rows), TableRequest(offset=3, limit=2))
        assert (last.total, last.has_more) == (5, False)
        beyond = read_page(ListedTable(["n"], rows), TableRequest(offset=9))
        assert (beyond.rows, beyond.total, beyond.has_more) == ([], None, False)

    @pytest.mark.parametrize(
        ("falling", "order"), [(False, [4, 1, 5, 0, 3, 7, 2, 6]), (True, [7, 3, 0, 5, 1, 4, 2, 6])]
    )
    def test_sorting_is_by_type_then_by_value_and_null_is_last_both_ways(self, falling, order):
        assert numbers(read_page(MIXED, TableRequest(sort=(("a", falling),)))) == order

    @pytest.mark.parametrize(
        ("search", "found"),
        [("1.5", [0]), ("e+22", [1]), ("NAN", [2]), ("inf", [3]), ("12 a", [4]), ("2", [1, 4])],
    )
    def test_a_search_finds_numbers_as_they_are_written(self, search, found):
        cells = [1.5, 1e22, NAN, float("inf"), "12 A", True]
        table = ListedTable(["a"], [[cell] for cell in cells])
        assert numbers(read_page(table, TableRequest(search=search))) == found

    def test_rows_of_stacked_tables_are_picked_by_part_even_if_a_file_is_wrong_about_its_rows(self):
        for counted in (2, 1, 7):
            parts = [
                ListedTable(["n"], [[3], [1]], row_count=counted),
                ListedTable(["n"], [[2]], row_count=1),
            ]
            page = read_page(joining.stack_tables([("x", parts[0]), ("y", parts[1])], "run"), TableRequest(
                sort=(("n", False),)
            ))  # fmt: skip
            assert len(page.rows) == 3
            assert counted != 2 or [row.cells for row in page.rows] == [["x", 1], ["y", 2], ["x", 3]]

    def test_sorting_by_two_columns_and_paging(self):
        table = ListedTable(["a", "b"], [[1, "x"], [2, "y"], [1, "z"], [2, "w"], [1, "x"]])
        request = TableRequest(sort=(("a", True), ("b", False)))
        assert numbers(read_page(table, request)) == [3, 1, 0, 4, 2]
        page = read_page(table, TableRequest(sort=request.sort, offset=1, limit=2))
        assert (numbers(page), page.total, page.has_more) == ([1, 0], 5, True)

    @pytest.mark.parametrize(
        ("operator", "value", "found"),
        [
            (CellOperator.EQUAL, "2", [1]), (CellOperator.EQUAL, "2.0", [1]), (CellOperator.EQUAL, "a", [5]),
            (CellOperator.EQUAL, "true", [3]), (CellOperator.EQUAL, "[1]", [7]), (CellOperator.EQUAL, "NaN", [6]),
            (CellOperator.UNEQUAL, "2", [0, 2, 3, 4, 5, 6, 7]), (CellOperator.LESS, "2", [4]),
            (CellOperator.AT_MOST, "2", [1, 4]), (CellOperator.GREATER, "1.5", [0, 1, 5]),
            (CellOperator.AT_LEAST, "b", [0]), (CellOperator.CONTAINS, "A", [5, 6]), (CellOperator.EMPTY, "", [2]),
            (CellOperator.NOT_EMPTY, "", [0, 1, 3, 4, 5, 6, 7]), (CellOperator.MATCHES, "^(a|2)$", [1, 5]),
        ],
    )  # fmt: skip
    def test_filters_compare_by_type(self, operator, value, found):
        assert filtered(MIXED, ("a", operator, value)) == found

    def test_all_filters_and_the_search_have_to_be_met(self):
        assert filtered(MIXED, ("a", CellOperator.NOT_EMPTY, ""), ("n", CellOperator.LESS, "4")) == [0, 1, 3]
        assert filtered(MIXED, ("n", CellOperator.LESS, "4"), search="TRUE") == [3]
        page = read_page(
            MIXED, TableRequest(filters=(CellFilter("n", CellOperator.LESS, "4"),), offset=1, limit=2)
        )
        assert (numbers(page), page.total, page.has_more) == ([1, 2], 4, True)

    @pytest.mark.parametrize(
        ("request_", "says"),
        [
            (TableRequest(limit=501), "1 to 500 rows"), (TableRequest(offset=-1), "1 to 500 rows"),
            (TableRequest(sort=(("a", False),) * 6), "at most 5 columns"),
            (TableRequest(filters=(CellFilter("a", CellOperator.EMPTY),) * 21), "at most 20 conditions"),
            (TableRequest(search="x" * 1001), "at most 1000 characters"),
            (TableRequest(sort=(("x", False),)), "no column x"),
            (TableRequest(filters=(CellFilter("x", CellOperator.EMPTY),)), "no column x"),
            (TableRequest(sort=(("a", False),), offset=100_000), "first 100,000 rows"),
        ],
    )  # fmt: skip
    def test_a_request_over_a_limit_is_refused(self, request_, says):
        with pytest.raises(Invalid, match=says):
            read_page(MIXED, request_)

    def test_a_table_of_too_many_rows_is_paged_but_not_sorted(self, monkeypatch):
        monkeypatch.setattr(pages, "MOST_SCANNED", 3)
        table = ListedTable(["n"], [[number] for number in range(4)])
        assert numbers(read_page(table, TableRequest(offset=3))) == [3]
        with pytest.raises(Invalid, match="up to 3 rows can be sorted"):
            read_page(table, TableRequest(sort=(("n", False),)))

    @given(
        st.lists(
            st.none() | st.integers(-3, 3) | st.text("ab", max_size=2) | st.booleans() | st.just(NAN),
            max_size=20,
        ),
        st.booleans(),
        st.integers(1, 7),
    )
    @settings(deadline=None)
    def test_pages_of_a_sorted_table_have_each_row_once_in_order(self, values, falling, limit):
        table = ListedTable(["a"], [[value] for value in values])
        whole = numbers(read_page(table, TableRequest(sort=(("a", falling),))))
        parts = [
            number
            for offset in range(0, len(values), limit)
            for number in numbers(
                read_page(table, TableRequest(sort=(("a", falling),), offset=offset, limit=limit))
            )
        ]
        assert parts == whole
        assert sorted(whole) == list(range(len(values)))
        ranks = [sort_key(values[number]) for number in whole]
        there = [rank for rank in ranks if rank is not None]
        assert there == sorted(there, reverse=falling)
        assert ranks[: len(there)] == there


class TestGroups:
    def test_groups_have_counts_and_means_of_finite_numbers(self):
        rows: list[list[Any]] = [
            ["x", 1, "t", NAN],
            ["y", 5, "t", 2],
            ["x", 2, "t", None],
            [None, True, "t", 4],
        ]
        page = read_groups(ListedTable(["k", "n", "t", "m"], rows), TableRequest(), "k")
        assert [(group.cell, group.count) for group in page.groups] == [("x", 2), ("y", 1), (None, 1)]
        assert [column.name for column in page.columns] == ["n", "m"]
        x, y, none = page.groups
        assert (x.numbers["n"].mean, x.numbers["n"].low, x.numbers["n"].high, x.numbers["n"].count) == (
            1.5,
            1,
            2,
            2,
        )
        assert "m" not in x.numbers
        assert (y.numbers["m"].mean, list(none.numbers)) == (2, ["m"])
        assert page.total == 3

    def test_groups_are_sorted_by_count_or_mean_and_paged(self):
        table = ListedTable(["k", "n"], [["a", 1], ["b", 9], ["b", 5], ["c", None], ["d", 8]])
        by_count = read_groups(table, TableRequest(sort=((COUNT, True), ("k", False)), limit=2), "k")
        assert ([group.cell for group in by_count.groups], by_count.total) == (["b", "a"], 4)
        by_mean = read_groups(table, TableRequest(sort=(("n", True),)), "k")
        assert [group.cell for group in by_mean.groups] == ["d", "b", "a", "c"]

    def test_equal_numbers_are_one_group_and_true_is_not_one(self):
        table = ListedTable(["k"], [[1], [1.0], [True], ["1"], [NAN], [NAN], [None], [[1]], ["[1]"]])
        assert [group.count for group in read_groups(table, TableRequest(), "k").groups] == [
            2,
            1,
            1,
            1,
            1,
            2,
            1,
        ]

    def test_the_text_of_a_group_finds_its_rows(self):
        for group in read_groups(MIXED, TableRequest(), "a").groups:
            operator = CellOperator.EMPTY if group.cell is None else CellOperator.EQUAL
            assert len(filtered(MIXED, ("a", operator, group.text))) == group.count

    def test_filters_come_before_groups_and_too_many_groups_are_refused(self, monkeypatch):
        table = ListedTable(["k"], [[number] for number in range(10)])
        monkeypatch.setattr(pages, "MOST_GROUPS", 5)
        with pytest.raises(Invalid, match="more than 5 different values"):
            read_groups(table, TableRequest(), "k")
        request = TableRequest(filters=(CellFilter("k", CellOperator.LESS, "5"),))
        assert read_groups(table, request, "k").total == 5


LEFT = ListedTable(["id", "x"], [["a", 1], ["b", 2], ["a", 3], [None, 4]])
RIGHT = ListedTable(["uid", "x"], [["c", 10], ["a", 20], [None, 30], ["a", 40]])


class TestJoins:
    def test_an_outer_join_has_every_row_of_both(self):
        joined = JoinedTable(LEFT, RIGHT, "id", "uid")
        assert [column.name for column in joined.columns] == ["id", "x", "x (2)"]
        assert list(joined.rows()) == [
            ["a", 1, 20], ["a", 1, 40], ["b", 2, None], ["a", 3, 20], ["a", 3, 40], [None, 4, None],
            ["c", None, 10], [None, None, 30],
        ]  # fmt: skip
        assert next(joined.rows(6)) == ["c", None, 10]

    def test_an_inner_join_has_pairs_only(self):
        joined = JoinedTable(LEFT, RIGHT, "id", "uid", is_outer=False)
        assert list(joined.rows()) == [["a", 1, 20], ["a", 1, 40], ["a", 3, 20], ["a", 3, 40]]

    def test_a_join_is_refused_by_an_unknown_column_and_when_it_is_too_large(self, monkeypatch):
        with pytest.raises(Invalid, match="no column id"):
            JoinedTable(LEFT, RIGHT, "id", "id")
        monkeypatch.setattr(joining, "MOST_HELD", 3)
        with pytest.raises(Invalid, match="up to 3 rows and 32 MiB"):
            list(JoinedTable(LEFT, RIGHT, "id", "uid").rows())

    def test_the_pairs_are_counted_before_any_is_made(self, monkeypatch):
        monkeypatch.setattr(joining, "MOST_PAIRS", 3)
        with pytest.raises(Invalid, match="Joined by id, these tables have more than 3 pairs of rows"):
            next(JoinedTable(LEFT, RIGHT, "id", "uid").rows())

    @pytest.mark.parametrize("counts", [(2, 0, 3), (None, None, None), (2, None, 3)])
    def test_parts_follow_each_other(self, counts):
        rows = [[[0], [1]], [], [[2], [3], [4]]]
        parts = [ListedTable(["n"], part, count) for part, count in zip(rows, counts, strict=True)]
        table = PartitionedTable(parts)
        for start in range(7):
            assert [row[0] for row in table.rows(start)] == list(range(start, 5))
        assert table.row_count == (None if None in counts else 5)

    def test_parts_of_other_columns_are_refused(self):
        with pytest.raises(UnreadablePreview, match="Part 2"):
            PartitionedTable([ListedTable(["n"], []), ListedTable(["m"], [])])
        with pytest.raises(UnreadablePreview, match="no parts"):
            PartitionedTable([])


class TestCells:
    def test_media_are_told_from_other_objects(self):
        image = {"_type": "image-file", "path": "a.png", "caption": "cat", "sha256": "0f", "width": 4}
        cell = MediaCell("image", "a.png", "cat", "0f", {"width": 4})
        assert cell_of(image) == cell
        assert cell_of([image, image]) == [cell, cell]
        assert isinstance(cell_of([image, 1]), str)
        assert cell_of({"a": [1, NAN]}) == '{"a": [1, "NaN"]}'
        assert cell_of({"_type": "x", "path": 5}) == MediaCell("x")
        assert cell.to_dict() == {"kind": "image", "path": "a.png", "caption": "cat", "details": {"width": 4}}

    def test_long_cells_are_cut_and_broken_text_is_mended(self):
        assert cell_of("x" * 5000) == "x" * 4000 + "…"
        assert cell_of("a\ud800b") == "a?b"
        assert cell_of(["x" * 5000]) == '["' + "x" * 3998 + "…"
        long = {"_type": "histogram", "values": list(range(9000)), "bins": [1]}
        assert cell_of(long) == MediaCell("histogram", details={"bins": [1]})

    def test_media_of_the_same_bytes_are_the_same(self):
        image = {"_type": "image-file", "path": "a.png", "sha256": "0f"}
        assert identity(image) == identity(image | {"path": "b.png"})
        assert identity(image) != identity(image | {"sha256": "ff"})

    def test_names_are_given_once(self):
        assert unique_names(["a", "a", "", 3, "a (2)", "a"]) == [
            "a",
            "a (2)",
            "3",
            "3 (2)",
            "a (2) (2)",
            "a (3)",
        ]


def test_offsets_are_bounded():
    with pytest.raises(Invalid, match="Only the first 10,000,000 rows"):
        read_page(LEFT, TableRequest(offset=10_000_001))
