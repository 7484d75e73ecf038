import assert from "node:assert/strict";
import { test } from "node:test";
import { type Block, folded, rowsOf } from "./lines";

const block = (kind: Block["kind"], before: [number, number], after: [number, number]): Block => ({
  ...{ kind, before, after },
});
const same = (count: number) => rowsOf(block("same", [0, count], [0, count]));

test("equal lines stand side by side, each with its own number", () => {
  assert.deepEqual(rowsOf(block("same", [4, 6], [7, 9])), [
    { kind: "same", before: 4, after: 7 },
    { kind: "same", before: 5, after: 8 },
  ]);
});

test("where one side has more lines the other is empty", () => {
  const rows = rowsOf(block("changed", [0, 1], [0, 3]));
  assert.deepEqual(
    rows.map(({ before, after }) => [before, after]),
    [
      [0, 0],
      [null, 1],
      [null, 2],
    ],
  );
});

test("added and removed lines have one side only", () => {
  assert.deepEqual(rowsOf(block("added", [5, 5], [5, 6])), [{ kind: "added", before: null, after: 5 }]);
  assert.deepEqual(rowsOf(block("removed", [5, 6], [5, 5])), [{ kind: "removed", before: 5, after: null }]);
  assert.deepEqual(rowsOf(block("same", [5, 5], [5, 5])), []);
  assert.deepEqual(rowsOf({ kind: "plain", before: [0, 2], after: [] }).length, 2);
});

for (const [count, isFirst, isLast, expected] of [
  [20, false, false, [3, 14, 3]],
  [10, false, false, [3, 4, 3]],
  [9, false, false, [9, 0, 0]],
  [7, true, false, [0, 4, 3]],
  [6, true, false, [6, 0, 0]],
  [7, false, true, [3, 4, 0]],
  [0, false, false, [0, 0, 0]],
] as const) {
  const where = isFirst ? " at the begin" : isLast ? " at the end" : "";
  test(`${count} equal lines${where} are folded to ${expected}`, () => {
    const parts = folded(same(count), isFirst, isLast);
    assert.deepEqual(
      parts.map(({ length }) => length),
      expected,
    );
    assert.deepEqual(parts.flat(), same(count));
  });
}
