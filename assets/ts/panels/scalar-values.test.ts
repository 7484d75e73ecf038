import assert from "node:assert/strict";
import { test } from "node:test";
import { BASELINE } from "../charts/palette";
import { makeRun } from "./fixtures";
import { aggregated, baseOf, deltaOf, newestOf } from "./scalar-values";

const entries = [
  { run: makeRun("base", { color: BASELINE }), value: 4 },
  { run: makeRun("new"), value: 5 },
  { run: makeRun("old"), value: 6 },
];

test("the baseline is the panel's own, else the workspace's", () => {
  assert.equal(baseOf(entries, undefined)?.run.uid, "base");
  assert.equal(baseOf(entries, "old")?.run.uid, "old");
  assert.equal(baseOf(entries, "gone"), undefined);
  assert.equal(baseOf(entries.slice(1), ""), undefined);
});

test("the newest run is the first that is not the baseline, where there is another", () => {
  assert.equal(newestOf(entries, entries[0]).run.uid, "new");
  assert.equal(newestOf(entries, undefined).run.uid, "base");
  assert.equal(newestOf(entries.slice(0, 1), entries[0]).run.uid, "base");
});

for (const [value, base, goal, text, isBetter] of [
  [5, 4, "maximize", "+1 (+25%)", true],
  [3, 4, "maximize", "−1 (−25%)", false],
  [3, 4, "minimize", "−1 (−25%)", true],
  [5, 4, undefined, "+1 (+25%)", undefined],
  [4, 4, "maximize", "+0 (+0%)", undefined],
  [1, 0, "maximize", "+1", true],
  [-5, -4, "maximize", "−1 (−25%)", false],
] as const) {
  test(`${value} against ${base}${goal ? ` (${goal})` : ""} is written ${text}`, () => {
    assert.deepEqual(deltaOf(value, base, goal), { text, isBetter });
  });
}

test("a scalar is the mean, minimum or maximum of its runs", () => {
  assert.deepEqual(
    (["mean", "min", "max"] as const).map((name) => aggregated(name, [1, 2, 6])),
    [3, 1, 6],
  );
});
