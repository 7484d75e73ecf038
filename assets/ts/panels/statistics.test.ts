import assert from "node:assert/strict";
import { test } from "node:test";
import { isNear } from "../charts/fixtures";
import { makeMember } from "./fixtures";
import { averaged, shownOf } from "./statistics";

for (const [values, line, expected] of [
  [[3, 1, 2], "mean", 2],
  [[1, 2, 4, 9], "median", 3],
  [[9, 1, 4], "median", 4],
  [[7], "median", 7],
  [[3, -1, 2], "min", -1],
  [[3, -1, 2], "max", 3],
  [[2, 2, 2], "mean", 2],
  [[10, 9, 100], "median", 10],
] as const) {
  test(`the ${line} of [${values}] is ${expected}`, () => {
    assert.equal(shownOf(values, line, "none").value, expected);
  });
}

test("the range goes from minimum to maximum whatever the line shows", () => {
  assert.deepEqual(shownOf([4, 1, 9], "median", "range"), { value: 4, low: 1, high: 9 });
  assert.deepEqual(shownOf([5], "mean", "range"), { value: 5, low: 5, high: 5 });
});

test("deviations are sample deviations around the line", () => {
  const values = [2, 4, 4, 4, 5, 5, 7, 9];
  const deviation = Math.sqrt(32 / 7);
  const std = shownOf(values, "mean", "std");
  isNear(std.low, 5 - deviation);
  isNear(std.high, 5 + deviation);
  isNear(shownOf(values, "mean", "stderr").high, 5 + deviation / Math.sqrt(8));
  isNear(shownOf(values, "max", "std").high, 9 + deviation);
});

test("a single value has no deviation", () => {
  for (const band of ["std", "stderr", "none"] as const) {
    const { value, low, high } = shownOf([3], "mean", band);
    assert.equal(value, 3);
    assert.ok(Number.isNaN(low) && Number.isNaN(high));
  }
});

test("the input keeps its order", () => {
  const given = [3, 1, 2];
  shownOf(given, "median", "range");
  assert.deepEqual(given, [3, 1, 2]);
});

test("lines are averaged at the union of their x, with linear interpolation", () => {
  const one = makeMember([0, 10], { x: Float64Array.of(0, 10) });
  const other = makeMember([4, 8], { x: Float64Array.of(0, 4) });
  const { x, y, low, high, counts } = averaged([one, other], "mean", "range");
  assert.deepEqual([...x], [0, 4, 10]);
  assert.deepEqual([...y], [2, 6, 10]);
  assert.deepEqual([...(low ?? [])], [0, 4, 10]);
  assert.deepEqual([...(high ?? [])], [4, 8, 10]);
  assert.deepEqual([...counts], [2, 2, 1]);
});

test("lines are not extrapolated", () => {
  const late = makeMember([5, 5], { x: Float64Array.of(2, 3) });
  const { counts, y } = averaged([makeMember([1, 1, 1, 1]), late], "max", "none");
  assert.deepEqual([...counts], [1, 1, 2, 2]);
  assert.deepEqual([...y], [1, 1, 5, 5]);
});

test("non-finite values are ignored and leave a gap where there are no others", () => {
  const odd = makeMember([1, Number.NaN, Infinity, 4]);
  const { y, low, counts } = averaged([odd, makeMember([3])], "mean", "range");
  assert.deepEqual([...y], [2, Number.NaN, Number.NaN, 4]);
  assert.ok(Number.isNaN(low?.[1]));
  assert.deepEqual([...counts], [2, 0, 0, 1]);
});

test('band "none" gives no low and high', () => {
  const { low, high } = averaged([makeMember([1, 2])], "mean", "none");
  assert.deepEqual([low, high], [null, null]);
});

test("many different x are resampled evenly from first to last", () => {
  const long = makeMember(Array.from({ length: 2000 }, (_, at) => at));
  const { x, y } = averaged([long, makeMember([0, 1])], "max", "range");
  assert.equal(x.length, 250);
  assert.deepEqual([x[0], x.at(-1)], [0, 1999]);
  for (const [at, place] of x.entries()) isNear(y[at], place);
});

test("empty input gives an empty average", () => {
  assert.equal(averaged([], "mean", "range").x.length, 0);
  assert.equal(averaged([makeMember([])], "mean", "range").x.length, 0);
  assert.deepEqual([...averaged([makeMember([]), makeMember([3])], "mean", "range").y], [3]);
});
