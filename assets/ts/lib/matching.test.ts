import assert from "node:assert/strict";
import { test } from "node:test";
import { hasWords, wordsOf } from "./matching";

test("each typed word is found anywhere, in any order and case", () => {
  assert.deepEqual(wordsOf("  Val\tLOSS "), ["val", "loss"]);
  assert.ok(hasWords("train/loss of Validation", wordsOf("val LOSS")));
  assert.ok(!hasWords("train/loss", wordsOf("val loss")));
  assert.ok(hasWords("anything", wordsOf("   ")));
});
