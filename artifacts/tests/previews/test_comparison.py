"""What changed between two versions."""

import pytest

from artifacts.previews.comparison import ComparedFile, FilePair, compare_files, compare_metadata
from artifacts.previews.tables import comparison
from artifacts.previews.tables.comparison import RowChange, compare_tables
from artifacts.tests.previews.tables import ListedTable
from common.errors import Invalid


def file(path: str, digest: str) -> ComparedFile:
    return ComparedFile(path, digest, 1)


def test_files_are_added_removed_changed_and_renamed():
    before = [file("a", "1"), file("b", "2"), file("c", "3"), file("d", "4"), file("e", "4")]
    after = [file("a", "1"), file("b", "9"), file("x", "3"), file("n", "7"), file("f", "4")]
    found = compare_files(before, after)
    assert found.added == [file("n", "7")]
    assert found.removed == [file("e", "4")]
    assert found.changed == [FilePair(file("b", "2"), file("b", "9"))]
    assert found.renamed == [
        FilePair(file("c", "3"), file("x", "3")),
        FilePair(file("d", "4"), file("f", "4")),
    ]
    assert found.unchanged_count == 1


def test_metadata_is_compared_key_by_key():
    before = {"rows": 5, "source": {"url": "a", "same": 1}, "_kept": 1}
    after = {"rows": 6, "source": {"url": "b", "same": 1}, "new": True, "_kept": 2}
    found = compare_metadata(before, after)
    assert [(line.key, line.values) for line in found.lines] == [
        ("_kept", ["1", "2"]), ("new", ["", "true"]), ("rows", ["5", "6"]), ("source.url", ["a", "b"]),
    ]  # fmt: skip
    assert found.equal_count == 1
    assert "hunter22" not in str(compare_metadata({"password": "hunter22"}, {}))


BEFORE = ListedTable(["id", "label", "old"], [["a", "cat", 0], ["b", "dog", 0], ["c", None, 0], ["a", 1, 0]])
AFTER = ListedTable(
    ["new", "label", "id"], [[0, "dog", "b"], [0, "cow", "a"], [0, float("nan"), "c"], [0, "x", "d"]]
)


def test_rows_are_compared_by_key():
    found = compare_tables(BEFORE, AFTER, "id")
    assert [column.name for column in found.columns] == ["label", "id"]
    assert (found.added_columns, found.removed_columns) == (["new"], ["old"])
    counts = (found.added_count, found.removed_count, found.changed_count, found.unchanged_count)
    assert counts == (1, 1, 2, 1)
    first, third, fourth, added = found.changes
    assert first == RowChange("a", ["cat", "a"], ["cow", "a"], ["label"])
    assert (third.key, third.changed) == ("c", ["label"])
    assert fourth == RowChange("a", [1, "a"], None, [])
    assert added == RowChange("d", None, ["x", "d"], [])


def test_rows_are_compared_by_number_without_a_key(monkeypatch):
    monkeypatch.setattr(comparison, "MOST_CHANGES", 1)
    before = ListedTable(["n"], [[1], [float("nan")], [3]])
    found = compare_tables(before, ListedTable(["n"], [[1.0], [float("nan")], [4], [5]]))
    assert (found.unchanged_count, found.changed_count, found.added_count) == (2, 1, 1)
    assert found.changes == [RowChange(2, [3], [4], ["n"])]


def test_an_unknown_key_is_refused():
    with pytest.raises(Invalid, match="no column old"):
        compare_tables(BEFORE, AFTER, "old")
