import assert from "node:assert/strict";
import { test } from "node:test";
import { isNear } from "./fixtures";
import { type Axis, minorTicks, placeText, type Scale, ticksOf, toPixel, toValue, unitTicks } from "./scale";

const linear = (min: number, max: number, pixels = 600): Scale => ({
  ...{ min, max, log: false, from: 0, to: pixels },
});
const log = (min: number, max: number, pixels = 600): Scale => ({ ...linear(min, max, pixels), log: true });
const texts = (scale: Scale, axis: Axis = "number", space = 60) =>
  ticksOf(scale, axis, space).map(({ text }) => text);
const values = (scale: Scale, axis: Axis = "number", space = 60) =>
  ticksOf(scale, axis, space).map(({ value }) => value);

for (const [scale, value, pixel] of [
  [linear(0, 10, 100), 0, 0],
  [linear(0, 10, 100), 10, 100],
  [linear(-5, 5, 100), 0, 50],
  [{ ...linear(0, 10), from: 100, to: 0 }, 2, 80],
  [log(1, 100, 100), 10, 50],
  [log(1e-6, 1e6, 120), 1, 60],
  [linear(0, 10, 100), 20, 200],
  [{ ...linear(0, 10, 100), clamped: true }, 20, 100],
  [{ ...linear(0, 10, 100), clamped: true }, -1, 0],
] as const) {
  test(`${value} is at pixel ${pixel} of ${scale.min} to ${scale.max}${scale.log ? ", logarithmic" : ""}`, () => {
    isNear(toPixel(scale, value), pixel);
    if (!scale.clamped) isNear(toValue(scale, pixel), value);
  });
}

test("a range without a width still has pixels and values", () => {
  assert.equal(toPixel(linear(3, 3), 3), 0);
  assert.equal(toValue({ ...linear(0, 10), from: 5, to: 5 }, 5), 0);
});

test("values that a logarithmic axis cannot show have no finite pixel", () => {
  assert.ok(Number.isNaN(toPixel(log(1, 100), -1)));
  assert.equal(toPixel(log(1, 100), 0), -Infinity);
  assert.ok(Number.isNaN(toPixel(linear(0, 1), Number.NaN)));
});

for (const [min, max, expected] of [
  [0, 10, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]],
  [0, 1, ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]],
  [-100, 100, ["-100", "-80", "-60", "-40", "-20", "0", "20", "40", "60", "80", "100"]],
  [0, 50_000, ["0", "5k", "10k", "15k", "20k", "25k", "30k", "35k", "40k", "45k", "50k"]],
  [0, 2e-5, ["0", "2e-6", "4e-6", "6e-6", "8e-6", "1e-5", "1.2e-5", "1.4e-5", "1.6e-5", "1.8e-5", "2e-5"]],
] as const) {
  test(`ticks from ${min} to ${max} are round`, () => {
    assert.deepEqual(texts(linear(min, max)), expected);
  });
}

test("ticks of a narrow range far from zero have distinct texts", () => {
  const shown = texts(linear(1_000_000, 1_000_001));
  assert.ok(shown.length > 2);
  assert.equal(new Set(shown).size, shown.length);
});

test("the tick at zero is exactly zero, not minus zero or a rounding error", () => {
  for (const [min, max] of [
    [-0.3, 0.3],
    [-1e-7, 1e-7],
    [-0.7, 2.1],
  ] as const) {
    const zero = ticksOf(linear(min, max), "number", 60).find(({ text }) => text === "0");
    assert.ok(zero && Object.is(zero.value, 0), `${min} to ${max}`);
  }
});

test("ticks lie within the scale, however large or small it is", () => {
  for (const axis of ["number", "step", "runtime", "timestamp"] as const) {
    for (const [min, max] of [
      [0, 1e-12],
      [0, 1e300],
      [-1e15, 1e15],
      [123.456, 123.457],
      [1.7e9, 1.7e9 + 10],
      [1.6e9, 1.7e9],
      [-50, -49],
    ] as const) {
      if (axis === "timestamp" && Math.abs(max) > 1e12) continue; // no date
      const slack = (max - min) * 1e-6;
      const found = values(linear(min, max), axis);
      assert.ok(found.length <= 20, `${axis} ${min} to ${max}: ${found.length} ticks`);
      for (const value of found) assert.ok(value >= min - slack && value <= max + slack, `${axis} ${value}`);
      assert.deepEqual(
        [...found].sort((a, b) => a - b),
        found,
      );
    }
  }
});

test("an empty or non-finite range neither hangs nor gives many ticks", () => {
  assert.deepEqual(values(linear(3, 3)), [3]);
  for (const max of [Number.NaN, Infinity]) assert.ok(values(linear(0, max)).length <= 60);
  assert.deepEqual(values(linear(Number.NaN, Number.NaN)), []);
});

test("the number of ticks is limited", () => {
  for (let pixels = 5; pixels < 800; pixels += 45) {
    for (const most of [2, 5, 8]) {
      const found = ticksOf(linear(0, 9.7, pixels), "number", 34, most);
      assert.ok(found.length <= most + 1, `${found.length} of ${most} on ${pixels} pixels`);
    }
  }
});

test("steps have ticks at whole numbers only", () => {
  for (const max of [1, 2, 3, 7, 50, 12_345]) {
    for (const value of values(linear(0, max), "step")) assert.ok(Number.isInteger(value), `${value}`);
  }
  assert.deepEqual(texts(linear(0, 2), "step"), ["0", "1", "2"]);
});

for (const [max, expected] of [
  [30, ["0", "2s", "4s"]],
  [600, ["0", "1m", "2m"]],
  [3600, ["0", "5m", "10m"]],
  [36_000, ["0", "1h", "2h"]],
  [10 * 86_400, ["0", "1d", "2d"]],
] as const) {
  test(`a run time up to ${max} s has ticks that are round on a clock`, () => {
    assert.deepEqual(texts(linear(0, max), "runtime").slice(0, 3), expected);
  });
}

test("run times show minutes only where they are not zero, without a leading zero", () => {
  assert.ok(texts(linear(0, 3 * 3600, 400), "runtime").includes("1h 30m"));
  assert.ok(texts(linear(3600, 3600 + 600), "runtime").includes("1h 5m"));
});

test("a run time of less than a second has decimals", () => {
  assert.deepEqual(texts(linear(0, 1, 180), "runtime"), ["0", "0.5", "1.0"]);
});

test("ticks of the wall clock are round in the viewer's time zone", () => {
  const from = new Date(2026, 0, 5, 21, 7).getTime() / 1000;
  const found = ticksOf(linear(from, from + 6 * 3600), "timestamp", 60);
  for (const { value } of found) {
    const moment = new Date(value * 1000);
    assert.equal(moment.getMinutes() % 30, 0);
    assert.equal(moment.getSeconds(), 0);
  }
  assert.ok(found.some(({ text }) => text === "00:00"));
});

test("ticks of days are dates, at midnight in the viewer's time zone", () => {
  const from = new Date(2026, 0, 5, 12).getTime() / 1000;
  const found = ticksOf(linear(from, from + 5 * 86_400), "timestamp", 100);
  assert.deepEqual(
    found.map(({ text }) => text),
    ["Jan 6", "Jan 7", "Jan 8", "Jan 9", "Jan 10"],
  );
  for (const { value } of found) assert.equal(new Date(value * 1000).getHours(), 0);
});

for (const [min, max, expected] of [
  [1, 1000, ["1", "10", "100", "1000"]],
  [1e-8, 1e8, ["1e-8", "1e-6", "1e-4", "0.01", "1", "100", "10k", "1M", "100M"]],
  [1, 20, ["1", "2", "5", "10", "20"]],
] as const) {
  test(`a logarithmic axis from ${min} to ${max} has ticks at powers of ten`, () => {
    assert.deepEqual(texts(log(min, max), "number", min < 1 ? 75 : 160), expected);
  });
}

test("a logarithmic axis over less than a decade has evenly spaced ticks", () => {
  assert.deepEqual(values(log(2, 6, 120), "number", 30), [2, 3, 4, 5, 6]);
  assert.ok(values(log(3, 9, 40), "number", 40).length > 0);
});

test("minor ticks between powers of ten are shown over few decades only", () => {
  assert.deepEqual(minorTicks(log(1, 10)), [2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(minorTicks(log(1, 1e9)), []);
  assert.deepEqual(minorTicks(log(2, 3)), []);
  assert.deepEqual(minorTicks(linear(1, 10)), []);
  assert.ok(minorTicks(log(0.05, 20)).every((value) => value >= 0.05 && value <= 20));
});

test("ticks with a unit are round in a suitable multiple of it", () => {
  const scale = linear(0, 4 * 1024 ** 3, 200);
  assert.deepEqual(
    unitTicks(scale, "bytes", 40).map(({ value, text }) => [value / 1024 ** 3, text]),
    [
      [0, "0 GiB"],
      [1, "1 GiB"],
      [2, "2 GiB"],
      [3, "3 GiB"],
      [4, "4 GiB"],
    ],
  );
  assert.deepEqual(
    unitTicks(linear(0, 100, 200), "%", 90).map(({ text }) => text),
    ["0%", "50%", "100%"],
  );
  assert.deepEqual(unitTicks(linear(0, 4, 200), "", 50), ticksOf(linear(0, 4, 200), "number", 50));
});

for (const [axis, value, expected] of [
  ["number", 0.123456789, "0.123457"],
  ["step", 12_345, "12,345"],
  ["runtime", 12.3456, "12.35s"],
  ["runtime", 60, "1m 00s"],
  ["runtime", 3723, "1h 02m 03s"],
  ["number", Number.NaN, "NaN"],
] as const) {
  test(`${value} on an axis of ${axis} is written ${expected}`, () => {
    assert.equal(placeText(axis, value), expected);
  });
}
