import assert from "node:assert/strict";
import { test } from "node:test";
import { hasAddress, isVega, tipRows } from "./vega-spec";

for (const [spec, isIt] of [
  [{ $schema: "https://vega.github.io/schema/vega/v5.json", mark: "bar" }, true],
  [{ $schema: "https://vega.github.io/schema/vega-lite/v5.json", marks: [] }, false],
  [{ marks: [] }, true],
  [{ marks: [], mark: "bar" }, false],
  [{ mark: "bar" }, false],
  [{ layer: [] }, false],
  [{ $schema: null }, false],
  [{}, false],
] as const) {
  test(`${JSON.stringify(spec)} is written in ${isIt ? "Vega" : "Vega-Lite"}`, () => {
    assert.equal(isVega(spec), isIt);
  });
}

for (const [spec, has] of [
  [{ data: { url: "https://example.org/a.csv" } }, true],
  [{ data: [{ name: "a", values: [] }, { url: "a.csv" }] }, true],
  [{ layer: [{ hconcat: [{ data: { url: "x" } }] }] }, true],
  [{ transform: [{ lookup: "id", from: { data: { url: "x" } } }] }, true],
  [{ marks: [{ from: { url: "x" } }] }, true],
  [{ data: { name: "wandb" } }, false],
  [{ encoding: { url: { field: "link" } } }, false],
  [{ mark: "image", encoding: { url: { value: "x" } } }, false],
  [{ data: null, layer: [null, 3, "url"] }, false],
  [null, false],
  ["data", false],
] as const) {
  test(`${JSON.stringify(spec)} reads ${has ? "from an address" : "from nowhere"}`, () => {
    assert.equal(hasAddress(spec), has);
  });
}

test("a tip says what a row has, under the titles of the page", () => {
  const row = { step: 3, loss: 0.5, box: { a: 1 }, none: null };
  assert.deepEqual(tipRows(row, { loss: "Loss" }), [
    ["step", "3"],
    ["Loss", "0.5"],
    ["box", '{"a":1}'],
    ["none", "null"],
  ]);
});

test("what only places a row is left out", () => {
  const row = { id: "run1", color: "#fff", count: 2, count_start: 0, count_end: 2, week_end: "Sunday" };
  assert.deepEqual(tipRows(row, {}), [
    ["count", "2"],
    ["week_end", "Sunday"],
  ]);
});

test("a single value or a list is said as it is, and nothing hides the tip", () => {
  assert.deepEqual(tipRows("text", {}), [["", "text"]]);
  assert.deepEqual(tipRows(0, {}), [["", "0"]]);
  assert.deepEqual(tipRows([1, 2], {}), [["", "[1,2]"]]);
  for (const value of [null, undefined, ""]) assert.equal(tipRows(value, {}), null);
});
