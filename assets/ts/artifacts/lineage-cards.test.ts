import assert from "node:assert/strict";
import { test } from "node:test";
import { titleParts } from "./lineage-cards";
import { detailAt } from "./lineage-view";

for (const [kind, title, parts] of [
  ["version", "model:v12", ["model", ":v12"]],
  ["version", "a:b:v0", ["a:b", ":v0"]],
  ["version", "model", ["model", ""]],
  ["run", "seed:3", ["seed:3", ""]],
  ["hidden", "", ["", ""]],
] as const) {
  test(`the title of the ${kind} ${JSON.stringify(title)} is cut before ${JSON.stringify(parts[1])}`, () => {
    assert.deepEqual(titleParts({ kind }, title), parts);
  });
}

test("the title of a stack has no number", () => {
  assert.deepEqual(titleParts({ kind: "version", members: [] }, "12 versions: all"), [
    "12 versions: all",
    "",
  ]);
});

test("the smaller cards are, the less is written on them", () => {
  assert.deepEqual([0.08, 0.19, 0.2, 0.64, 0.65, 2].map(detailAt), [
    "dots",
    "dots",
    "far",
    "far",
    "near",
    "near",
  ]);
});
