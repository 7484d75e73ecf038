import assert from "node:assert/strict";
import { test } from "node:test";
import { clampHeight, isAdded, newId, type PanelsState, readPanels, shortTitle } from "./spec";

test("states saved by former versions are migrated", () => {
  const former = { view: { groupBy: "group", spread: "std" }, panels: { a: { groupBy: "" } } } as unknown;
  const read = readPanels(former as PanelsState);
  assert.deepEqual(read, { view: { groupBy: ["group"], groupBand: "std" }, panels: { a: { groupBy: [] } } });
  assert.deepEqual(readPanels(read), read);
  assert.deepEqual(readPanels({}), {});
});

test("ids of added panels are unique and recognized", () => {
  const ids = Array.from({ length: 200 }, newId);
  assert.equal(new Set(ids).size, 200);
  assert.ok(ids.every(isAdded));
  assert.ok(!isAdded("loss"));
});

test("heights are clamped, and titles omit their section's prefix", () => {
  assert.deepEqual([0, 288.4, 5000].map(clampHeight), [160, 288, 900]);
  assert.equal(shortTitle({ title: "val/loss", section: "val" }), "loss");
  assert.equal(shortTitle({ title: "value", section: "val" }), "value");
});

test("parts that no page can read are left out, whoever saved them", () => {
  const view = { smoothing: { kind: "unknown", amount: 1 }, groupBy: 7, logY: true };
  const panels = { a: null, b: { title: 7, keys: "loss", height: 300, problem: "x" }, c: { keys: ["loss"] } };
  const kept = {
    view,
    panels,
    sections: "all",
    order: { Charts: "a" },
    titles: { val: 1 },
    columns: 2,
  } as unknown;
  assert.deepEqual(readPanels(kept as PanelsState), {
    view: { logY: true },
    panels: { b: { height: 300 }, c: { keys: ["loss"] } },
    columns: 2,
  });
});
