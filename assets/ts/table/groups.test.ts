import assert from "node:assert/strict";
import { test } from "node:test";
import { isInside } from "./groups";

for (const [inner, hasRuns, path, isIn] of [
  [["a", 1], false, ["a"], true],
  [["a", 1, "x"], false, ["a"], true],
  [["a"], false, ["a"], false],
  [["a"], true, ["a"], true],
  [["b", 1], false, ["a"], false],
  [["b"], true, ["a"], false],
  [[], false, ["a"], false],
  [["1"], true, [1], false],
  [[null], true, [null], true],
] as [unknown[], boolean, unknown[], boolean][]) {
  test(`closing the group ${JSON.stringify(path)} ${isIn ? "takes" : "keeps"} ${JSON.stringify(inner)}${hasRuns ? " with runs" : ""} (RUN-23)`, () => {
    assert.equal(isInside(inner, hasRuns, path), isIn);
  });
}
