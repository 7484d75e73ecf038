import assert from "node:assert/strict";
import { test } from "node:test";
import { FinerLines } from "./finer";
import { formula, makeAbout, makeMember, makeRun, makeSpec, type Points, stageWith } from "./fixtures";
import { extentOf, extentOfLines, hardwareOf, membersOf } from "./line-members";
import type { Stage } from "./panel";
import { DEFAULT_VIEW, type PanelSpec, type View } from "./spec";

const STEP = { kind: "history", x: "_step" } as const;

const membersFor = (stage: Stage, spec: PanelSpec, view: Partial<View> = {}) =>
  membersOf(stage, {
    ...{ spec, view: { ...DEFAULT_VIEW, ...view }, source: STEP },
    ...{ hardware: hardwareOf(stage, spec), finer: new FinerLines(stage, () => undefined) },
  });
const labels = (stage: Stage, keys: string[]) =>
  membersFor(stage, makeSpec({ keys }))?.map(({ label }) => label);

const two: Points = { "_step val/loss a": [[0, 1]], "_step val/acc a": [[0, 2]] };

test("a run's line is called by its run, of several keys by both", () => {
  assert.deepEqual(labels(stageWith({ "_step loss a": [[0, 1]] }), ["loss"]), ["a"]);
  assert.deepEqual(labels(stageWith(two), ["val/loss", "val/acc"]), ["a · loss", "a · acc"]);
});

test("on a run's page lines are called by what tells their keys apart", () => {
  assert.deepEqual(labels(stageWith(two, { isRunPage: true }), ["val/loss", "val/acc"]), ["loss", "acc"]);
  const odd: Points = { "_step loss a": [[0, 1]], "_step lost a": [[0, 1]] };
  assert.deepEqual(labels(stageWith(odd, { isRunPage: true }), ["loss", "lost"]), ["loss", "lost"]);
});

test("keys that differ by their node's label alone are called by it", () => {
  const nodes: Points = { "_step gpu/l:one a": [[0, 1]], "_step gpu/l:two a": [[0, 1]] };
  assert.deepEqual(labels(stageWith(nodes, { isRunPage: true }), ["gpu/l:one", "gpu/l:two"]), ["one", "two"]);
});

test("before any line has come there is nothing, without runs there are no lines", () => {
  assert.equal(membersFor(stageWith({}), makeSpec()), null);
  assert.deepEqual(membersFor(stageWith({}, {}, []), makeSpec()), []);
  assert.deepEqual(membersFor(stageWith({ "_step loss a": [] }), makeSpec()), []);
});

test("keys of one run differ by dash, and on its page by color", () => {
  const styles = (stage: Stage) =>
    membersFor(stage, makeSpec({ keys: ["val/loss", "val/acc"] }))?.map(({ color, dash }) => [color, dash]);
  const runs = [makeRun("a", { color: 7 })];
  assert.deepEqual(styles(stageWith(two, {}, runs)), [
    [7, 0],
    [7, 1],
  ]);
  assert.deepEqual(styles(stageWith(two, { isRunPage: true }, runs)), [
    [7, 0],
    [0, 0],
  ]);
});

test("counters are drawn as rates, unless totals are asked for", () => {
  const counter = { about: () => makeAbout({ rate_unit: "bytes/s" }) };
  const points: Points = {
    "_step net a": [
      [0, 0],
      [2, 10],
      [4, 30],
    ],
  };
  const spec = makeSpec({ source: "system", keys: ["net"] });
  const drawn = (totals: boolean) => membersFor(stageWith(points, counter), spec, { totals })?.[0]?.y;
  assert.deepEqual([...(drawn(false) ?? [])], [5, 10]);
  assert.deepEqual([...(drawn(true) ?? [])], [0, 10, 30]);
});

test("spellings of one tag are drawn once", () => {
  const points: Points = { "_step gpu.0 a": [[0, 1]], "_step gpu/0 a": [[0, 2]] };
  const stage = stageWith(points, { about: () => makeAbout() });
  assert.equal(membersFor(stage, makeSpec({ source: "system", keys: ["gpu.0", "gpu/0"] }))?.length, 1);
});

test("expressions of the panel are computed over its lines", () => {
  const spec = makeSpec({ keys: ["val/loss"], yExpression: formula("{val/loss} * 2") });
  assert.deepEqual([...(membersFor(stageWith(two), spec)?.[0]?.y ?? [])], [2]);
});

test("only system metrics that the server describes are hardware", () => {
  const stage = stageWith({}, { about: (key: string) => (key === "gpu" ? makeAbout() : undefined) });
  assert.equal(hardwareOf(stage, makeSpec({ keys: ["gpu"] })), null);
  assert.equal(hardwareOf(stage, makeSpec({ source: "system", keys: ["odd"] })), null);
  assert.ok(hardwareOf(stage, makeSpec({ source: "system", keys: ["odd", "gpu"] }))?.about("gpu"));
});

test("the extent is from the first to the last place of all lines", () => {
  const stage = stageWith({
    "_step loss a": [
      [3, 0],
      [9, 0],
    ],
    "_step acc a": [[1, 0]],
    "_step empty a": [],
  });
  assert.deepEqual(extentOf(stage, STEP, ["loss", "acc", "empty", "missing"]), [1, 9]);
  assert.equal(extentOf(stage, STEP, ["empty"]), null);
  assert.equal(extentOf(stage, STEP, []), null);
});

test("the extent of computed lines is that of their points", () => {
  const lines = [makeMember([]), makeMember([1, 1], { x: Float64Array.of(-2, 4) }), makeMember([0])];
  assert.deepEqual(extentOfLines(lines), [-2, 4]);
  assert.equal(extentOfLines([makeMember([])]), null);
});
