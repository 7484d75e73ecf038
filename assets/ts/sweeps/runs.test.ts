import assert from "node:assert/strict";
import { test } from "node:test";
import { Narrowing } from "../panels/narrowing";
import { SweepRuns } from "./runs";

test("the runs of a sweep are read oldest first, and none is drawn as a line", () => {
  const runs = new SweepRuns('sweep = "abc"', new Narrowing());
  assert.deepEqual(runs.query(), { filter: 'sweep = "abc"', order: "created" });
  assert.deepEqual(runs.drawn(), []);
  assert.equal(runs.get("a"), undefined);
  assert.equal(runs.colorOf("a", 3), 3);
});
