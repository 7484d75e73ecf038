import assert from "node:assert/strict";
import { test } from "node:test";
import { cleared } from "./panel-sets";

test("an empty page keeps how lines are drawn and how many columns there are, and nothing else", () => {
  const view = { x: "epoch" };
  assert.deepEqual(cleared({ view, columns: 2, panels: [], mode: "auto" } as never), {
    view,
    columns: 2,
    mode: "manual",
  });
  assert.deepEqual(cleared({}), { mode: "manual" });
});
