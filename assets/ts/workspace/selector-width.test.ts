import assert from "node:assert/strict";
import { test } from "node:test";
import { clamp } from "./selector-width";

test("the list of runs is from 200 to 560 whole pixels wide", () => {
  assert.deepEqual([-5, 200, 333.4, 560, 4000].map(clamp), [200, 200, 333, 560, 560]);
});
