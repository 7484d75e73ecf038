import assert from "node:assert/strict";
import { test } from "node:test";
import { ComparedRuns } from "./stage";

test("all runs that are compared are drawn, each in its color", () => {
  const runs = new ComparedRuns([
    { uid: "a", name: "a", state: "finished", color: 3 },
    { uid: "b", name: "b", state: "running", color: "#ff0000" },
  ]);
  assert.deepEqual(
    runs.drawn().map(({ uid }) => uid),
    ["a", "b"],
  );
  assert.equal(runs.colorOf("b", 0), "#ff0000");
  assert.equal(runs.colorOf("c", 5), 5);
});
