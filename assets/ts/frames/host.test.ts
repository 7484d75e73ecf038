import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonOf, textOf } from "./host";
import type { ShownFile } from "./messages";

function fileOf(text: string): ShownFile {
  return { name: "a.json", content: new TextEncoder().encode(text).buffer as ArrayBuffer };
}

test("a file is read as UTF-8", () => {
  assert.equal(textOf(fileOf("größe 日本 🎉")), "größe 日本 🎉");
  assert.equal(textOf(fileOf("")), "");
});

test("JSON may have what Python writes, a file that is none is refused", () => {
  assert.deepEqual(jsonOf(fileOf('{"x": [NaN, 1], "y": "NaN"}')), { x: [null, 1], y: "NaN" });
  assert.throws(() => jsonOf(fileOf("ply\nformat ascii")), SyntaxError);
});
