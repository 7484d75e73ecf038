import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bestOf,
  cellOf,
  cellText,
  columnsOf,
  goalOf,
  numberOf,
  numericColumns,
  shortColumn,
  varied,
} from "./columns";
import { makeKey, makeRun, makeStage } from "./fixtures";

const values = {
  a: {
    config: { lr: 0.1, "opt.name": "adam", on: true, _wandb: 1 },
    summary: { loss: 2, acc: ["Infinity"] },
  },
  b: { config: { lr: 0.1, "opt.name": "sgd", on: false }, summary: { loss: "NaN", layer10: 1, layer9: 1 } },
};
const runs = [makeRun("a"), makeRun("b")];
const stage = (goals: Record<string, "minimize" | "maximize">) =>
  makeStage({ metric: (key: string) => (goals[key] ? makeKey(key, { goal: goals[key] }) : undefined) });

test("a cell is found by prefix and name, and names may contain dots", () => {
  assert.equal(cellOf(values, "a", "config.opt.name"), "adam");
  assert.equal(cellOf(values, "a", "summary.lr"), undefined);
  assert.equal(cellOf(values, "gone", "config.lr"), undefined);
  assert.equal(cellOf(values, "constructor", "config.lr"), undefined);
  assert.equal(cellOf(values, "a", "config.constructor"), undefined);
});

for (const [column, expected] of [
  ["config.lr", 0.1],
  ["config.on", 1],
  ["config.opt.name", Number.NaN],
  ["summary.acc", Infinity],
  ["summary.missing", Number.NaN],
] as const) {
  test(`the number of ${column} is ${expected}`, () => {
    assert.ok(Object.is(numberOf(values, "a", column), expected));
  });
}

test("columns of all runs are listed naturally sorted, config first, without internal ones", () => {
  assert.deepEqual(columnsOf(values), [
    "config.lr",
    "config.on",
    "config.opt.name",
    "summary.acc",
    "summary.layer9",
    "summary.layer10",
    "summary.loss",
  ]);
  assert.deepEqual(columnsOf({}), []);
});

test("a column is numeric if some run has a finite number in it", () => {
  assert.deepEqual(numericColumns(values), [
    "config.lr",
    "config.on",
    "summary.layer9",
    "summary.layer10",
    "summary.loss",
  ]);
});

test("only columns whose values differ between runs are kept (RUN-29)", () => {
  assert.deepEqual(varied(values, runs, columnsOf(values)), [
    "config.on",
    "config.opt.name",
    "summary.acc",
    "summary.layer9",
    "summary.layer10",
    "summary.loss",
  ]);
  assert.deepEqual(varied(values, [makeRun("a")], columnsOf(values)), []);
});

test("the goal of a key also applies to its summaries from define_metric", () => {
  const known = stage({ loss: "minimize" });
  assert.equal(goalOf(known, "summary.loss"), "minimize");
  assert.equal(goalOf(known, "summary.loss.min"), "minimize");
  assert.equal(goalOf(known, "summary.loss.median"), undefined);
  assert.equal(goalOf(known, "config.loss"), undefined);
});

test("the best run is found by the goal of the column", () => {
  const found = {
    a: { config: {}, summary: { loss: 2 } },
    b: { config: {}, summary: { loss: 1 } },
    c: { config: {}, summary: { loss: "NaN" } },
  };
  const all = [makeRun("a"), makeRun("b"), makeRun("c")];
  assert.equal(bestOf(stage({ loss: "minimize" }), found, all, "summary.loss"), "b");
  assert.equal(bestOf(stage({ loss: "maximize" }), found, all, "summary.loss"), "a");
  assert.equal(bestOf(stage({}), found, all, "summary.loss"), undefined);
  assert.equal(bestOf(stage({ loss: "minimize" }), found, [makeRun("a")], "summary.loss"), undefined);
  assert.equal(bestOf(stage({ loss: "minimize" }), found, [], "summary.loss"), undefined);
});

for (const [cell, expected] of [
  [undefined, ""],
  [null, ""],
  ["", ""],
  ["text", "text"],
  [0, "0"],
  [0.1 + 0.2, "0.3"],
  [1234567.89, "1234570"],
  [["NaN"], "NaN"],
  [[1, 2], "[1,2]"],
  [true, "true"],
  [{ a: 1 }, '{"a":1}'],
] as const) {
  test(`the cell ${JSON.stringify(cell) ?? "undefined"} is written "${expected}"`, () => {
    assert.equal(cellText(cell), expected);
  });
}

test("a short column name has no prefix", () => {
  assert.equal(shortColumn("config.opt.name"), "opt.name");
  assert.equal(shortColumn("created"), "created");
});
