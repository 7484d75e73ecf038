import assert from "node:assert/strict";
import { test } from "node:test";
import { croppable } from "./cropped";

for (const [name, end, parts] of [
  ["resnet50-baseline-seed-42", undefined, ["resnet50-baseli", "ne-seed-42"]],
  ["short", undefined, ["sh", "ort"]],
  ["", undefined, ["", ""]],
  ["a", undefined, ["", "a"]],
  ["abcdef", 2, ["abcd", "ef"]],
] as const) {
  test(`a name keeps its end when it is cut (RUN-24): ${JSON.stringify(name)}`, () => {
    assert.deepEqual(croppable(name, end), parts);
  });
}
