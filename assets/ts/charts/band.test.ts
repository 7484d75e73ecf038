import assert from "node:assert/strict";
import { test } from "node:test";
import { bandText, countText } from "./band";
import { makeLine } from "./fixtures";

const group = { counts: Uint16Array.of(3, 1), band: "std" } as const;

test("a range is written as low and high, a deviation as plus or minus", () => {
  const line = makeLine([1, 2], { low: Float64Array.of(0.1, 5), high: Float64Array.of(0.4, 5) });
  assert.equal(bandText(line, 0, ""), "0.1 … 0.4");
  assert.equal(bandText(line, 0, "%"), "0.1% … 0.4%");
  assert.equal(bandText({ ...line, group }, 0, ""), "± 0.15");
  assert.equal(bandText({ ...line, group: { ...group, band: "range" } }, 0, ""), "0.1 … 0.4");
});

test("an empty or unknown band has no text", () => {
  const line = makeLine([1, 2, 3], {
    low: Float64Array.of(5, Number.NaN),
    high: Float64Array.of(5, Number.NaN),
  });
  for (const at of [0, 1, 2, -1]) assert.equal(bandText(line, at, ""), "");
  assert.equal(bandText(makeLine([1]), 0, ""), "");
});

test("the number of lines is shown only where some are missing", () => {
  assert.equal(countText(makeLine([1, 2], { group }), 0), "");
  assert.equal(countText(makeLine([1, 2], { group }), 1), "pointsHere");
  assert.equal(countText(makeLine([1, 2]), 0), "");
});
