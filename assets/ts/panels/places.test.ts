import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAbout } from "./fixtures";
import { isProgress, placeOf, roomyPlace } from "./places";

const place = (key: string) => placeOf("history", { key }, false);

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
  test(`"${key}" ${expected ? "is" : "is not"} a measure of progress`, () => {
    assert.equal(isProgress(key), expected);
  });
}

test("validation comes first, then losses, accuracies, rewards and the rest", () => {
  const keys = ["grad_norm", "reward", "acc", "loss", "val_x", "val_reward", "val_acc", "val_loss"];
  const sorted = [...keys].sort((a, b) => (place(a).order ?? 0) - (place(b).order ?? 0));
  assert.deepEqual(sorted, [...keys].reverse());
});

test("system metrics share the last section of a workspace, with headings", () => {
  const about = makeAbout({ section: "GPU", rank: 2, order: 7, title: "GPU usage" });
  assert.deepEqual(placeOf("system", { key: "gpu.0", about }, false), {
    ...{ section: "sectionSystem", title: "GPU usage", rank: 1001, order: 2007, group: "GPU" },
    text: about.text,
  });
});

test("on a run's page accelerators have separate sections", () => {
  const found = placeOf("system", { key: "gpu.0", about: makeAbout({ rank: 3 }) }, true);
  assert.deepEqual([found.section, found.rank, found.group], ["GPU", 3, undefined]);
  const other = placeOf("system", { key: "cpu", about: makeAbout({ rank: 4, section: "CPU" }) }, true);
  assert.deepEqual([other.section, other.group], ["sectionSystem", "CPU"]);
});

test("an unknown system metric is placed by its key", () => {
  assert.equal(placeOf("system", { key: "x/y" }, true).section, "x");
});

test("tables and media without a prefix get separate sections", () => {
  assert.equal(roomyPlace("examples", true).section, "sectionTables");
  assert.equal(roomyPlace("examples", false).section, "sectionMedia");
  assert.deepEqual(roomyPlace("val/examples", true), {});
  assert.equal(roomyPlace("/examples", true).section, "sectionTables");
});
