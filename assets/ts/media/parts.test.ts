import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "./parts";

test("texts and numbers are read as text, anything else gives the fallback", () => {
  assert.equal(textOf("a"), "a");
  assert.equal(textOf(""), "");
  assert.equal(textOf(0), "0");
  for (const value of [null, undefined, true, {}, ["a"]]) assert.equal(textOf(value, "none"), "none");
  assert.equal(textOf(null), "");
});
