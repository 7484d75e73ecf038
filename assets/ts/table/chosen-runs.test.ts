import assert from "node:assert/strict";
import { test } from "node:test";
import { ChosenRuns } from "./chosen-runs";

const QUERY = new URLSearchParams({ filter: "a = 1", order: "-created" });

function chosen(...uids: string[]): ChosenRuns {
  const runs = new ChosenRuns();
  for (const uid of uids) runs.set(uid, true);
  return runs;
}

function allBut(...uids: string[]): ChosenRuns {
  const runs = new ChosenRuns();
  runs.chooseAll();
  for (const uid of uids) runs.set(uid, false);
  return runs;
}

test("nothing is chosen at first", () => {
  const runs = new ChosenRuns();
  assert.equal(runs.size(10), 0);
  assert.equal(runs.has("a"), false);
  assert.deepEqual(runs.boxOfAll(10), { isChecked: false, isPartly: false });
});

test("runs are chosen one by one, each once", () => {
  const runs = chosen("a", "b", "a");
  assert.equal(runs.size(10), 2);
  assert.deepEqual(runs.uids, ["a", "b"]);
  runs.set("a", false);
  runs.set("unknown", false);
  assert.deepEqual(runs.uids, ["b"]);
});

test("all that match are chosen, also those on pages that were never read", () => {
  const runs = allBut();
  assert.equal(runs.size(10_000), 10_000);
  assert.ok(runs.has("never listed"));
  assert.deepEqual(runs.uids, []);
  assert.deepEqual(runs.boxOfAll(10_000), { isChecked: true, isPartly: false });
});

test("runs are let go from all, and chosen again", () => {
  const runs = allBut("a", "b");
  assert.equal(runs.size(10), 8);
  assert.ok(!runs.has("a"));
  assert.deepEqual(runs.boxOfAll(10), { isChecked: false, isPartly: true });
  runs.set("a", true);
  assert.equal(runs.size(10), 9);
});

test("a list that has shrunk never has fewer than none chosen", () => {
  assert.equal(allBut("a", "b").size(1), 0);
});

test("all chosen one by one tick the box of all", () => {
  assert.deepEqual(chosen("a", "b").boxOfAll(2), { isChecked: true, isPartly: false });
  assert.deepEqual(chosen("a").boxOfAll(2), { isChecked: false, isPartly: true });
  assert.deepEqual(new ChosenRuns().boxOfAll(0), { isChecked: false, isPartly: false });
});

test("letting all go leaves nothing of what was chosen before", () => {
  const runs = allBut("a");
  runs.clear();
  assert.equal(runs.size(10), 0);
  assert.ok(!runs.isEverything);
  assert.ok(!runs.has("a"));
});

test("choosing all forgets what was chosen one by one", () => {
  const runs = chosen("a");
  runs.chooseAll();
  assert.ok(runs.has("a"));
  assert.equal(runs.size(5), 5);
});

test("the server gets ids, or all but some of what the query finds", () => {
  assert.equal(chosen("a", "b").toParams(QUERY).toString(), "uid=a%2Cb");
  assert.equal(allBut().toParams(QUERY).toString(), "filter=a+%3D+1&order=-created&all=1");
  assert.equal(allBut("a", "b").toParams(QUERY).get("except"), "a,b");
  assert.equal(QUERY.has("all"), false);
});

test("chosen runs are found by an expression", () => {
  assert.equal(chosen("a", 'b"c').toFilter("x = 1"), 'id in ["a", "b\\"c"]');
  assert.equal(allBut().toFilter("x = 1"), "x = 1");
  assert.equal(allBut().toFilter(""), "");
  assert.equal(allBut("a").toFilter(""), 'id not in ["a"]');
  assert.equal(allBut("a").toFilter("x = 1 or y = 2"), '(x = 1 or y = 2) and id not in ["a"]');
});

test("the box of a group shows whether all, some or none of its runs are chosen", () => {
  const runs = chosen("a", "b");
  assert.deepEqual(runs.boxOf(["a", "b"]), { isChecked: true, isPartly: false });
  assert.deepEqual(runs.boxOf(["a", "c"]), { isChecked: false, isPartly: true });
  assert.deepEqual(runs.boxOf(["c"]), { isChecked: false, isPartly: false });
});

test("the box of a group whose runs are not known is ticked only while all are chosen", () => {
  assert.equal(allBut().boxOf([]).isChecked, true);
  assert.equal(allBut("a").boxOf([]).isChecked, false);
  assert.equal(chosen("a").boxOf([]).isChecked, false);
});
