import assert from "node:assert/strict";
import { test } from "node:test";
import { makePatterns } from "../testing/patterns";
import { needleOf } from "./needle";

function found(typed: string, isExact: boolean, text: string): string[] | undefined {
  return needleOf(
    typed,
    false,
    isExact,
    makePatterns().patterns,
  )?.(text).map(([from, length]) => text.slice(from, from + length));
}

test("a text is looked for as it is, whatever its signs", () => {
  for (const text of ["a.b", "(x)", "[1]", "a+b*c?", "C:\\x", "^$", "{2}", "a|b", "1/2", "größe"]) {
    assert.deepEqual(found(text, true, `before ${text} after`), [text]);
    assert.deepEqual(found(text, true, "axb x1 2"), []);
  }
});

test("capitals differ only where that is asked for", () => {
  assert.deepEqual(found("loss", false, "Loss LOSS loss"), ["Loss", "LOSS", "loss"]);
  assert.deepEqual(found("loss", true, "Loss LOSS loss"), ["loss"]);
});

test("a regular expression finds what it means, once it has been matched", async () => {
  const { patterns, changed } = makePatterns();
  const needle = needleOf("lo+s", true, false, patterns);
  assert.deepEqual(needle?.("los loooS ls"), []);
  await changed();
  assert.deepEqual(needle?.("los loooS ls"), [
    [0, 3],
    [4, 5],
  ]);
});

test("what is no regular expression here marks nothing", () => {
  for (const text of ["(", "a{2", "(?i)a", "*"])
    assert.equal(needleOf(text, true, false, makePatterns().patterns), null);
});
