import assert from "node:assert/strict";
import { test } from "node:test";
import { barOf, bestOf } from "./extents";

test("the best value is the smallest or largest, and none where all are equal or no goal is known", () => {
  assert.equal(bestOf([1, 5], "minimize"), 1);
  assert.equal(bestOf([1, 5], "maximize"), 5);
  assert.equal(bestOf([3, 3], "minimize"), undefined);
  assert.equal(bestOf([1, 5], undefined), undefined);
});

for (const [value, extent, part] of [
  [5, [0, 10], 0.5],
  [0, [0, 10], 0.02],
  [10, [0, 10], 1],
  [12, [0, 10], 1],
  [-5, [-10, 0], 0.5],
  [7, [7, 7], 1],
  [Number.NaN, [0, 10], undefined],
  [Infinity, [0, 10], undefined],
] as const) {
  test(`the bar of ${value} between ${extent[0]} and ${extent[1]} has its part of the width`, () => {
    assert.equal(barOf(value, [...extent]), part);
  });
}
