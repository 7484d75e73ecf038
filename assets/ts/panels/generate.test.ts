import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAbout, makeKey } from "./fixtures";
import { customPanels, kindOfType, panelsOf, withoutChartTables } from "./generate";
import { isProgress, placeOf, roomyPlace } from "./places";

const place = (key: string) => placeOf("history", { key }, false);
const media = (key: string, type: string) => makeKey(key, { types: [type], numbers: false });

for (const [key, section, rank] of [
  ["loss", "sectionCharts", 0],
  ["val/loss", "val", 1],
  ["eval_2/acc", "eval_2", 1],
  ["train/loss", "train", 2],
  ["Trainer/loss", "Trainer", 2],
  ["layers/0/weight", "layers", 5],
  ["/odd", "sectionCharts", 0],
  ["evaluate/x", "evaluate", 5],
  ["train/epoch", "sectionProgress", 1000],
  ["trainer/global_step", "sectionProgress", 1000],
  ["lr", "sectionProgress", 1000],
] as const) {
  test(`${key} is in the section ${section}`, () => {
    const found = place(key);
    assert.deepEqual([found.section, found.rank, found.title], [section, rank, key]);
  });
}

for (const [key, expected] of [
  ["epoch", true],
  ["Epoch", true],
  ["global_step", true],
  ["num_env_steps", true],
  ["train/batch_idx", true],
  ["optimizer-steps", true],
  ["learning_rate", true],
  ["lr-Adam/pg1", true],
  ["optim/learning_rate/group_0", true],
  ["stepsize", false],
  ["loss_step", false],
  ["epoch/loss", false],
  ["lrn", false],
  ["time_step_error", false],
  ["val_accuracy", false],
  ["", false],
] as const) {
  test(`"${key}" ${expected ? "only tells" : "tells more than"} how far a script has come`, () => {
    assert.equal(isProgress(key), expected);
  });
}

test("validation comes first, then losses, accuracies, rewards and all else", () => {
  const keys = ["grad_norm", "reward", "acc", "loss", "val_x", "val_reward", "val_acc", "val_loss"];
  const sorted = [...keys].sort((a, b) => (place(a).order ?? 0) - (place(b).order ?? 0));
  assert.deepEqual(sorted, [...keys].reverse());
});

test("system metrics are in one section of a workspace, last and with headings", () => {
  const about = makeAbout({ section: "GPU", rank: 2, order: 7, title: "GPU usage" });
  assert.deepEqual(placeOf("system", { key: "gpu.0", about }, false), {
    ...{ section: "sectionSystem", title: "GPU usage", rank: 1001, order: 2007, group: "GPU" },
    text: about.text,
  });
});

test("on a run's page accelerators have sections of their own", () => {
  const found = placeOf("system", { key: "gpu.0", about: makeAbout({ rank: 3 }) }, true);
  assert.deepEqual([found.section, found.rank, found.group], ["GPU", 3, undefined]);
  const other = placeOf("system", { key: "cpu", about: makeAbout({ rank: 4, section: "CPU" }) }, true);
  assert.deepEqual([other.section, other.group], ["sectionSystem", "CPU"]);
});

test("a system metric that the server does not know is placed by its key", () => {
  assert.equal(placeOf("system", { key: "x/y" }, true).section, "x");
});

test("tables and media without a section of their own have a roomy one", () => {
  assert.equal(roomyPlace("examples", true).section, "sectionTables");
  assert.equal(roomyPlace("examples", false).section, "sectionMedia");
  assert.deepEqual(roomyPlace("val/examples", true), {});
  assert.equal(roomyPlace("/examples", true).section, "sectionTables");
});

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

test("every key that is not hidden has a panel of its kind", () => {
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

test("charts that the SDK logged have panels in their section, by their titles (RUN-26)", () => {
  const [titled, plain] = customPanels({ roc: chart("roc_table", "ROC"), "val/pr": chart("pr_table") });
  assert.deepEqual(
    [titled?.id, titled?.title, titled?.section, titled?.rank, titled?.keys],
    ["chart:roc", "ROC", "sectionCustom", 3, ["roc"]],
  );
  assert.equal(plain?.title, "val/pr");
});

test("the tables of charts have no panels of their own", () => {
  const panels = panelsOf("history", [media("roc_table", "table-file"), media("other", "table-file")], false);
  const left = withoutChartTables(panels, { roc: chart("roc_table") });
  assert.deepEqual(
    left.map(({ id }) => id),
    ["other"],
  );
});
