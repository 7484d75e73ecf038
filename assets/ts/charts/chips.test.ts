import assert from "node:assert/strict";
import { test } from "node:test";
import { fitting } from "./chips";

for (const [count, width, columns, shown, left] of [
  [1, 600, 1, 1, 0],
  [3, 600, 3, 3, 0],
  [8, 600, 4, 8, 0],
  [9, 600, 4, 7, 2],
  [3, 300, 2, 3, 0],
  [9, 300, 2, 3, 6],
  [5, 10, 1, 1, 4],
  [2, 0, 1, 2, 0],
  [0, 600, 0, 0, 0],
] as const) {
  test(`${shown} of ${count} lines get chips in ${width} pixels`, () => {
    const lines = Array.from({ length: count }, (_, at) => ({ label: `run ${at}` }));
    const found = fitting(lines, width);
    assert.deepEqual([found.columns, found.shown.length, found.left], [columns, shown, left]);
  });
}

test("chips of long names are wider, up to a limit", () => {
  const named = (length: number) => Array.from({ length: 4 }, () => ({ label: "x".repeat(length) }));
  assert.equal(fitting(named(3), 480).columns, 3);
  assert.equal(fitting(named(500), 480).columns, 2);
});
