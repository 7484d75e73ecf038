import assert from "node:assert/strict";
import { test } from "node:test";
import { projectPath } from "./bulk";

test("runs are moved within the entity of the table unless another one is typed", () => {
  assert.equal(projectPath("vision", "/acme/language/runs"), "acme/vision");
  assert.equal(projectPath("other/vision", "/acme/language/runs"), "other/vision");
});
