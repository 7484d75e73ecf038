import assert from "node:assert/strict";
import { test } from "node:test";
import { needleOf } from "./needle";

const found = (needle: RegExp | null, text: string) =>
  needle && [...text.matchAll(needle)].map(([hit]) => hit);

test("a text is looked for as it is, whatever its signs", () => {
  for (const text of ["a.b", "(x)", "[1]", "a+b*c?", "C:\\x", "^$", "{2}", "a|b", "1/2", "größe"]) {
    assert.deepEqual(found(needleOf(text, false, true), `before ${text} after`), [text]);
    assert.deepEqual(found(needleOf(text, false, true), "axb x1 2"), []);
  }
});

test("capitals differ only where that is asked for", () => {
  assert.deepEqual(found(needleOf("loss", false, false), "Loss LOSS loss"), ["Loss", "LOSS", "loss"]);
  assert.deepEqual(found(needleOf("loss", false, true), "Loss LOSS loss"), ["loss"]);
});

test("a regular expression finds what it means", () => {
  assert.deepEqual(found(needleOf("lo+s", true, false), "los loooS ls"), ["los", "loooS"]);
});

test("what is no regular expression here marks nothing", () => {
  for (const text of ["(", "a{2", "(?i)a", "*"]) assert.equal(needleOf(text, true, false), null);
});
