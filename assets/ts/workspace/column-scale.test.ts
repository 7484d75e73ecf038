import assert from "node:assert/strict";
import { test } from "node:test";
import { endsOf, scaleOf } from "./column-scale";

const of = (...values: number[]) => Float64Array.from(values);

function places(values: Float64Array, ...wanted: number[]): number[] {
  return wanted.map((value) => Math.round(scaleOf(values)(value) * 1e6) / 1e6);
}

test("values are placed from the smallest to the largest", () => {
  assert.deepEqual(places(of(10, 0, 5), 0, 5, 10), [0, 0.5, 1]);
  assert.deepEqual(places(of(-10, 10), -10, 0, 10), [0, 0.5, 1]);
});

test("from a hundredfold on they are placed by powers of ten", () => {
  assert.deepEqual(places(of(1, 100), 1, 10, 100), [0, 0.5, 1]);
  assert.deepEqual(places(of(1, 99), 50), [0.5]);
  assert.deepEqual(places(of(0, 1000), 500), [0.5]);
  assert.deepEqual(places(of(-1, 1000), 499.5), [0.5]);
});

test("where all are equal, or there is one, it is in the middle", () => {
  assert.deepEqual(places(of(3, 3), 3), [0.5]);
  assert.deepEqual(places(of(3), 3), [0.5]);
});

test("what is no number has no end", () => {
  assert.deepEqual(endsOf(of(Number.NaN, 2, Infinity, 1, -Infinity)), { low: 1, high: 2 });
  const none = endsOf(of(Number.NaN));
  assert.ok(none.low > none.high);
});

test("the few outermost of many values do not stretch the scale", () => {
  const values = Float64Array.from({ length: 20 }, (_, at) => at);
  values[19] = 1e9;
  assert.deepEqual(endsOf(values), { low: 1, high: 18 });
  assert.deepEqual(endsOf(values.slice(1)), { low: 1, high: 1e9 });
  assert.ok(scaleOf(values)(1e9) > 1);
});

test("ends are found by size, not as texts", () => {
  assert.deepEqual(endsOf(of(10, 9, 100)), { low: 9, high: 100 });
});
