import assert from "node:assert/strict";
import { test } from "node:test";
import { OneRun } from "./one-run";

test("the run of a page is drawn, and no other is known", () => {
  const runs = new OneRun({ uid: "a", name: "baseline", state: "running", color: "3" });
  assert.deepEqual(runs.drawn(), [{ uid: "a", name: "baseline", state: "running", color: 3 }]);
  assert.equal(runs.get("a")?.name, "baseline");
  assert.equal(runs.get("b"), undefined);
});

test("a color that was picked stays as it is, without one it is the first", () => {
  assert.equal(new OneRun({ color: "#ff0000" }).drawn()[0]?.color, "#ff0000");
  assert.equal(new OneRun({}).drawn()[0]?.color, 0);
});

test("the run is found by its id, whatever signs that has", () => {
  assert.deepEqual(new OneRun({ uid: 'a"b\\c' }).query(), { filter: 'id = "a\\"b\\\\c"' });
});
