import assert from "node:assert/strict";
import { test } from "node:test";
import type { Color } from "../charts/palette";
import type { RunInfo } from "../panels/runs";
import { type Picked, RunColors, withPicked } from "./colors";

/** Runs as the list has them, the newest first: `uid:own color`. */
function runsOf(text: string): RunInfo[] {
  return text.split(" ").map((part) => {
    const [uid = "", color] = part.split(":");
    return { uid, name: uid, state: "finished", color: Number(color) };
  });
}

/** The colors of drawn runs after they were given. */
function settled(text: string, colors = new RunColors(() => undefined)): Color[] {
  const runs = runsOf(text);
  colors.settle(runs);
  return runs.map(({ uid, color }) => colors.of(uid, color));
}

test("a run has its own color where no other drawn run has it", () => {
  assert.deepEqual(settled("b:3 a:1"), [3, 1]);
});

test("of two runs of one color the older one keeps it, the newer one has the next free one", () => {
  assert.deepEqual(settled("c:1 b:1 a:1"), [3, 2, 1]);
  assert.deepEqual(settled("c:7 b:7 a:0"), [1, 7, 0]);
});

test("once all eight colors are taken, runs are dashed", () => {
  const colors = settled(Array.from({ length: 10 }, (_, at) => `r${at}:0`).join(" "));
  assert.deepEqual(colors.slice().reverse(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("with more runs than looks the last have their own color again", () => {
  const colors = settled(Array.from({ length: 41 }, (_, at) => `r${at}:5`).join(" "));
  assert.equal(new Set(colors).size, 40);
  assert.equal(colors[0], 5);
});

test("a drawn run keeps its color while others come and go", () => {
  const colors = new RunColors(() => undefined);
  assert.deepEqual(settled("b:1 a:1", colors), [2, 1]);
  assert.deepEqual(settled("b:1", colors), [2]);
  assert.deepEqual(settled("c:2 b:1", colors), [3, 2]);
});

test("a run that comes back gives way to one that has its color by now", () => {
  const colors = new RunColors(() => undefined);
  settled("a:1", colors);
  settled("b:1", colors);
  const [b, a] = settled("b:1 a:1", colors);
  assert.notEqual(a, b);
});

test("a picked color comes before all others, and no other run is given it", () => {
  const picked: Picked = { a: 4, b: "#ff0000" };
  const colors = new RunColors(() => picked);
  assert.deepEqual(settled("c:4 b:4 a:1", colors), [5, "#ff0000", 4]);
});

test("what a column says comes before the run's own color, and behind a picked one", () => {
  const colors = new RunColors(() => ({ a: 4 }));
  colors.byColumn = new Map<string, Color>([
    ["a", "#111111"],
    ["b", "#222222"],
  ]);
  assert.deepEqual([colors.of("a", 0), colors.of("b", 0), colors.of("c", 7)], [4, "#222222", 7]);
});

test("a run may be called as what every object has", () => {
  const colors = new RunColors(() => ({}));
  assert.deepEqual(settled("toString:2 constructor:1", colors), [2, 1]);
});

test("a picked color is replaced, or taken back", () => {
  assert.deepEqual(withPicked({ a: 1 }, "b", "#fff"), { a: 1, b: "#fff" });
  assert.deepEqual(withPicked({ a: 1, b: 2 }, "a", 0), { a: 0, b: 2 });
  assert.deepEqual(withPicked({ a: 1, b: 2 }, "a", undefined), { b: 2 });
});
