import assert from "node:assert/strict";
import { test } from "node:test";
import { movingAverage, smoothed } from "./smooth";

const x = [0, 1, 2, 3, 4];
const y = [4, 0, Number.NaN, 2, 6];

test("no smoothing keeps the line", () => {
  assert.deepEqual([...smoothed(x, y, { kind: "none", amount: 0.9 })], y);
  assert.deepEqual([...smoothed(x, y, { kind: "ema", amount: 0 })], y);
});

test("the moving average is debiased: it begins at the first value and passes over NaN (RUN-27)", () => {
  const shown = movingAverage(y, 0.5);
  assert.deepEqual([...shown.slice(0, 3)], [4, 4 / 3, Number.NaN]);
  assert.ok(Math.abs((shown[3] ?? 0) - (0.5 * 0.5 * 0.5 * 4 + 0.5 * 2) / (1 - 0.5 ** 3)) < 1e-12);
});

for (const kind of ["ema", "time", "gaussian", "average"] as const) {
  test(`a level line stays level: ${kind}`, () => {
    const amount = kind === "ema" || kind === "time" ? 0.9 : 3;
    const level = smoothed(x, [5, 5, 5, 5, 5], { kind, amount });
    for (const value of level) assert.ok(Math.abs(value - 5) < 1e-9);
  });
}
