import assert from "node:assert/strict";
import { test } from "node:test";
import { amountAt, positionOf } from "./toolbar";

test("the slider of weights is finer near one (RUN-27)", () => {
  assert.equal(amountAt("ema", 0), 0);
  assert.equal(amountAt("ema", 25), 0.5);
  assert.equal(amountAt("time", 81), 0.9);
  assert.equal(amountAt("ema", 100), 0.999);
});

test("widths of Gaussian and average smoothing are taken as they are", () => {
  assert.equal(amountAt("gaussian", 2.5), 2.5);
  assert.equal(amountAt("average", 200), 200);
  assert.equal(positionOf({ kind: "average", amount: 1500 }), 1500);
});

for (const kind of ["ema", "time"] as const) {
  test(`each place of the slider is found again: ${kind}`, () => {
    for (let position = 0; position <= 100; position += 1)
      assert.equal(positionOf({ kind, amount: amountAt(kind, position) }), position);
  });
}
