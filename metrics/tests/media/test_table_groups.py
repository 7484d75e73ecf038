"""Rows of logged tables in groups, with counts and means (RUN-26): the script itself, run by Node."""

from metrics.tests.typescript import run_typescript

SCRIPT = """
import { groupsOf } from "./assets/ts/panels/table-groups.ts";
const { rows, by, width } = JSON.parse(process.argv[1]);
console.log(JSON.stringify(groupsOf(rows, (row) => row[by], (row) => row, width)));
"""


def groups(rows, by):
    return run_typescript(SCRIPT, {"rows": rows, "by": by, "width": len(rows[0])})


def test_a_group_has_its_count_means_and_what_all_its_rows_share():
    cats, dogs = groups([["cat", 1, "x", 2], ["dog", 5, "x", "b"], ["cat", 4, "y", None]], by=0)
    assert (cats["value"], len(cats["rows"])) == ("cat", 2)
    assert cats["columns"] == [
        {"kind": "same", "value": "cat"},
        {"kind": "numbers", "mean": 2.5, "low": 1, "high": 4},
        {"kind": "mixed", "count": 2},
        {"kind": "numbers", "mean": 2, "low": 2, "high": 2},
    ]
    assert dogs["columns"][3] == {"kind": "same", "value": "b"}


def test_what_is_missing_is_a_group_of_its_own_and_text_is_no_number():
    found = groups([[None, 1], ["1", 2], [1, "NaN"]], by=0)
    assert [group["value"] for group in found] == [None, "1", 1]
    assert found[0]["columns"][0] == {"kind": "none"}
