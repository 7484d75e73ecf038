import assert from "node:assert/strict";
import { test } from "node:test";
import { Isolation } from "./isolation";

const click = { ctrlKey: false, metaKey: false, shiftKey: false };
const drawn = (isolation: Isolation) => ["a", "b", "c"].filter((id) => isolation.isDrawn(id)).join("");

test("all lines are drawn until one is picked, and again after a click on the only one", () => {
  const isolation = new Isolation();
  assert.equal(drawn(isolation), "abc");
  isolation.pick("b", click);
  assert.equal(drawn(isolation), "b");
  assert.ok(isolation.has("b") && !isolation.has("a"));
  isolation.pick("b", click);
  assert.equal(drawn(isolation), "abc");
});

test("a click on another line picks that one alone, also out of several", () => {
  const isolation = new Isolation();
  isolation.pick("a", click);
  isolation.pick("c", { ...click, shiftKey: true });
  assert.equal(drawn(isolation), "ac");
  isolation.pick("a", click);
  assert.equal(drawn(isolation), "a");
});

for (const key of ["ctrlKey", "metaKey", "shiftKey"] as const) {
  test(`${key} adds lines and takes them`, () => {
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

test("picked lines that are gone are forgotten, so that a chart is never empty", () => {
  const isolation = new Isolation();
  isolation.pick("a", click);
  isolation.keepOnly(new Set(["b", "c"]));
  assert.equal(drawn(isolation), "abc");
});
