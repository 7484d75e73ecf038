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

const ramp = [1, 2, 3, 4, 5];

test("the moving average of a ramp is the one computed by hand (RUN-27)", () => {
  const shown = movingAverage([2, 4, 8], 0.5);
  assert.deepEqual([...shown], [2, (0.25 * 2 + 0.5 * 4) / 0.75, (0.125 * 2 + 0.25 * 4 + 0.5 * 8) / 0.875]);
});

test("time-weighted smoothing weighs points by their distance on x (RUN-27)", () => {
  const kept = Math.sqrt(0.5) ** 500; // the weight of a point half the width away
  const shown = smoothed([0, 5, 10], [0, 1, 1], { kind: "time", amount: 0.5 });
  near(shown[1], 1 / (kept + 1));
  assert.equal(shown[0], 0);
});

test("time-weighted smoothing depends on gaps, not on the number of points", () => {
  const spaced = smoothed([0, 1, 1000], [0, 10, 10], { kind: "time", amount: 0.9 });
  const dense = smoothed([0, 999, 1000], [0, 10, 10], { kind: "time", amount: 0.9 });
  assert.ok((spaced[1] ?? 0) < (dense[1] ?? 0));
});

test("time-weighted smoothing uses the distance to the previous point", () => {
  const shown = smoothed([0, 1, 2, 1000], [0, 1, 0, 0], { kind: "time", amount: 0.25 });
  near(shown[1], 1 / 1.5);
  near(shown[2], 0.5 / 1.75);
});

test("time-weighted smoothing averages points at the same x", () => {
  assert.deepEqual([...smoothed([3, 3, 3], [1, 2, 6], { kind: "time", amount: 0.9 })], [1, 1.5, 3]);
});

test("the running average is centered and uses fewer points at the ends", () => {
  const shown = smoothed(ramp, [0, 0, 6, 0, 0], { kind: "average", amount: 3 });
  assert.deepEqual([...shown], [0, 2, 2, 2, 0]);
  assert.deepEqual([...smoothed(ramp, ramp, { kind: "average", amount: 1 })], ramp);
  assert.deepEqual([...smoothed(ramp, ramp, { kind: "average", amount: 99 })], [3, 3, 3, 3, 3]);
});

test("the gaussian weighs points by distance, up to three standard deviations", () => {
  const shown = smoothed([], [0, 0, 0, 0, 1, 0, 0, 0, 0], { kind: "gaussian", amount: 1 });
  const all = 1 + 2 * (Math.exp(-0.5) + Math.exp(-2) + Math.exp(-4.5));
  near(shown[4], 1 / all);
  near(shown[5], Math.exp(-0.5) / (all - 0)); // as far from the end as the window reaches
  assert.equal(shown[0], 0);
});

for (const kind of ["ema", "time", "gaussian", "average"] as const) {
  const amount = kind === "ema" || kind === "time" ? 0.8 : 3;

  test(`non-finite values stay where they are and do not spread: ${kind}`, () => {
    const odd = [1, Number.NaN, Infinity, 1, -Infinity, 1];
    const shown = smoothed([0, 1, 2, 3, 4, 5], odd, { kind, amount });
    for (const [at, value] of odd.entries()) {
      if (Number.isFinite(value)) near(shown[at], 1);
      else assert.ok(Object.is(shown[at], value), `${at}`);
    }
  });

  test(`an empty line, a single point and a line of NaN are handled: ${kind}`, () => {
    assert.deepEqual([...smoothed([], [], { kind, amount })], []);
    assert.deepEqual([...smoothed([7], [-2], { kind, amount })], [-2]);
    assert.deepEqual(
      [...smoothed([0, 1], [Number.NaN, Number.NaN], { kind, amount })],
      [Number.NaN, Number.NaN],
    );
  });

  test(`a smoothed line stays between its least and greatest value: ${kind}`, () => {
    const zigzag = Array.from({ length: 50 }, (_, at) => (at % 2 ? 10 : -3));
    for (const value of smoothed(
      zigzag.map((_, at) => at),
      zigzag,
      { kind, amount },
    ))
      assert.ok(value >= -3 - 1e-9 && value <= 10 + 1e-9);
  });

  test(`the input is not modified: ${kind}`, () => {
    const given = Float64Array.from([1, 5, 2]);
    smoothed([0, 1, 2], given, { kind, amount });
    assert.deepEqual([...given], [1, 5, 2]);
  });
}

test("a weight of one is limited, since the average would stay at zero", () => {
  const shown = smoothed(ramp, ramp, { kind: "ema", amount: 1 });
  assert.ok(shown.every(Number.isFinite));
  near(shown[0], 1, 1e-6);
});

function near(found: number | undefined, wanted: number, off = 1e-12): void {
  assert.ok(found !== undefined && Math.abs(found - wanted) <= off, `${found} is not near ${wanted}`);
}
