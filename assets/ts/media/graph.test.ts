import assert from "node:assert/strict";
import { test } from "node:test";
import { parameterCount } from "./graph";

for (const [given, count] of [
  [12, 12],
  [[3, 4], 7],
  [[[3, 4], [5]], 12],
  [["6", null, "x"], 6],
  [null, 0],
  [undefined, 0],
  [[], 0],
] as const) {
  test(`a layer of ${JSON.stringify(given)} has ${count} parameters`, () => {
    assert.equal(parameterCount(given), count);
  });
}
