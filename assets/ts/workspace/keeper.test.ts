import assert from "node:assert/strict";
import { test } from "node:test";
import { namedParts } from "./keeper";

test("panels are sent under the name of the page's own part", () => {
  const panels = { mode: "manual" };
  assert.deepEqual(namedParts({ panels, runs: { filter: "" } }, "run_panels"), {
    runs: { filter: "" },
    run_panels: panels,
  });
});

test("parts that did not change are not sent", () => {
  assert.deepEqual(namedParts({ selector: { width: 0 } }, "panels"), { selector: { width: 0 } });
});
