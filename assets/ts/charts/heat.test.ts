import assert from "node:assert/strict";
import { test } from "node:test";
import { isNear, makeLine, makeLook } from "./fixtures";
import type { Frame } from "./frame";
import { type Heat, heatFrameOf, heatOf, rangeOf } from "./heat";

/** Ten columns of three pixels over x from 0 to 10. */
const TEN: Frame = {
  x: { min: 0, max: 10, log: false, from: 0, to: 30 },
  y: { min: 0, max: 1, log: false, from: 0, to: 10 },
  ...{ left: 0, top: 0, right: 30, bottom: 10 },
};
const cellsOf = (y: number[], x?: number[]) =>
  [...heatOf([makeLine(y, x ? { x: Float64Array.from(x) } : {})], TEN).cells].map((cell) =>
    Number.isNaN(cell) ? "." : String(cell),
  );
const heat = (min: number, max: number): Heat => ({
  columns: 1,
  cells: new Float64Array(),
  min,
  mean: 0,
  max,
});

test("a point lasts until the next one", () => {
  assert.equal(cellsOf([1, 2, 3], [0, 3, 6]).join(""), "111222333.");
});

test("points in one cell are averaged", () => {
  assert.equal(cellsOf([1, 3, 5], [0, 0.25, 0.5])[0], "3");
});

test("a gap much longer than usual is left empty", () => {
  const x = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 9];
  const cells = cellsOf([1, 1, 1, 1, 1, 1, 1, 2], x);
  assert.equal(cells[0], "1");
  assert.equal(cells[5], ".");
  assert.equal(cells[9], "2");
});

test("non-finite values and points outside of x fill no cell", () => {
  assert.ok(cellsOf([Number.NaN, Infinity]).every((cell) => cell === "."));
  assert.ok(cellsOf([1, 1], [20, 30]).every((cell) => cell === "."));
  assert.ok(cellsOf([]).every((cell) => cell === "."));
});

test("a single point fills its cell", () => {
  assert.equal(cellsOf([7], [4]).join(""), "....7.....");
});

test("minimum, mean and maximum cover all cells", () => {
  const lines = [makeLine([2], { x: Float64Array.of(1) }), makeLine([6], { x: Float64Array.of(2) })];
  const { min, mean, max, columns, cells } = heatOf(lines, TEN);
  assert.deepEqual([min, mean, max, columns, cells.length], [2, 4, 6, 10, 20]);
});

test("percentages use the full range from 0 to 100, other units the range of the data", () => {
  const percent = makeLook({ unit: "%", clamped: true });
  assert.deepEqual(rangeOf(heat(40, 60), percent), [0, 100]);
  assert.deepEqual(rangeOf(heat(40, 60), makeLook({ unit: "W" })), [40, 60]);
  assert.deepEqual(rangeOf(heat(40, 60), makeLook({ yMin: 0, yMax: 50 })), [0, 50]);
});

for (const [value, expected] of [
  [5, [0, 5]],
  [0, [0, 1]],
  [-5, [-5, 0]],
] as const) {
  test(`values that are all ${value} still get a range to shade`, () => {
    assert.deepEqual(rangeOf(heat(value, value), makeLook({})), expected);
  });
}

test("a chosen end beyond all values still gives a range", () => {
  for (const [yMin, yMax] of [
    [20, null],
    [null, -20],
    [3, 3],
    [-3, -3],
  ] as const) {
    const [low, high] = rangeOf(heat(-1, 10), makeLook({ yMin, yMax }));
    assert.ok(high > low, `${yMin} to ${yMax}`);
  }
});

test("a heat map spans from the first to the last point of all lines", () => {
  const lines = [makeLine([1, 1], { x: Float64Array.of(5, 8) }), makeLine([1], { x: Float64Array.of(2) })];
  const frame = heatFrameOf(lines, makeLook({}), 400, 200);
  assert.deepEqual([frame.x.min, frame.x.max, frame.y.max], [2, 8, 2]);
  const part = heatFrameOf(lines, makeLook({ xMin: 3, xMax: 4 }), 400, 200);
  assert.deepEqual([part.x.min, part.x.max], [3, 4]);
});

test("a heat map of one point, or of none, still has a width", () => {
  const one = heatFrameOf([makeLine([1])], makeLook({}), 400, 200);
  assert.deepEqual([one.x.min, one.x.max], [0, 1]);
  assert.equal(heatFrameOf([], makeLook({}), 400, 200).y.max, 1);
});

test("names get the room that the longest needs, up to a third of the width", () => {
  const frames = ["a", "node-1", "x".repeat(500)].map((label) =>
    heatFrameOf([makeLine([1], { label })], makeLook({}), 300, 200),
  );
  const [short, long, longest] = frames.map(({ left }) => left) as [number, number, number];
  assert.ok(short < long && long < longest);
  isNear(longest, 100);
});

test("rows too low for their own names show those of their nodes", () => {
  const lines = Array.from({ length: 64 }, (_, at) =>
    makeLine([1], { label: `node-${at >> 3} · GPU with a long name ${at % 8}` }),
  );
  const low = heatFrameOf(lines, makeLook({}), 900, 200);
  const high = heatFrameOf(lines, makeLook({}), 900, 2000);
  assert.ok(low.left < high.left);
});
