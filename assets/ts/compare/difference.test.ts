import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceOf } from "./difference";

for (const [value, base, text, share] of [
  [0.12, 0.1, "↑ 0.02", " 20%"],
  [0.08, 0.1, "↓ 0.02", " 20%"],
  [-3, -2, "↓ 1", " 50%"],
  [-1, -2, "↑ 1", " 50%"],
  [5, 0, "↑ 5", ""],
  [0.1 + 0.2, 0.3, "↑ 5.55e-17", ""],
  [1300, 100, "↑ 1200", " 1200%"],
  [123_456, 1, "↑ 123000", " 12000000%"],
  [100.0001, 100, "↑ 0.0001", " 0.0001%"],
  [Number.NaN, 1, "", ""],
  [Infinity, 1, "", ""],
  [1, Infinity, "", ""],
  [1, -Infinity, "", ""],
] as const) {
  test(`${value} differs from ${base} by ${JSON.stringify(text + share)} (RUN-29)`, () => {
    assert.deepEqual(differenceOf(value, base, undefined), { text, share, isBetter: undefined });
  });
}

test("a difference is better where it goes towards the goal", () => {
  assert.equal(differenceOf(2, 1, "maximize").isBetter, true);
  assert.equal(differenceOf(2, 1, "minimize").isBetter, false);
  assert.equal(differenceOf(1, 2, "minimize").isBetter, true);
  assert.equal(differenceOf(1, 2, "maximize").isBetter, false);
});

test("what is no number is neither better nor worse", () => {
  assert.equal(differenceOf(Number.NaN, 1, "minimize").isBetter, undefined);
  assert.equal(differenceOf(1, Number.NaN, "minimize").isBetter, undefined);
});
