import assert from "node:assert/strict";
import { test } from "node:test";
import { guess } from "./guess";
import { filled, holesOf, safeName, safeRows, untitled } from "./template";

/** A hole: `field:x` becomes `${field:x}`. */
const hole = (what: string) => `\${${what}}`;
const fill = (spec: unknown, fields: Record<string, string> = {}, strings: Record<string, string> = {}) =>
  filled(JSON.stringify(spec), fields, strings);

test("placeholders of a specification are found, each once", () => {
  const text = [
    hole("field:x"),
    hole("string:title"),
    hole("field:x"),
    hole("field:y:loss"),
    hole("other:z"),
  ].join(" ");
  assert.deepEqual(holesOf(text), { fields: ["x", "y"], strings: ["title"] });
  assert.deepEqual(holesOf(`no holes: ${hole("field")}`), { fields: [], strings: [] });
});

test("placeholders are filled in values and keys, at any depth", () => {
  const spec = { a: [{ [hole("field:k")]: `x ${hole("string:t")} y` }], n: 1, none: null, on: true };
  assert.deepEqual(fill(spec, { k: "loss" }, { t: "T" }), {
    a: [{ loss: "x T y" }],
    n: 1,
    none: null,
    on: true,
  });
});

test("an unfilled field keeps its name and an unfilled string is empty, unless there is a default", () => {
  const spec = {
    field: hole("field:x"),
    other: hole("field:x:_step"),
    title: hole("string:t"),
    said: hole("string:t:Loss"),
    empty: hole("field:x:"),
  };
  assert.deepEqual(fill(spec), { field: "x", other: "_step", title: "", said: "Loss", empty: "x" });
});

test("a string may be empty on purpose and cannot break the JSON", () => {
  assert.deepEqual(fill({ t: hole("string:t:Loss") }, {}, { t: "" }), { t: "" });
  assert.deepEqual(fill({ t: hole("string:t") }, {}, { t: '", "x": "$& \\' }), { t: '", "x": "$& \\' });
});

test("column names are made safe for Vega", () => {
  assert.equal(safeName("config.a[0]'\"\\b"), "config_a_0____b");
  assert.deepEqual(fill({ f: hole("field:x") }, { x: "summary.loss" }), { f: "summary_loss" });
});

for (const text of ["", "{", "[]", "null", "1", '"text"']) {
  test(`${text || "nothing"} is no specification`, () => {
    assert.throws(() => filled(text, {}, {}), SyntaxError);
  });
}

test("rows get names that are safe for Vega, with their original titles", () => {
  const rows = [{ "config.lr": 1, x: 2 }, { "summary.loss": 3 }];
  assert.deepEqual(safeRows(rows), {
    rows: [{ config_lr: 1, x: 2 }, { summary_loss: 3 }],
    titles: { config_lr: "config.lr", summary_loss: "summary.loss" },
  });
  assert.deepEqual(safeRows([{ x: 1 }]), { rows: [{ x: 1 }], titles: {} });
  assert.deepEqual(safeRows([]), { rows: [], titles: {} });
});

test("a title that the card already shows is removed", () => {
  for (const title of ["Loss", "", { text: "Loss" }, { text: "" }])
    assert.deepEqual(untitled({ title, mark: "bar" }, "Loss"), { mark: "bar" });
  for (const title of ["Other", { text: "Other" }, undefined, null])
    assert.deepEqual(untitled({ title, mark: "bar" }, "Loss"), { title, mark: "bar" });
});

const row = { id: "r", loss: 1, name: "run", _step: 4, "summary._runtime": 5, acc: 2 };
const columns = Object.keys(row);

for (const [field, taken, expected] of [
  ["acc", [], "acc"],
  ["name", [], "name"],
  ["x", [], "_step"],
  ["step", [], "_step"],
  ["y", [], "loss"],
  ["y", ["loss"], "acc"],
  ["y", ["loss", "acc"], ""],
] as const) {
  test(`the field ${field} is guessed to be ${expected || "none"}${taken.length ? ` after ${taken}` : ""}`, () => {
    assert.equal(guess(field, columns, row, taken), expected);
  });
}

test("without rows a field is guessed by name only", () => {
  assert.equal(guess("y", columns, undefined, []), "");
  assert.equal(guess("x", [], undefined, []), "");
});
