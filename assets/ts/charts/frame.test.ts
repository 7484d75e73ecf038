import assert from "node:assert/strict";
import { test } from "node:test";
import { isNear, makeLine, makeLook } from "./fixtures";
import { dashOfLine, frameOf, isShaded, nearest, yTicksOf } from "./frame";

const WIDTH = 400;
const HEIGHT = 200;
const frame = (lines: Parameters<typeof frameOf>[0], look: Parameters<typeof makeLook>[0] = {}) =>
  frameOf(lines, makeLook(look), WIDTH, HEIGHT);

for (const [name, lines, look, x, y] of [
  ["no line", [], {}, [0, 1], [-0.06, 1.06]],
  ["no line on logarithmic axes", [], { logX: true, logY: true }, [1, 10], [1 / 1.1, 11]],
  ["an empty line", [makeLine([])], {}, [0, 1], [-0.06, 1.06]],
  ["one point", [makeLine([5])], {}, [-0.5, 0.5], [4.44, 5.56]],
  ["one point at zero", [makeLine([0])], {}, [-0.5, 0.5], [-0.56, 0.56]],
  ["one negative point", [makeLine([-10])], {}, [-0.5, 0.5], [-11.12, -8.88]],
  ["a level line", [makeLine([2, 2, 2])], {}, [0, 2], [1.776, 2.224]],
  ["a line", [makeLine([0, 100])], {}, [0, 1], [-6, 106]],
  ["only NaN", [makeLine([Number.NaN, Number.NaN])], {}, [0, 1], [-0.06, 1.06]],
  ["infinities beside numbers", [makeLine([Infinity, 0, 100, -Infinity])], {}, [0, 3], [-6, 106]],
  [
    "two lines",
    [makeLine([0, 1]), makeLine([-1, 100], { x: new Float64Array([5, 9]) })],
    {},
    [0, 9],
    [-7.06, 106.06],
  ],
  [
    "logarithmic y without its values below zero",
    [makeLine([-5, 0, 1, 100])],
    { logY: true },
    [0, 3],
    [1 / 1.1, 110],
  ],
  ["logarithmic y without any value above zero", [makeLine([-5, 0])], { logY: true }, [0, 1], [1 / 1.1, 11]],
  ["one value on logarithmic y", [makeLine([8, 8])], { logY: true }, [0, 1], [4 / 1.1, 16 * 1.1]],
  [
    "logarithmic x that begins at zero",
    [makeLine([1, 1, 1, 1])],
    { logX: true, yMin: 0, yMax: 2 },
    [1, 3],
    [0, 2],
  ],
  [
    "limits chosen by the user",
    [makeLine([0, 100])],
    { xMin: 0.5, xMax: 3, yMin: -1, yMax: 7 },
    [0.5, 3],
    [-1, 7],
  ],
  ["only the lower end chosen", [makeLine([5, 10])], { yMin: 0 }, [0, 1], [0, 10.6]],
  ["chosen ends beyond which all lines lie", [makeLine([5, 10])], { yMin: 20 }, [0, 1], [20, 21.06]],
  ["a zero chosen on logarithmic y", [makeLine([1, 100])], { yMin: 0, logY: true }, [0, 1], [0.1 / 1.1, 110]],
  [
    "a zero chosen on logarithmic x",
    [makeLine([1, 1, 1])],
    { xMin: 0, logX: true, yMin: 0, yMax: 2 },
    [0.002, 2],
    [0, 2],
  ],
  [
    "a chosen end on logarithmic y above all",
    [makeLine([5, 10])],
    { yMin: 20, logY: true },
    [0, 1],
    [20, 220],
  ],
] as const) {
  test(`the axes of ${name}`, () => {
    const found = frame(lines, look);
    isNear(found.x.min, x[0], 1e-6);
    isNear(found.x.max, x[1], 1e-6);
    isNear(found.y.min, y[0], 1e-6);
    isNear(found.y.max, y[1], 1e-6);
    assert.ok(found.left < found.right && found.top < found.bottom);
  });
}

test("y covers only the points within the range of x", () => {
  const found = frame([makeLine([1000, 0, 100, 1000])], { xMin: 1, xMax: 2 });
  isNear(found.y.max, 106);
});

test("a line that differs only by rounding errors counts as level", () => {
  const found = frame([makeLine([0.1 + 0.2, 0.3])]);
  assert.ok(found.y.max - found.y.min > 0.01);
});

test("bands and unsmoothed values extend the range of y", () => {
  const line = makeLine([1, 1], {
    ...{ raw: Float64Array.of(0, 3), low: Float64Array.of(-10, 0), high: Float64Array.of(2, 20) },
  });
  isNear(frame([line]).y.min, -10 - 30 * 0.06);
  isNear(frame([line]).y.max, 20 + 30 * 0.06);
});

test("bands are not shaded around many lines, except around groups", () => {
  const line = makeLine([1], { low: Float64Array.of(-100) });
  const group = { counts: Uint16Array.of(2), band: "range" } as const;
  assert.ok(isShaded(line, 4));
  assert.ok(!isShaded(line, 5));
  assert.ok(isShaded({ ...line, group }, 50));
  assert.ok(frame(Array(5).fill(line)).y.min > -1);
});

test("outliers are excluded from y when there are enough values", () => {
  const values = Array.from({ length: 100 }, (_, at) => at);
  const found = frame([makeLine([...values, 1e9])], { withoutOutliers: true });
  assert.ok(found.y.max < 110 && found.y.max > 90);
  assert.ok(found.y.min > -5 && found.y.min < 5);
  assert.ok(frame([makeLine([0, 1, 1e9])], { withoutOutliers: true }).y.max > 1e9);
});

test("wide ticks push the plot to the right, by at most a third of the width", () => {
  const short = frame([makeLine([0, 1])]);
  const long = frame([makeLine([0, 123_456_789])], { unit: "a very long unit of something" });
  assert.ok(long.left > short.left);
  assert.ok(long.left <= WIDTH / 3);
});

test("a name of y moves the top of the plot down", () => {
  assert.ok(frame([], { yName: "loss" }).top > frame([]).top);
});

test("y has at most eight ticks, with a percent sign for percentages", () => {
  const ticks = yTicksOf({ min: 0, max: 100, log: false, from: 900, to: 0 }, "%");
  assert.ok(ticks.length <= 9);
  assert.ok(ticks.every(({ text }) => text.endsWith("%")));
});

for (const [x, at, expected] of [
  [[], 3, -1],
  [[5], -100, 0],
  [[5], 100, 0],
  [[0, 10, 20], 14, 1],
  [[0, 10, 20], 16, 2],
  [[0, 10, 20], 10, 1],
  [[0, 10], 5, 1],
  [[0, 0, 0, 7], 0, 0],
  [[0, 10, 20], Infinity, 2],
  [[0, 10, 20], -Infinity, 0],
] as const) {
  test(`nearest to ${at} of [${x}] is point ${expected}`, () => {
    assert.equal(nearest(Float64Array.from(x), at), expected);
  });
}

test("a line's own dash is added to the dash of its color and wraps around", () => {
  assert.equal(dashOfLine({ color: 0, dash: 0 }), 0);
  assert.equal(dashOfLine({ color: 8, dash: 0 }), 1);
  assert.equal(dashOfLine({ color: 8, dash: 4 }), 0);
  assert.equal(dashOfLine({ color: "#123456", dash: 2 }), 2);
  assert.equal(dashOfLine({ color: -1, dash: 0 }), 1);
});
