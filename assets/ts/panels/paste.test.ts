import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSpec } from "./fixtures";
import { copiedText, readCopied } from "./paste";

const target = { name: "val", title: "val", rank: 4, panels: [] };

test("a copied panel is pasted as a new panel into another section", () => {
  const copied = copiedText(makeSpec({ order: 3, group: "GPU", logY: true, height: 400 }));
  const pasted = readCopied(copied, target);
  assert.notEqual(pasted?.id, "loss");
  const { id: _id, ...rest } = pasted ?? {};
  assert.deepEqual(rest, {
    ...{ kind: "line", source: "history", title: "loss", keys: ["loss"], logY: true, height: 400 },
    ...{ section: "val", rank: 4 },
  });
});

test("copied text does not contain the panel's place", () => {
  const text = copiedText(makeSpec({ section: "secret" }));
  assert.ok(!text.includes("secret"));
});

test("pasting twice gives different ids", () => {
  const text = copiedText(makeSpec());
  assert.notEqual(readCopied(text, target)?.id, readCopied(text, target)?.id);
});

for (const text of [
  "",
  "loss",
  "{}",
  "runyardPanel",
  '{"runyardPanel"',
  '{"runyardPanel": null}',
  '{"runyardPanel": {"kind": "line"}}',
  '{"runyardPanel": {"kind": 1, "title": "x"}}',
  '["runyardPanel"]',
  `{"runyardPanel": {"kind": "line", "title": "${"x".repeat(70_000)}"}}`,
]) {
  test(`${text.slice(0, 40) || "an empty text"} is not a copied panel`, () => {
    assert.equal(readCopied(text, target), null);
  });
}

test("keys and source of a pasted panel are sanitized", () => {
  const text = '{"runyardPanel": {"kind": "line", "title": "x", "keys": [1, "a"], "source": "evil"}}';
  const pasted = readCopied(text, undefined);
  assert.deepEqual([pasted?.keys, pasted?.source, pasted?.rank], [["1", "a"], "history", 0]);
  const broken = readCopied('{"runyardPanel": {"kind": "line", "title": "x", "keys": "abc"}}', undefined);
  assert.deepEqual(broken?.keys, []);
});
