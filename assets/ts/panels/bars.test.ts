import assert from "node:assert/strict";
import { test } from "node:test";
import { type Bar, barsOfGroups, barsOfRuns, bestFirst, fitting, hasBand, scaleOf } from "./bars";
import { makeTable } from "./fixtures";
import type { RunGroup } from "./runs";

const bar = (value: number, given: Partial<Bar> = {}): Bar => ({
  ...{ label: `${value}`, short: `${value}`, color: 0, value, low: value, high: value, count: 1 },
  ...given,
});
const table = makeTable({
  "summary.loss": [3, 1, "NaN", 5, null],
  "config.opt": ["adam", "sgd", "adam", "adam", "sgd"],
  "config.lr": [0.1, 0.1, 0.1, null, 0.1],
});
const BY_OPT = { groupBy: ["config.opt"], groupLine: "mean", groupBand: "range" } as const;

test("each drawn run with a number has a bar in its color", () => {
  const drawn = new Set(["r1", "r2", "r3"]);
  const bars = barsOfRuns(table, "summary.loss", drawn, (uid, color) => (uid === "r3" ? "#f00" : color));
  assert.deepEqual(
    bars.map(({ label, value, color, low, high }) => [label, value, color, low, high]),
    [
      ["r1", 1, 1, 1, 1],
      ["r3", 5, "#f00", 5, 5],
    ],
  );
});

test("even the lowest panel shows a bar", () => {
  assert.equal(fitting([bar(1), bar(2)], 10).shown.length, 1);
});

test("each group has a bar with its aggregate and band", () => {
  const bars = barsOfGroups(table, "summary.loss", { ...BY_OPT, groupBy: [...BY_OPT.groupBy] }, new Map());
  assert.deepEqual(
    bars.map(({ short, value, low, high, count }) => [short, value, low, high, count]),
    [
      ["adam", 4, 3, 5, 2],
      ["sgd", 1, 1, 1, 1],
    ],
  );
});

test("runs without a group value form a separate group", () => {
  const groupBy = ["config.opt", "config.lr"];
  const bars = barsOfGroups(table, "summary.loss", { ...BY_OPT, groupBy }, new Map());
  assert.deepEqual(
    bars.map(({ short }) => short),
    ["adam · 0.1", "sgd · 0.1", "adam · –"],
  );
});

test("a group that is drawn elsewhere has the same name and color", () => {
  const group: RunGroup = { path: "p", name: "Optimizer: adam", values: "adam", color: 6, count: 2 };
  const view = { ...BY_OPT, groupBy: ["config.opt"] };
  const [adam, sgd] = barsOfGroups(table, "summary.loss", view, new Map([["r3", group]]));
  assert.deepEqual([adam?.short, adam?.color], ["Optimizer: adam", 6]);
  assert.deepEqual([sgd?.short, sgd?.color], ["sgd", 1]);
});

test("the best bar comes first, ties keep their order", () => {
  const bars = [bar(1), bar(3), bar(2, { label: "a" }), bar(2, { label: "b" })];
  const labels = (goal?: "minimize" | "maximize") => bestFirst(bars, goal).map(({ label }) => label);
  assert.deepEqual(labels("minimize"), ["1", "a", "b", "3"]);
  assert.deepEqual(labels("maximize"), ["3", "a", "b", "1"]);
  assert.deepEqual(labels(), ["3", "a", "b", "1"]);
});

for (const [count, height, shown, step] of [
  [3, 400, 3, 34],
  [10, 234, 10, 20],
  [100, 354, 20, 16],
  [100, 50, 1, 16],
  [0, 400, 0, 34],
] as const) {
  test(`${shown} of ${count} bars fit into ${height} pixels`, () => {
    const found = fitting(Array(count).fill(bar(1)), height);
    assert.deepEqual([found.shown.length, found.step], [shown, step]);
  });
}

test("the scale of bars includes zero and all bands", () => {
  const range = (...bars: Bar[]) => {
    const { min, max } = scaleOf(bars, 500);
    return [min, max];
  };
  assert.deepEqual(range(bar(5, { low: 4, high: 9, count: 2 })), [0, 9]);
  assert.deepEqual(range(bar(-5, { low: -7, count: 2 })), [-7, 0]);
  assert.deepEqual(range(bar(-1), bar(2)), [-1, 2]);
  assert.deepEqual(range(bar(0)), [0, 1]);
  assert.deepEqual(range(), [0, 1]);
});

test("groups without a band, and groups of one run without a deviation, have bars on a scale", () => {
  for (const groupBand of ["none", "std", "stderr"] as const) {
    const view = { ...BY_OPT, groupBy: ["config.opt"], groupBand };
    const bars = barsOfGroups(table, "summary.loss", view, new Map());
    const { min, max } = scaleOf(bars, 500);
    assert.equal(min, 0);
    assert.ok(max >= 4, `${groupBand}: ${max}`);
    assert.deepEqual(bars.map(hasBand), [groupBand !== "none", false]);
  }
});
