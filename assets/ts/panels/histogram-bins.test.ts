import assert from "node:assert/strict";
import { test } from "node:test";
import { isNear } from "../charts/fixtures";
import { endsOf, percentTicks, sharesOf } from "./histogram-bins";

test("shares are fractions of all values, and zero for an empty histogram", () => {
  assert.deepEqual(sharesOf([1, 3, 0]), [0.25, 0.75, 0]);
  assert.deepEqual(sharesOf([0, 0]), [0, 0]);
  assert.deepEqual(sharesOf([]), []);
});

test("shares have ticks at round percentages", () => {
  const ticks = percentTicks({ min: 0, max: 0.42, log: false, from: 150, to: 0 });
  assert.deepEqual(
    ticks.map(({ text }) => text),
    ["0%", "10%", "20%", "30%", "40%"],
  );
  isNear(ticks[1]?.value, 0.1);
});

for (const [steps, ends] of [
  [
    [0, 10, 30],
    [10, 30, 50],
  ],
  [[5], [6]],
  [[], [1]],
  [
    [3, 3],
    [3, 3],
  ],
] as const) {
  test(`columns of a histogram at the steps [${steps}] end at [${ends}]`, () => {
    assert.deepEqual(endsOf(steps), ends);
  });
}
