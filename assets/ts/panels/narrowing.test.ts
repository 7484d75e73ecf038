import assert from "node:assert/strict";
import { test } from "node:test";
import { Narrowing } from "./narrowing";

const range = new Map([["config.lr", { low: 0, high: 1 }]]);

test("only runs that pass the brushes of every panel are kept", () => {
  let changes = 0;
  const narrowing = new Narrowing(() => {
    changes += 1;
  });
  assert.equal(narrowing.kept, null);
  assert.ok(narrowing.keeps("a"));
  narrowing.put("one", range, new Set(["c", "a", "b"]));
  narrowing.put("other", range, new Set(["a", "c"]));
  assert.deepEqual(narrowing.kept, ["c", "a"]);
  assert.ok(narrowing.keeps("a") && !narrowing.keeps("b"));
  assert.equal(changes, 2);
});

test("listeners hear only of changes to the kept runs", () => {
  const narrowing = new Narrowing();
  narrowing.put("panel", new Map(), new Set());
  assert.equal(narrowing.version, 0);
  narrowing.put("panel", range, new Set(["a"]));
  narrowing.put("panel", new Map([["config.lr", { low: 0, high: 2 }]]), new Set(["a"]));
  assert.equal(narrowing.version, 1);
  assert.deepEqual(narrowing.brushesOf("panel").get("config.lr"), { low: 0, high: 2 });
  narrowing.put("panel", range, new Set(["b"]));
  assert.equal(narrowing.version, 2);
});

test("brushes may exclude every run, and removing them brings all back", () => {
  const narrowing = new Narrowing();
  narrowing.put("panel", range, new Set());
  assert.deepEqual(narrowing.kept, []);
  narrowing.put("panel", new Map(), new Set());
  assert.equal(narrowing.kept, null);
  assert.equal(narrowing.version, 2);
});

test("brushes can be cleared for one panel or for all", () => {
  const narrowing = new Narrowing();
  narrowing.clear();
  assert.equal(narrowing.version, 0);
  narrowing.put("one", range, new Set(["a"]));
  narrowing.put("other", range, new Set(["b"]));
  narrowing.clear("one");
  narrowing.clear("unknown");
  assert.deepEqual(narrowing.kept, ["b"]);
  narrowing.clear();
  assert.equal(narrowing.kept, null);
  assert.equal(narrowing.version, 4);
});
