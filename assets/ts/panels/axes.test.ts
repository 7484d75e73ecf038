import assert from "node:assert/strict";
import { test } from "node:test";
import { isNear } from "../charts/fixtures";
import { axisOf, extentOf, fitted, kindOf, spansDecades, textIn, ticksAlong } from "./axes";
import { makeTable } from "./fixtures";

const WISH = { from: 0, to: 100, log: false, room: 0 } as const;
const axis = (cells: unknown[], wish: Partial<Parameters<typeof axisOf>[2]> = {}) =>
  axisOf(makeTable({ "config.a": cells }), "config.a", { ...WISH, ...wish });

for (const [values, isPositive, expected] of [
  [[], false, null],
  [[Number.NaN, Infinity, -Infinity], false, null],
  [[3], false, [3, 3]],
  [[2, Number.NaN, -1, Infinity, 5], false, [-1, 5]],
  [[2, 0, -1, 5], true, [2, 5]],
  [[0, -1], true, null],
] as const) {
  test(`the extent of [${values}]${isPositive ? ", positive," : ""} is ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(extentOf(values, isPositive), expected);
  });
}

for (const [values, expected] of [
  [[1, 20], true],
  [[1, 19], false],
  [[0, 100], false],
  [[-1, 100], false],
  [[], false],
  [[1e-5, 1e-2, Number.NaN], true],
] as const) {
  test(`[${values}] ${expected ? "suit" : "do not suit"} a logarithmic scale`, () => {
    assert.equal(spansDecades(values), expected);
  });
}

test("numbers are placed between the ends, and other values nowhere", () => {
  const { places, names, scale } = axis([0, 5, "NaN", 10, null, "Infinity"]);
  assert.deepEqual([...places], [0, 50, Number.NaN, 100, Number.NaN, Number.NaN]);
  assert.equal(names, null);
  assert.deepEqual([scale.min, scale.max], [0, 10]);
});

test("text and booleans are placed evenly in natural order", () => {
  const { names, values, places } = axis(["run-10", "run-9", null, "run-9"]);
  assert.deepEqual(names, ["run-9", "run-10"]);
  assert.deepEqual([...values], [1, 0, Number.NaN, 0]);
  assert.deepEqual([...places], [100, 0, Number.NaN, 0]);
  assert.deepEqual(axis([true, false]).names, ["false", "true"]);
});

test("a column that mixes numbers and words has names", () => {
  assert.deepEqual(axis([1, "auto", 2]).names, ["1", "2", "auto"]);
});

test("room is left beyond both ends", () => {
  const { scale } = axis([0, 10], { room: 0.05 });
  isNear(scale.min, -0.5);
  isNear(scale.max, 10.5);
});

test("equal values are centered in a range around them", () => {
  for (const [value, half] of [
    [0, 0.5],
    [10, 1],
    [-10, 1],
  ] as const) {
    const { scale, places } = axis([value, value]);
    isNear(scale.min, value - half);
    isNear(scale.max, value + half);
    isNear(places[0], 50);
  }
});

test("a logarithmic axis places only positive values", () => {
  const { places, scale } = axis([-1, 0, 1, 10, 100], { log: true });
  assert.deepEqual([...places], [Number.NaN, Number.NaN, 0, 50, 100]);
  assert.ok(scale.log);
});

test("a logarithmic axis of equal values, or of none, still has a range", () => {
  const { scale } = axis([5, 5], { log: true });
  assert.ok(scale.min < 5 && scale.max > 5);
  const none = axis([-1, 0], { log: true }).scale;
  assert.ok(none.min > 0 && none.max > none.min);
  assert.ok(axis([]).scale.max > axis([]).scale.min);
});

test("an automatic axis is logarithmic if values span decades, and never for names", () => {
  assert.ok(axis([1e-4, 1e-1], { log: "auto" }).scale.log);
  assert.ok(!axis([1, 2], { log: "auto" }).scale.log);
  assert.ok(!axis([0, 1000], { log: "auto" }).scale.log);
  assert.ok(!axis(["a", "b"], { log: true }).scale.log);
});

test("names are thinned out to the room there is", () => {
  const names = Array.from({ length: 10 }, (_, at) => `n${at}`);
  const texts = (space: number) => ticksAlong(axis(names), space).map(({ text }) => text);
  assert.deepEqual(texts(10), names);
  assert.deepEqual(texts(30), ["n0", "n4", "n8"]);
  assert.deepEqual(texts(1000), ["n0"]);
});

test("numbers have round ticks", () => {
  assert.deepEqual(
    ticksAlong(axis([0, 10]), 50).map(({ text }) => text),
    ["0", "5", "10"],
  );
});

for (const [text, width, expected] of [
  ["loss", 100, "loss"],
  ["validation loss", 62, "validatio…"],
  ["abc", 0, "a…"],
  ["ab", 0, "ab"],
  ["", 50, ""],
] as const) {
  test(`"${text}" is written "${expected}" in ${width} pixels`, () => {
    assert.equal(fitted(text, width), expected);
  });
}

test("columns of times and durations are recognized by name", () => {
  assert.equal(kindOf("created"), "timestamp");
  assert.equal(kindOf("runtime"), "runtime");
  assert.equal(kindOf("config.created"), "number");
});

for (const [column, cell, expected] of [
  ["runtime", 3723, "1h 02m 03s"],
  ["config.lr", 0.1, "0.1"],
  ["runtime", null, ""],
  ["config.name", "adam", "adam"],
  ["config.tags", ["a", "b"], '["a","b"]'],
] as const) {
  test(`${JSON.stringify(cell)} in ${column} is written "${expected}"`, () => {
    assert.equal(textIn(column, cell), expected);
  });
}
