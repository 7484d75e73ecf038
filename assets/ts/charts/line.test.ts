import assert from "node:assert/strict";
import { test } from "node:test";
import { isNear } from "./fixtures";
import { Line } from "./line";
import { type SeriesReply, toColumn, toNumber, type WireLine } from "./wire";

const reply = (x: number[], wire: Partial<WireLine>, next = 10): SeriesReply => ({
  next: { r: next },
  x: [x],
  series: { r: { loss: { x: 0, last: [], ...wire } } },
});
const more = (line: Line, x: number[], last: WireLine["last"], next = 20) => {
  const given = reply(x, { last }, next);
  return line.append(given, "r", given.series.r?.loss);
};
const lineOf = (x: number[], wire: Partial<WireLine>, next = 10) =>
  Line.of(reply(x, wire, next), "r", "loss");
const list = (column: Float64Array | null) => column && [...column];

for (const [value, expected] of [
  [1.5, 1.5],
  [Number.NaN, Number.NaN],
  ["NaN", Number.NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  [null, Number.NaN],
  [undefined, Number.NaN],
  ["1.5", Number.NaN],
  [true, Number.NaN],
  [[3], 3],
  [["Infinity"], Infinity],
  [[1, 2], Number.NaN],
  [[], Number.NaN],
  [{}, Number.NaN],
] as const) {
  test(`${JSON.stringify(value) ?? value} from the server is read as ${expected}`, () => {
    assert.ok(Object.is(toNumber(value), expected));
  });
}

test("a column keeps the positions of values that are not numbers", () => {
  assert.deepEqual([...toColumn([1, null, "NaN", "-Infinity"])], [1, Number.NaN, Number.NaN, -Infinity]);
  assert.deepEqual([...toColumn([])], []);
});

test("a line contains the points of the reply", () => {
  const line = lineOf([0, 5], { last: [1, "NaN"], min: [0, 1], max: [2, 3], smooth: [1, 1] });
  assert.equal(line.length, 2);
  assert.equal(line.nextRow, 10);
  const { x, last, low, high, smooth } = line.columns();
  assert.deepEqual(
    [list(x), list(last)],
    [
      [0, 5],
      [1, Number.NaN],
    ],
  );
  assert.deepEqual(
    [list(low), list(high), list(smooth)],
    [
      [0, 1],
      [2, 3],
      [1, 1],
    ],
  );
});

test("a run without the key has an empty line", () => {
  for (const uid of ["other", "constructor", "__proto__"]) {
    const line = Line.of(reply([0], { last: [1] }), uid, "loss");
    assert.equal(line.length, 0);
    assert.equal(line.nextRow, 0);
  }
  for (const key of ["acc", "constructor", "toString"])
    assert.equal(Line.of(reply([0], { last: [1] }), "r", key).length, 0);
});

test("new points are appended, again and again", () => {
  const line = lineOf([0], { last: [0] });
  for (let at = 1; at <= 200; at += 1) assert.ok(more(line, [at], [at * 2], at));
  const { x, last } = line.columns();
  assert.equal(x.length, 201);
  assert.ok(x.every((value, at) => value === at && last[at] === at * 2));
  assert.equal(line.nextRow, 200);
});

test("points appended to buckets are their own minimum and maximum", () => {
  const line = lineOf([0, 1], { last: [5, 6], min: [4, 4], max: [8, 8] });
  more(line, [2], [7]);
  const { low, high } = line.columns();
  assert.deepEqual(
    [list(low), list(high)],
    [
      [4, 4, 7],
      [8, 8, 7],
    ],
  );
});

test("a reply without new points only moves the cursor", () => {
  const line = lineOf([0], { last: [1] }, 10);
  assert.ok(line.append({ next: { r: 25 }, x: [], series: {} }, "r", undefined));
  assert.equal(line.nextRow, 25);
  assert.ok(more(line, [], [], 30));
  assert.deepEqual([line.length, line.nextRow], [1, 30]);
});

test("x that goes back is refused, x that repeats is accepted", () => {
  const line = lineOf([0, 5], { last: [1, 2] });
  assert.ok(more(line, [5], [3]));
  assert.equal(more(line, [4], [4]), false);
  assert.deepEqual(list(line.columns().x), [0, 5, 5]);
});

test("a line must be reread once many points were appended", () => {
  const line = lineOf([0], { last: [0] });
  const rows = Array.from({ length: 1500 }, (_, at) => at + 1);
  more(line, rows, rows);
  assert.equal(line.isHeavy, false);
  more(line, [1501], [0]);
  assert.equal(line.isHeavy, true);
});

test("a finer line is continued with newer points of the live line", () => {
  const fine = lineOf([0, 1, 2], { last: [0, 1, 2], min: [0, 0, 0], max: [9, 9, 9], smooth: [0, 0.5, 1] });
  const grown = lineOf([0, 2, 3, 4], { last: [0, 2, 4, "NaN"], min: [0, 1, 3, 3], max: [1, 3, 5, 5] });
  const { x, last, low, high, smooth } = fine.continuedBy(grown, { kind: "ema", amount: 0.5 });
  assert.deepEqual(list(x), [0, 1, 2, 3, 4]);
  assert.deepEqual(list(last), [0, 1, 2, 4, Number.NaN]);
  assert.deepEqual(
    [list(low), list(high)],
    [
      [0, 0, 0, 3, 3],
      [9, 9, 9, 5, 5],
    ],
  );
  isNear(smooth?.[3], 0.5 * 1 + 0.5 * 4);
  assert.ok(Number.isNaN(smooth?.[4]));
});

test("an empty line is continued with all points of another", () => {
  const { x, low } = new Line(0).continuedBy(lineOf([3, 4], { last: [1, 2] }), { kind: "none", amount: 0 });
  assert.deepEqual([list(x), low], [[3, 4], null]);
});

test("windowed smoothing starts over behind a smoothed line", () => {
  const fine = lineOf([0, 1], { last: [0, 0], smooth: [0, 0] });
  const grown = lineOf([0, 1, 2, 3], { last: [0, 0, 6, 12] });
  const { smooth } = fine.continuedBy(grown, { kind: "average", amount: 3 });
  assert.deepEqual(list(smooth), [0, 0, 9, 9]);
});
