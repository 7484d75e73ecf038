import assert from "node:assert/strict";
import { test } from "node:test";
import { makePatterns } from "../testing/patterns";

const SLOW = "^(a+)+$";

test("texts are matched away from the page, each once", async () => {
  const { patterns, workers, changed } = makePatterns();
  assert.ok(patterns.look("o+", "g", ["foo boo"]).isWaiting);
  patterns.look("o+", "g", ["foo boo", "bar"]);
  await changed();
  const found = patterns.look("o+", "g", ["bar", "foo boo"]);
  assert.deepEqual([...found.hits], [["foo boo", [[1, 2], [5, 2]]], ["bar", []]]); // biome-ignore format: pairs
  assert.deepEqual([found.isWaiting, found.problem], [false, ""]);
  patterns.look("o+", "g", ["oo", "bar"]);
  await changed();
  assert.deepEqual(workers[0]?.jobs.map(({ texts }) => texts), [["foo boo", "bar"], ["oo"]]); // biome-ignore format: lists
});

test("without g the first hit is found", async () => {
  const { patterns, changed } = makePatterns();
  patterns.look("O", "i", ["foo"]);
  await changed();
  assert.deepEqual(patterns.look("O", "i", []).hits.get("foo"), [[1, 1]]);
});

test("a pattern that takes too long is given up for good, the next one is matched", async () => {
  const { patterns, workers, changed } = makePatterns();
  patterns.look(SLOW, "", ["a!"]);
  patterns.look("^l", "", ["loss"]);
  await changed();
  assert.equal(patterns.look(SLOW, "", ["a!", "b"]).problem, "patternSlow");
  assert.ok(!patterns.look(SLOW, "", ["a!", "b"]).isWaiting);
  await changed();
  assert.equal(patterns.look("^l", "", ["loss"]).hits.size, 1);
  assert.deepEqual(
    workers.map(({ isEnded }) => isEnded),
    [true, false],
  );
});

test("patterns that are forgotten are not waited for", async () => {
  const { patterns, changed } = makePatterns();
  patterns.look(SLOW, "", ["a!"]);
  await new Promise(setImmediate);
  patterns.clear();
  patterns.look("^l", "", ["loss"]);
  await changed();
  assert.equal(patterns.look("^l", "", ["loss"]).hits.size, 1);
});

test("what is no pattern is never matched", () => {
  const { patterns, workers } = makePatterns();
  assert.equal(patterns.look("(", "", ["("]).problem, "patternInvalid");
  assert.ok(!patterns.look("(", "", ["("]).isWaiting);
  assert.equal(workers.length, 0);
});

test("an error of the worker is the pattern's problem", async () => {
  const { patterns, workers, changed } = makePatterns();
  patterns.look("x", "", ["x"]);
  await Promise.resolve();
  workers[0]?.onerror?.call(workers[0] as never, new Event("error") as ErrorEvent);
  await changed();
  assert.equal(patterns.look("x", "", ["x"]).problem, "loadFailed");
});
