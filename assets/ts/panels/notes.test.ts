import assert from "node:assert/strict";
import { test } from "node:test";
import { Narrowing } from "./narrowing";
import { noneDrawn } from "./notes";
import type { Runs } from "./runs";

test("an empty panel says whether no run is drawn, or brushes exclude them all", () => {
  const narrowing = new Narrowing();
  const runs = { narrowing } as unknown as Runs;
  assert.equal(noneDrawn(runs), "noRunsDrawn");
  narrowing.put("panel", new Map([["config.lr", { low: 0, high: 1 }]]), new Set());
  assert.equal(noneDrawn(runs), "noRunInRange");
});
