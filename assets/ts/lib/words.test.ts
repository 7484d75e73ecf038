import assert from "node:assert/strict";
import { test } from "node:test";
import { word } from "./words";

test("a word that no template has is its key", () => {
  assert.equal(word("dismiss"), "dismiss");
});

test("values take the places of their names, each as often as it stands there", () => {
  assert.equal(word("{n} of {all}, {n}", { n: 0, all: "10" }), "0 of 10, 0");
});

test("a name without a value stays", () => {
  assert.equal(word("{n} of {all}", { n: 1 }), "1 of {all}");
});

test("what a value says is not read again", () => {
  assert.equal(word("{name} {n}", { name: "{n} $1 $&", n: 3 }), "{n} $1 $& 3");
});
