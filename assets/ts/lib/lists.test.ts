import assert from "node:assert/strict";
import { test } from "node:test";
import { between, placeAfter } from "./lists";

test("arrow keys go round in a list", () => {
  assert.equal(placeAfter(0, 1, 3), 1);
  assert.equal(placeAfter(2, 1, 3), 0);
  assert.equal(placeAfter(0, -1, 3), 2);
  assert.equal(placeAfter(0, 1, 1), 0);
});

test("where nothing is chosen, they begin at the first or the last", () => {
  assert.equal(placeAfter(-1, 1, 3), 0);
  assert.equal(placeAfter(-1, -1, 3), 2);
});

test("a range has both its ends, whichever was chosen first", () => {
  assert.deepEqual(between(["a", "b", "c", "d"], 1, 2), ["b", "c"]);
  assert.deepEqual(between(["a", "b", "c", "d"], 3, 1), ["b", "c", "d"]);
  assert.deepEqual(between(["a"], 0, 0), ["a"]);
});
