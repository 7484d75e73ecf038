import assert from "node:assert/strict";
import { test } from "node:test";
import { fittedWidth, stickyLefts } from "./widths";

test("columns are from 56 to 900 pixels wide", () => {
  assert.deepEqual([-3, 56, 99.6, 900, 5000].map(fittedWidth), [56, 56, 100, 900, 900]);
});

test("boxes, names and pinned columns stop behind those before them", () => {
  const head = (width: number, isPinned = false) => ({ width, isPinned });
  assert.deepEqual(
    stickyLefts([head(40), head(200), head(80, true), head(90), head(70, true)]),
    [0, 40, 240],
  );
  assert.deepEqual(stickyLefts([head(40), head(200)]), [0, 40]);
  assert.deepEqual(stickyLefts([]), []);
});
