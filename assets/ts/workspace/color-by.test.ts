import assert from "node:assert/strict";
import { test } from "node:test";
import { partOf } from "./color-by";

test("columns are offered among fields, or keys of config and summary", () => {
  assert.deepEqual(["config.lr", "summary.a.b", "name", "config", "summary", "other.x"].map(partOf), [
    "config",
    "summary",
    "field",
    "field",
    "field",
    "field",
  ]);
});
