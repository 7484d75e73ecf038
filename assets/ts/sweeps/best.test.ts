import assert from "node:assert/strict";
import { test } from "node:test";
import { bestSoFar } from "./best";

const NONE = Number.NaN;

for (const [values, isMaximized, best] of [
  [[], false, []],
  [[3], false, [3]],
  [[3, 5, 2, 4], false, [3, 3, 2, 2]],
  [[3, 5, 2, 6], true, [3, 5, 5, 6]],
  [[NONE, 3, NONE, 2], false, [NONE, 3, 3, 2]],
  [[Infinity, 3, -Infinity], true, [NONE, 3, 3]],
  [[-Infinity, 3], false, [NONE, 3]],
  [[NONE, NONE], true, [NONE, NONE]],
  [[0, -0.5, -0.5], false, [0, -0.5, -0.5]],
] as const) {
  test(`the ${isMaximized ? "largest" : "smallest"} finite value so far of ${values.join(", ")}`, () => {
    assert.deepEqual([...bestSoFar(values, isMaximized)], best);
  });
}
