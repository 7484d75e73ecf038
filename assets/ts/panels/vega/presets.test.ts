import assert from "node:assert/strict";
import { test } from "node:test";
import { PRESETS, presetText } from "./presets";
import { filled, holesOf } from "./template";

for (const name of PRESETS) {
  test(`the preset ${name} has no placeholders left once filled`, () => {
    const text = presetText(name) ?? "";
    const { fields, strings } = holesOf(text);
    assert.ok(fields.length > 0);
    const names = (holes: string[]) => Object.fromEntries(holes.map((hole) => [hole, `my ${hole}`]));
    const spec = filled(text, names(fields), names(strings));
    assert.deepEqual(spec.data, { name: "wandb" });
    assert.match(String(spec.$schema), /vega-lite/);
    assert.ok(!JSON.stringify(spec).includes("${"));
    for (const field of fields) assert.ok(JSON.stringify(spec).includes(`my ${field}`), field);
  });
}

/** The columns that `wandb.plot` and `wandb.sklearn` log, by preset: what their field settings name. */
const COLUMNS: Record<string, string[]> = {
  "wandb/line/v0": ["x", "y"],
  "wandb/lineseries/v0": ["step", "lineVal", "lineKey"],
  "wandb/area-under-curve/v0": ["x", "y", "class"],
  "wandb/scatter/v0": ["x", "y"],
  "wandb/bar/v0": ["label", "value"],
  "wandb/histogram/v0": ["value"],
  "wandb/confusion_matrix/v1": ["Actual", "Predicted", "nPredictions"],
  "wandb/feature_importances/v1": ["feature_names", "importances"],
  "wandb/metrics/v1": ["metric_name", "metric_value"],
  "wandb/learning_curve/v1": ["train_size", "score", "dataset"],
  "wandb/residuals_plot/v1": ["y_pred", "residuals", "dataset"],
  "wandb/elbow/v1": ["cluster_ranges", "errors", "clustering_time"],
};

for (const [name, columns] of Object.entries(COLUMNS)) {
  test(`the preset ${name} draws the columns that the SDK logs (RUN-26)`, () => {
    const { fields } = holesOf(presetText(name) ?? "");
    for (const column of columns) assert.ok(fields.includes(column), column);
  });
}

test("an unknown version of a preset falls back to the known one", () => {
  assert.equal(presetText("wandb/bar/v7"), presetText("wandb/bar/v0"));
  assert.equal(presetText("wandb/confusion_matrix/v0"), presetText("wandb/confusion_matrix/v1"));
});

test("a name that is not a preset has no specification", () => {
  for (const name of ["", "wandb/unknown/v0", "team/bar", "constructor", "wandb/bar/v0/extra"])
    assert.equal(presetText(name), undefined, name);
});

test("only the newest version of each preset is offered", () => {
  assert.ok(PRESETS.includes("wandb/confusion_matrix/v1"));
  assert.ok(!PRESETS.includes("wandb/confusion_matrix/v0"));
  assert.equal(new Set(PRESETS.map((name) => name.replace(/\/v\d+$/, ""))).size, PRESETS.length);
});
