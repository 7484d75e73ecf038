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

test("a line is named after its run, and after its key too if there are several", () => {
  assert.deepEqual(labels(stageWith({ "_step loss a": [[0, 1]] }), ["loss"]), ["a"]);
  assert.deepEqual(labels(stageWith(two), ["val/loss", "val/acc"]), ["a · loss", "a · acc"]);
});

test("on a run's page lines are named by the part of the key that differs", () => {
  assert.deepEqual(labels(stageWith(two, { isRunPage: true }), ["val/loss", "val/acc"]), ["loss", "acc"]);
  const odd: Points = { "_step loss a": [[0, 1]], "_step lost a": [[0, 1]] };
  assert.deepEqual(labels(stageWith(odd, { isRunPage: true }), ["loss", "lost"]), ["loss", "lost"]);
});

test("keys that differ only by node label are named by it", () => {
  const nodes: Points = { "_step gpu/l:one a": [[0, 1]], "_step gpu/l:two a": [[0, 1]] };
  assert.deepEqual(labels(stageWith(nodes, { isRunPage: true }), ["gpu/l:one", "gpu/l:two"]), ["one", "two"]);
});

test("before any line has loaded the result is null, without runs it is empty", () => {
  assert.equal(membersFor(stageWith({}), makeSpec()), null);
  assert.deepEqual(membersFor(stageWith({}, {}, []), makeSpec()), []);
  assert.deepEqual(membersFor(stageWith({ "_step loss a": [] }), makeSpec()), []);
});

test("keys of one run differ by dash, and by color on the run's page", () => {
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

test("several spellings of one tag are drawn once", () => {
  const points: Points = { "_step gpu.0 a": [[0, 1]], "_step gpu/0 a": [[0, 2]] };
  const stage = stageWith(points, { about: () => makeAbout() });
  assert.equal(membersFor(stage, makeSpec({ source: "system", keys: ["gpu.0", "gpu/0"] }))?.length, 1);
});

test("the panel's expression is computed over its lines", () => {
  const spec = makeSpec({ keys: ["val/loss"], yExpression: formula("{val/loss} * 2") });
  assert.deepEqual([...(membersFor(stageWith(two), spec)?.[0]?.y ?? [])], [2]);
});

test("only system metrics described by the server count as hardware", () => {
  const stage = stageWith({}, { about: (key: string) => (key === "gpu" ? makeAbout() : undefined) });
  assert.equal(hardwareOf(stage, makeSpec({ keys: ["gpu"] })), null);
  assert.equal(hardwareOf(stage, makeSpec({ source: "system", keys: ["odd"] })), null);
  assert.ok(hardwareOf(stage, makeSpec({ source: "system", keys: ["odd", "gpu"] }))?.about("gpu"));
});

test("the extent spans from the first to the last x of all lines", () => {
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

test("the extent of computed lines comes from their points", () => {
  const lines = [makeMember([]), makeMember([1, 1], { x: Float64Array.of(-2, 4) }), makeMember([0])];
  assert.deepEqual(extentOfLines(lines), [-2, 4]);
  assert.equal(extentOfLines([makeMember([])]), null);
});
