import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLine } from "./fixtures";
import { entriesOf, type Order } from "./legend-entries";

const FALLING: Order = { by: "value", isFalling: true };
const long = makeLine([10, 20, 30], { id: "long", label: "long", x: Float64Array.of(0, 50, 100) });
const short = makeLine([90], { id: "short", label: "short", x: Float64Array.of(50) });
const odd = makeLine([Number.NaN, Number.NaN], { id: "odd", label: "odd", x: Float64Array.of(0, 100) });

const ids = (order: Order, x: number | null = null, search = "") =>
  entriesOf([long, odd, short], x, search, order).map(({ line }) => line.id);

test("a legend is sorted by value or name, and lines without a value come last either way", () => {
  assert.deepEqual(ids(FALLING), ["short", "long", "odd"]);
  assert.deepEqual(ids({ by: "value", isFalling: false }), ["long", "short", "odd"]);
  assert.deepEqual(ids({ by: "name", isFalling: false }), ["long", "odd", "short"]);
  assert.deepEqual(ids({ by: "name", isFalling: true }), ["short", "odd", "long"]);
});

test("names are sorted by the numbers in them", () => {
  const lines = ["run-10", "run-9", "run-1"].map((label) => makeLine([1], { label }));
  const names = entriesOf(lines, null, "", { by: "name", isFalling: false }).map(({ line }) => line.label);
  assert.deepEqual(names, ["run-1", "run-9", "run-10"]);
});

test("a legend shows the values at the cursor, and none for lines that do not reach it", () => {
  const values = entriesOf([long, short], 98, "", FALLING).map(({ line, value }) => [line.id, value]);
  assert.deepEqual(values, [
    ["long", 30],
    ["short", Number.NaN],
  ]);
  assert.equal(entriesOf([long], 102, "", FALLING)[0]?.at, 2);
  assert.equal(entriesOf([long], 103, "", FALLING)[0]?.at, -1);
  assert.equal(entriesOf([makeLine([])], null, "", FALLING)[0]?.at, -1);
});

test("a search matches part of a label, ignoring case", () => {
  assert.deepEqual(ids(FALLING, null, " ON "), ["long"]);
  assert.deepEqual(ids(FALLING, null, "nothing"), []);
});
