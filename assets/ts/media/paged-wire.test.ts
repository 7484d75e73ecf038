import assert from "node:assert/strict";
import { test } from "node:test";
import {
  columnsOf,
  columnsShown,
  type Group,
  idOf,
  isNumeric,
  plainColumns,
  type Reply,
  rangeText,
  rowsIn,
  sortOf,
} from "./paged-wire";

const row = (run: string, ...cells: unknown[]) => ({ run, cells });

function replyOf(rest: Partial<Reply> = {}): Reply {
  return {
    tables: [],
    columns: ["run", "label", "score"],
    rows: [row("a", "cat", null), row("b", "dog", 0.5)],
    total: 2,
    ...rest,
  };
}

function groupOf(rest: Partial<Group> = {}): Group {
  return { text: "cat", is_empty: false, run: "", count: 1, numbers: {}, ...rest };
}

test("the column that says whose a row is has no cells", () => {
  assert.deepEqual(columnsShown(replyOf()), ["label", "score"]);
});

test("joined tables have cells in all columns, and are joined by what these are called there", () => {
  const heads = [
    { run: "a", name: "label" },
    { run: "b", name: "label" },
  ];
  const reply = replyOf({ columns: ["a.label", "b.label"], heads });
  assert.deepEqual(columnsShown(reply), ["a.label", "b.label"]);
  assert.deepEqual(plainColumns(reply), ["label"]);
  assert.deepEqual(plainColumns(replyOf()), ["label", "score"]);
});

test("a column is one of numbers by its first value that is not missing", () => {
  assert.ok(isNumeric(replyOf(), "score", 1));
  assert.ok(!isNumeric(replyOf(), "label", 0));
  assert.ok(!isNumeric(replyOf({ rows: [row("a", null, null)] }), "score", 1));
  assert.ok(!isNumeric(replyOf({ rows: [] }), "score", 1));
});

test("grouped columns are of numbers where a group has their mean", () => {
  const groups = [groupOf(), groupOf({ numbers: { score: [1, 0, 2] } })];
  assert.ok(isNumeric(replyOf({ groups }), "score", 1));
  assert.ok(!isNumeric(replyOf({ groups }), "label", 0));
});

test("a filter offers the values of the rows that are shown as text", () => {
  assert.deepEqual(columnsOf(replyOf()), [
    { name: "label", isNumber: false, values: ["cat", "dog"] },
    { name: "score", isNumber: true, values: ["", "0.5"] },
  ]);
});

test("the group of empty values is another one than that of an empty or equal text", () => {
  const ids = [groupOf({ text: "" }), groupOf({ text: "", is_empty: true }), groupOf({ text: "empty" })];
  assert.equal(new Set(ids.map(idOf)).size, 3);
});

test("rows of groups are those of the open ones, in the order of the groups", () => {
  const groups = [groupOf({ text: "x" }), groupOf({ text: "y" }), groupOf({ text: "z" })];
  const open = new Map([
    [idOf(groupOf({ text: "z" })), [row("a", 3)]],
    [idOf(groupOf({ text: "x" })), [row("a", 1), row("a", 2)]],
  ]);
  const cells = rowsIn(replyOf({ groups }), open).map(({ cells: [first] }) => first);
  assert.deepEqual(cells, [1, 2, 3]);
  assert.equal(rowsIn(replyOf(), open).length, 2);
});

test("a head sorts its column rising, then falling, then rising again", () => {
  assert.deepEqual(sortOf("", "score"), { order: null, next: "score" });
  assert.deepEqual(sortOf("score", "score"), { order: "ascending", next: "-score" });
  assert.deepEqual(sortOf("-score", "score"), { order: "descending", next: "score" });
  assert.deepEqual(sortOf("-other", "score"), { order: null, next: "score" });
});

test("the head of counts puts the largest groups first, then goes back", () => {
  assert.deepEqual(sortOf("", ""), { order: null, next: "-" });
  assert.deepEqual(sortOf("-", ""), { order: "descending", next: "" });
});

test("a column whose name begins with a minus sorts by itself", () => {
  assert.deepEqual(sortOf("-x", "-x"), { order: "ascending", next: "--x" });
});

test("the rows that are shown are counted from one", () => {
  assert.equal(rangeText(replyOf({ total: 1234 }), 1000), "1,001–1,002 / 1,234");
  assert.equal(rangeText(replyOf({ total: null }), 0), "1–2");
  assert.equal(rangeText(replyOf({ rows: [], total: 0 }), 0), "0 / 0");
  assert.equal(rangeText(replyOf({ groups: [groupOf()], total: 9 }), 4), "5–5 / 9");
});
