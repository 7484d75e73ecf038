import assert from "node:assert/strict";
import { test } from "node:test";
import { offeredValues, operatorFor, wholeOf } from "./table-filters";

test("conditions without a value wait, but for those that need none", () => {
  const whole = wholeOf([
    ["label", "contains", ""],
    ["label", "empty", ""],
    ["score", ">=", "0"],
    ["score", "not empty", "left over"],
  ]);
  assert.deepEqual(whole, [
    ["label", "empty", ""],
    ["score", ">=", "0"],
    ["score", "not empty", "left over"],
  ]);
  assert.deepEqual(wholeOf([]), []);
});

test("numbers are compared first, texts are searched", () => {
  assert.equal(operatorFor({ name: "score", isNumber: true, values: [] }), ">=");
  assert.equal(operatorFor({ name: "label", isNumber: false, values: [] }), "contains");
  assert.equal(operatorFor(undefined), "contains");
});

test("values are offered once, without empty ones, and thirty at most", () => {
  const values = ["a", "", "b", "a", ...Array.from({ length: 40 }, (_, at) => `v${at}`)];
  const offered = offeredValues([{ name: "label", isNumber: false, values }], "label");
  assert.deepEqual(offered.slice(0, 3), ["a", "b", "v0"]);
  assert.equal(offered.length, 30);
  assert.deepEqual(offeredValues([], "label"), []);
});
