import assert from "node:assert/strict";
import { test } from "node:test";
import { putChange } from "./editor";
import type { Change } from "./editor-wire";

function waitingAfter(...changes: Change[]): string[] {
  const waiting: Change[] = [];
  for (const change of changes) putChange(waiting, change);
  return waiting.map(({ parameter = "", field, typed }) => `${parameter}.${field}=${typed}`);
}

test("of one field only what was typed last is sent, at the place of what was typed first", () => {
  assert.deepEqual(
    waitingAfter(
      { parameter: "lr", field: "min", typed: "0" },
      { parameter: "lr", field: "max", typed: "1" },
      { parameter: "lr", field: "min", typed: "0.1" },
    ),
    ["lr.min=0.1", "lr.max=1"],
  );
});

test("fields of the same name of other parameters, and of the sweep itself, are others", () => {
  assert.deepEqual(
    waitingAfter(
      { parameter: "lr", field: "name", typed: "a" },
      { parameter: "wd", field: "name", typed: "b" },
      { field: "name", typed: "c" },
    ),
    ["lr.name=a", "wd.name=b", ".name=c"],
  );
});

test("each press of the button adds a parameter", () => {
  const add = { parameter: "", field: "add", typed: "" };
  assert.equal(waitingAfter(add, add).length, 2);
});
