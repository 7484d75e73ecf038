import assert from "node:assert/strict";
import { test } from "node:test";
import { colorAt } from "./gradient";

test("a gradient goes from its first to its last color and is clamped there", () => {
  assert.equal(colorAt(0, false), "#440154");
  assert.equal(colorAt(1, false), "#be8000");
  assert.equal(colorAt(-3, false), colorAt(0, false));
  assert.equal(colorAt(7, true), colorAt(1, true));
  assert.equal(colorAt(0.5, false), "#187d7d");
  assert.notEqual(colorAt(0.5, true), colorAt(0.5, false));
});

test("colors between two stops are mixed", () => {
  assert.equal(colorAt(0.125, false), "#402a70");
});
