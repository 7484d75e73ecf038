import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAbout, makeKey } from "./fixtures";
import { customPanels, kindOfType, panelsOf, withoutChartTables } from "./generate";

const media = (key: string, type: string) => makeKey(key, { types: [type], numbers: false });

for (const [type, kind] of [
  ["table-file", "table"],
  ["joined-table", "table"],
  ["histogram", "histogram"],
  ["image-file", "media"],
  ["images/separated", "media"],
  ["video-file", "media"],
  ["string", undefined],
  ["number", undefined],
  ["constructor", undefined],
] as const) {
  test(`values of the type ${type} are shown ${kind ? `by ${kind} panels` : "by no panel"}`, () => {
    assert.equal(kindOfType(type), kind);
  });
}

test("every visible key has a panel of its kind", () => {
  const keys = [
    makeKey("loss"),
    makeKey("hidden", { hidden: true }),
    media("notes", "string"),
    media("samples", "image-file"),
    media("rows", "table-file"),
    media("weights", "histogram"),
    makeKey("mixed", { types: ["string", "image-file"], numbers: false }),
  ];
  assert.deepEqual(
    panelsOf("history", keys, false).map(({ id, kind, section, span }) => [id, kind, section, span]),
    [
      ["loss", "line", "sectionCharts", undefined],
      ["samples", "media", "sectionMedia", 2],
      ["rows", "table", "sectionTables", 2],
      ["weights", "histogram", "sectionCharts", undefined],
      ["mixed", "media", "sectionMedia", 2],
    ],
  );
});

test("a key under which numbers and pictures were logged is drawn as a line", () => {
  const [panel] = panelsOf("history", [makeKey("x", { types: ["image-file", "number"] })], false);
  assert.equal(panel?.kind, "line");
});

test("tags of one system metric share a panel", () => {
  const about = makeAbout();
  const keys = ["gpu.0", "gpu.1"].map((key) => makeKey(key, { about }));
  const [panel, ...others] = panelsOf("system", keys, false);
  assert.deepEqual([panel?.id, panel?.keys, others], ["system:gpu.usage", ["gpu.0", "gpu.1"], []]);
});

test("lines come before other kinds in a section", () => {
  const [line, table] = panelsOf("history", [makeKey("val/x"), media("val/rows", "table-file")], false);
  assert.ok((line?.order ?? 0) < (table?.order ?? 0));
});

test("without keys there are no panels", () => {
  assert.deepEqual(panelsOf("history", [], false), []);
});

const chart = (key: string, title?: string) => ({
  panel_config: {
    panelDefId: "wandb/line/v0",
    stringSettings: title ? { title } : {},
    source: { kind: "table", key },
  },
});

test("charts logged by the SDK get titled panels in their own section (RUN-26)", () => {
  const [titled, plain] = customPanels({ roc: chart("roc_table", "ROC"), "val/pr": chart("pr_table") });
  assert.deepEqual(
    [titled?.id, titled?.title, titled?.section, titled?.rank, titled?.keys],
    ["chart:roc", "ROC", "sectionCustom", 3, ["roc"]],
  );
  assert.equal(plain?.title, "val/pr");
});

test("tables that feed charts have no separate panels", () => {
  const panels = panelsOf("history", [media("roc_table", "table-file"), media("other", "table-file")], false);
  const left = withoutChartTables(panels, { roc: chart("roc_table") });
  assert.deepEqual(
    left.map(({ id }) => id),
    ["other"],
  );
});
