import assert from "node:assert/strict";
import { test } from "node:test";
import { columnAt } from "./reorder";

test("a column is dropped before the first whose middle is behind the pointer", () => {
  const boxes = [
    { left: 0, width: 100 },
    { left: 100, width: 50 },
  ];
  assert.deepEqual(
    [-5, 49, 50, 124, 125, 900].map((x) => columnAt(x, boxes)),
    [0, 0, 1, 1, 2, 2],
  );
  assert.equal(columnAt(10, []), 0);
});
