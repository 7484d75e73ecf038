import assert from "node:assert/strict";
import { test } from "node:test";
import { isNear } from "../charts/fixtures";
import { axisOf } from "./axes";
import { brushBetween, brushText, moved, passes, passing, pixelsOf } from "./brush";
import { makeTable, makeUpright } from "./fixtures";

const numbers = makeUpright("config.lr", [10, 50, 90, Number.NaN]);
/** a at the bottom, c at the top. */
const names = axisOf(makeTable({ "config.opt": ["a", "b", "c", null] }), "config.opt", {
  ...{ from: 100, to: 0, log: false, room: 0 },
});

test("a drag over numbers selects a range in either direction, clamped to the axis", () => {
  assert.deepEqual(brushBetween(numbers, 20, 60), { low: 40, high: 80 });
  assert.deepEqual(brushBetween(numbers, 60, 20), { low: 40, high: 80 });
  assert.deepEqual(brushBetween(numbers, -50, 500), { low: 0, high: 100 });
});

test("a drag over names selects those it passes", () => {
  assert.deepEqual(brushBetween(names, 40, 100), { names: ["a", "b"] });
  assert.deepEqual(brushBetween(names, 49, 51), { names: ["b"] });
  assert.equal(brushBetween(names, 10, 40), null);
});

test("a brush covers the pixels that were dragged", () => {
  assert.deepEqual(pixelsOf(numbers, { low: 40, high: 80 }), [20, 60]);
  assert.deepEqual(pixelsOf(names, { names: ["b"] }), [43, 57]);
  assert.deepEqual(pixelsOf(names, { names: ["a", "b"] }), [43, 107]);
});

test("a moved brush keeps its width and stays on its axis", () => {
  assert.deepEqual(moved(numbers, { low: 40, high: 80 }, 10), { low: 30, high: 70 });
  const top = moved(numbers, { low: 40, high: 80 }, -500) as { low: number; high: number };
  isNear(top.low, 60);
  isNear(top.high, 100);
  const bottom = moved(numbers, { low: 40, high: 80 }, 500) as { low: number; high: number };
  isNear(bottom.low, 0);
  isNear(bottom.high, 40);
});

test("a moved brush over names selects the names at its new place, or none", () => {
  assert.deepEqual(moved(names, { names: ["a"] }, -50), { names: ["b"] });
  assert.equal(moved(names, { names: ["a"] }, -25), null);
});

test("a range includes both ends and excludes missing values", () => {
  const brush = { low: 40, high: 80 };
  for (const [value, does] of [
    [40, true],
    [80, true],
    [39.9, false],
    [80.1, false],
    [Number.NaN, false],
  ] as const)
    assert.equal(passes(numbers, brush, value), does, `${value}`);
});

test("a brush over names lets only these pass, and a brush of the wrong kind nothing", () => {
  assert.ok(passes(names, { names: ["b", "c"] }, 1));
  assert.ok(!passes(names, { names: ["b", "c"] }, 0));
  assert.ok(!passes(names, { names: ["a"] }, Number.NaN));
  assert.ok(!passes(names, { low: 0, high: 9 }, 1));
  assert.ok(!passes(numbers, { names: ["a"] }, 50));
});

test("only runs that pass every brush are kept", () => {
  const kept = (brushes: [string, { low: number; high: number } | { names: string[] }][]) => [
    ...passing([numbers, names], new Map(brushes), 4),
  ];
  assert.deepEqual(kept([]), [1, 1, 1, 1]);
  assert.deepEqual(kept([["config.lr", { low: 40, high: 100 }]]), [0, 1, 1, 0]);
  assert.deepEqual(
    kept([
      ["config.lr", { low: 40, high: 100 }],
      ["config.opt", { names: ["a", "c"] }],
    ]),
    [0, 0, 1, 0],
  );
  assert.deepEqual(kept([["config.other", { low: 0, high: 0 }]]), [1, 1, 1, 1]);
});

test("a brush is written with three significant figures, and times in full", () => {
  assert.equal(brushText(numbers, { low: 0.123456, high: 80 }), "0.123 – 80");
  assert.equal(brushText(names, { names: ["a", "b"] }), "a, b");
  assert.equal(brushText(makeUpright("runtime", []), { low: 60, high: 3600 }), "1m 00s – 1h 00m 00s");
  assert.match(brushText(makeUpright("created", []), { low: 0, high: 86_400 }), /19(69|70).* – .*1970/);
});
