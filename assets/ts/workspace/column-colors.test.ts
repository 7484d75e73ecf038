import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf } from "./column-colors";

test("names have the looks of runs in their order, which begin again", () => {
  const names = Array.from({ length: 41 }, (_, at) => `n${at}`);
  const key = keyOf(names, Float64Array.of());
  assert.equal(key.range, null);
  assert.deepEqual(key.names[1], { text: "n1", color: 1 });
  assert.deepEqual(key.names[40], { text: "n40", color: 0 });
});

test("a scale says its ends with three significant figures", () => {
  const key = keyOf(null, Float64Array.of(0.123_456, 98.765));
  assert.deepEqual(key, { names: [], range: { low: "0.123", high: "98.8" } });
});

test("a column without numbers has no scale", () => {
  assert.deepEqual(keyOf(null, Float64Array.of(Number.NaN)), { names: [], range: null });
});
