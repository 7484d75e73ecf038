import assert from "node:assert/strict";
import { test } from "node:test";
import { runCount } from "./run-count";

for (const [n, all, expected] of [
  [1, 1, "oneRun"],
  [0, 0, "runsIn"],
  [3, 3, "runsIn"],
  [1, 3, "runsOf"],
  [0, 3, "runsOf"],
] as const) {
  test(`${n} of ${all} runs use the word ${expected}`, () => {
    assert.equal(runCount(n, all), expected);
  });
}
