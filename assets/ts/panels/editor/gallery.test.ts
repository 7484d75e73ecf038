import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { PanelKind } from "../spec";
import { iconOf, isAddable } from "./gallery";

const KINDS =
  "line scatter bar parallel importance table media histogram compare custom markdown scalar code";

for (const kind of KINDS.split(" ") as PanelKind[]) {
  test(`panels of the kind ${kind} can be added, and their icon is in the sprite`, () => {
    assert.ok(isAddable(kind));
    assert.ok(readFileSync("assets/icons.txt", "utf8").split("\n").includes(iconOf(kind)));
  });
}

test("an unknown kind cannot be added and has the icon of lines", () => {
  const former = "images" as PanelKind;
  assert.ok(!isAddable(former));
  assert.equal(iconOf(former), iconOf("line"));
});
