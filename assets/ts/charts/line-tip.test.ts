import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLine } from "./fixtures";
import { columnsOf, rowsOf, statistics, textOf } from "./line-tip";

const long = makeLine([10, 20, 30], { id: "long", label: "long", x: Float64Array.of(0, 50, 100) });
const short = makeLine([90], { id: "short", label: "short", x: Float64Array.of(50) });
const group = { counts: Uint16Array.of(3, 1), band: "std" } as const;

test("a tip has a column only if some line has a value for it", () => {
  const smooth = makeLine([1], { raw: Float64Array.of(2) });
  const banded = makeLine([1], { low: Float64Array.of(0), high: Float64Array.of(2) });
  assert.deepEqual(columnsOf([long, short]), []);
  assert.deepEqual(columnsOf([long, smooth]), ["tipSmoothed", "tipRaw"]);
  assert.deepEqual(columnsOf([long, banded]), ["legendValue", "tipRange"]);
  assert.deepEqual(columnsOf([smooth, { ...banded, group }]), ["tipSmoothed", "tipRaw", "tipSpread"]);
});

test("a tip lists the largest value first and NaN last", () => {
  const hits = [Number.NaN, -Infinity, 3, Infinity, Number.NaN, -2].map((value, at) => ({
    line: makeLine([value], { id: `${at}` }),
    at: 0,
    value,
  }));
  const rows = rowsOf(hits, "2", "");
  assert.deepEqual(
    rows.map(({ value }) => value),
    ["Infinity", "3", "-2", "-Infinity", "NaN", "NaN"],
  );
  assert.deepEqual(
    rows.map(({ strong }) => strong),
    [false, true, false, false, false, false],
  );
});

test("a line without a raw value has an empty cell in that column", () => {
  const smooth = makeLine([1], { raw: Float64Array.of(2), label: "smooth" });
  const rows = rowsOf(
    [
      { line: smooth, at: 0, value: 1 },
      { line: short, at: 0, value: 90 },
    ],
    "",
    "",
  );
  assert.deepEqual(
    rows.map(({ more }) => more),
    [[""], ["2"]],
  );
});

test("values have four significant figures and their unit", () => {
  assert.equal(textOf(0.123456, ""), "0.1235");
  assert.equal(textOf(0.5, ""), "0.5000");
  assert.equal(textOf(2048, "bytes"), "2 KiB");
});

test("statistics cover finite values and need at least two", () => {
  const hits = (values: number[]) => values.map((value) => ({ line: long, at: 0, value }));
  assert.equal(statistics(hits([1, Number.NaN, 3, Infinity]), "%"), "tipMean 2% · 1% – 3%");
  assert.equal(statistics(hits([1, Number.NaN]), "%"), "");
  assert.equal(statistics([], ""), "");
});
