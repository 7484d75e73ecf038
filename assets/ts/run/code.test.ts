import assert from "node:assert/strict";
import { test } from "node:test";
import { lineCount } from "./code";

for (const [text, count] of [
  ["", 0],
  ["a", 1],
  ["a\n", 1],
  ["a\nb", 2],
  ["a\n\n", 2],
  ["\n", 1],
  ["a\r\nb\r\n", 2],
] as const) {
  test(`${JSON.stringify(text)} has ${count} lines`, () => assert.equal(lineCount(text), count));
}
