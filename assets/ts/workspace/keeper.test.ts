import assert from "node:assert/strict";
import { test } from "node:test";
import { Keeper, namedParts } from "./keeper";

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

test("a page without a view keeps nothing anywhere, and says what was changed", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  Object.assign(globalThis, { addEventListener: () => undefined, localStorage: undefined });
  const keeper = new Keeper({ viewUrl: "" }, "", "run-history");
  assert.deepEqual(keeper.recall(), {});
  keeper.keep({ panels: { columns: 2 } });
  keeper.keep({ runs: { filter: "x" } });
  t.mock.timers.tick(10_000);
  await keeper.flush();
  assert.deepEqual(keeper.unsaved(), { "run-history": { columns: 2 }, runs: { filter: "x" } });
});
