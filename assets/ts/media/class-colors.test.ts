import assert from "node:assert/strict";
import { test } from "node:test";
import { colorOf } from "./class-colors";

test("classes have eight colors, which repeat", () => {
  const colors = new Set(Array.from({ length: 8 }, (_, number) => colorOf(number).join()));
  assert.equal(colors.size, 8);
  assert.deepEqual(colorOf(8), colorOf(0));
  assert.deepEqual(colorOf(255), colorOf(7));
});

test("a number that is no class is grey", () => {
  for (const number of [-1, 0.5, Number.NaN, Infinity]) assert.deepEqual(colorOf(number), [120, 120, 140]);
});
