import assert from "node:assert/strict";
import { test } from "node:test";
import { Isolation } from "./isolation";

const click = { ctrlKey: false, metaKey: false, shiftKey: false };
const drawn = (isolation: Isolation) => ["a", "b", "c"].filter((id) => isolation.isDrawn(id)).join("");

test("all lines are drawn until one is picked, and again after a second click on it", () => {
  const isolation = new Isolation();
  assert.equal(drawn(isolation), "abc");
  isolation.pick("b", click);
  assert.equal(drawn(isolation), "b");
  assert.ok(isolation.has("b") && !isolation.has("a"));
  isolation.pick("b", click);
  assert.equal(drawn(isolation), "abc");
});

test("a click on another line picks that one alone, even if several were picked", () => {
  const isolation = new Isolation();
  isolation.pick("a", click);
  isolation.pick("c", { ...click, shiftKey: true });
  assert.equal(drawn(isolation), "ac");
  isolation.pick("a", click);
  assert.equal(drawn(isolation), "a");
});

for (const key of ["ctrlKey", "metaKey", "shiftKey"] as const) {
  test(`a click with ${key} adds a line or removes it`, () => {
    const isolation = new Isolation();
    isolation.pick("a", { ...click, [key]: true });
    isolation.pick("b", { ...click, [key]: true });
    assert.equal(drawn(isolation), "ab");
    isolation.pick("a", { ...click, [key]: true });
    assert.equal(drawn(isolation), "b");
    isolation.pick("b", { ...click, [key]: true });
    assert.equal(drawn(isolation), "abc");
  });
}

test("picked lines that disappear are forgotten, so that the chart is not empty", () => {
  const isolation = new Isolation();
  isolation.pick("a", click);
  isolation.keepOnly(new Set(["b", "c"]));
  assert.equal(drawn(isolation), "abc");
});
