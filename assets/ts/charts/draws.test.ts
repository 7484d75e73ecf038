import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestFirst } from "./draws";

test("charts in the viewport are drawn first, then by distance from it, ties in order of arrival", () => {
  const places = [
    ["far below", { top: 2000, bottom: 2300 }],
    ["above", { top: -400, bottom: -100 }],
    ["shown", { top: 100, bottom: 400 }],
    ["half shown", { top: 700, bottom: 1100 }],
    ["below", { top: 850, bottom: 1100 }],
  ] as const;
  assert.deepEqual(nearestFirst(places, 800), ["shown", "half shown", "below", "above", "far below"]);
  assert.deepEqual(nearestFirst([], 800), []);
});
