import assert from "node:assert/strict";
import { test } from "node:test";
import { makeMember } from "./fixtures";
import { grouped } from "./groups";
import type { RunGroup } from "./runs";

const group = (path: string, given: Partial<RunGroup> = {}): RunGroup => ({
  ...{ path, name: path, values: path, color: 3, count: 2 },
  ...given,
});

test("each group and key has one line, and runs without a group have none", () => {
  const members = [
    makeMember([1], { uid: "a" }),
    makeMember([3], { uid: "b" }),
    makeMember([9], { uid: "alone" }),
    makeMember([5], { uid: "a", key: "acc" }),
  ];
  const groupOf = new Map([
    ["a", group("one")],
    ["b", group("one")],
  ]);
  const found = grouped(members, groupOf, "mean", "range");
  assert.deepEqual(
    found.map(({ id, color, y, counts }) => [id, color, y[0], counts[0]]),
    [
      ["one\nloss", 3, 2, 2],
      ["one\nacc", 3, 5, 1],
    ],
  );
  assert.match(found[0]?.label ?? "", /^one · loss \(/);
});

test("a group's label includes the key only if there are several keys", () => {
  const [line] = grouped([makeMember([1], { uid: "a" })], new Map([["a", group("one")]]), "mean", "range");
  assert.match(line?.label ?? "", /^one \(/);
});
