import assert from "node:assert/strict";
import { test } from "node:test";
import { tagChanges } from "./edit";

test("edited tags are split into added and removed ones", () => {
  assert.deepEqual(tagChanges("a, b", "b,  c ,"), { added: ["c"], removed: ["a"] });
  assert.deepEqual(tagChanges("a, b", " b , a "), { added: [], removed: [] });
  assert.deepEqual(tagChanges("", ""), { added: [], removed: [] });
  assert.deepEqual(tagChanges("a", "A"), { added: ["A"], removed: ["a"] });
});

test("a tag that is typed twice is added once", () => {
  assert.deepEqual(tagChanges("", "x, y, x"), { added: ["x", "y"], removed: [] });
});
