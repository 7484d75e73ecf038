import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSpec } from "../fixtures";
import type { PanelKind, PanelSpec } from "../spec";
import { keptOf, missingOf, titleOf } from "./described";

const spec = (kind: PanelKind, given: Partial<PanelSpec> = {}) =>
  makeSpec({ kind, keys: [], title: "", ...given });

for (const [given, expected] of [
  [spec("line", { keys: ["a", "b", "c", "d"] }), "a, b, c"],
  [spec("line", { keys: ["a"], keysPattern: "^x" }), "^x"],
  [spec("line", { keys: ["a"], keysPattern: "^x", yExpression: "1 + 1" }), "1 + 1"],
  [spec("line"), "kind_line"],
  [spec("media", { keys: ["samples", "others"] }), "samples"],
  [spec("histogram"), "kind_histogram"],
  [spec("scatter", { columns: ["config.lr", "summary.loss", ""] }), "loss / lr"],
  [spec("scatter", { columns: ["config.lr"] }), "lr"],
  [spec("importance", { columns: ["summary.loss"] }), "kind_importance: loss"],
  [spec("importance"), "kind_importance"],
  [spec("parallel", { columns: ["config.a", "config.b", "config.c", "config.d"] }), "a, b, c"],
  [spec("bar", { columns: [""] }), "kind_bar"],
  [spec("markdown"), "kind_markdown"],
] as const) {
  test(`a panel (${given.kind}) without a title is called "${expected}"`, () => {
    assert.equal(titleOf(given), expected);
  });
}

for (const [given, expected] of [
  [spec("line"), "previewKeys"],
  [spec("line", { keys: ["a"] }), ""],
  [spec("table"), "previewKey"],
  [spec("table", { keys: [""] }), "previewKey"],
  [spec("media", { keys: ["a"] }), ""],
  [spec("scatter", { columns: ["a", ""] }), "previewColumns"],
  [spec("scatter", { columns: ["a", "b"] }), ""],
  [spec("parallel", { columns: ["a"] }), "previewColumns"],
  [spec("bar"), "previewColumn"],
  [spec("scalar", { columns: ["a"] }), ""],
  [spec("markdown", { content: "  \n" }), "previewText"],
  [spec("markdown", { content: "# x" }), ""],
  [spec("code"), ""],
  [spec("code", { content: "" }), "previewText"],
  [spec("compare"), ""],
  [spec("importance"), ""],
] as const) {
  test(`a panel (${given.kind}) of ${JSON.stringify(given.columns ?? given.keys)} ${expected ? `lacks: ${expected}` : "can be drawn"}`, () => {
    assert.equal(missingOf(given), expected);
  });
}

const sections = [{ name: "val", rank: 4 }];

test("empty fields are not kept", () => {
  const whole = {
    ...spec("line"),
    keys: ["a"],
    xMin: null,
    xTitle: "",
    logY: undefined,
    yMin: 0,
    logX: false,
  };
  assert.deepEqual(keptOf(whole as unknown as PanelSpec, sections), {
    ...{ id: "loss", kind: "line", source: "history", section: "Charts", rank: 1, title: "a", keys: ["a"] },
    ...{ yMin: 0, logX: false },
  });
});

test("an empty x is kept, since it means the axis of each key", () => {
  assert.equal(keptOf(spec("line", { x: "" }), sections).x, "");
  assert.ok(!("x" in keptOf(spec("line"), sections)));
});

test("a panel gets the rank of its section, and a default section if it has none", () => {
  assert.equal(keptOf(spec("line", { section: "val", rank: 9 }), sections).rank, 4);
  assert.equal(keptOf(spec("line", { section: "" }), sections).section, "sectionCharts");
  assert.equal(keptOf(spec("line", { title: "Mine" }), sections).title, "Mine");
});
