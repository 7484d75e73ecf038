import assert from "node:assert/strict";
import { test } from "node:test";
import { BASELINE, COLORS, DASHES, dashOf, inkOf, LOOKS } from "./palette";

test("colors go through all hues solid, then dashed, and then start over", () => {
  assert.equal(dashOf(0), 0);
  assert.equal(dashOf(COLORS - 1), 0);
  assert.equal(dashOf(COLORS), 1);
  assert.equal(dashOf(LOOKS - 1), DASHES.length - 1);
  assert.equal(dashOf(LOOKS), 0);
});

test("a picked color is solid and used as it is, and the baseline is dashed", () => {
  assert.equal(dashOf("#aabbcc"), 0);
  assert.equal(inkOf("#aabbcc"), "#aabbcc");
  assert.equal(dashOf(BASELINE), 1);
});
