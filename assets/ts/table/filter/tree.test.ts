import assert from "node:assert/strict";
import { test } from "node:test";
import type { Leaf, Tree, Value } from "../state";
import {
  hasCondition,
  partsOf,
  plainText,
  withCondition,
  withoutCondition,
  writeLeaf,
  writeTree,
  writeValue,
} from "./tree";

const leaf = (column: string, operator = "=", value: Value | Value[] = 1): Leaf => ({
  column,
  operator,
  value,
});
const [a, b, c] = [leaf("a"), leaf("b"), leaf("c")];

for (const [value, text] of [
  [1, "1"],
  [-0.001, "-0.001"],
  [true, "true"],
  [null, "null"],
  ["running", '"running"'],
  ["", '""'],
  ['say "hi" \\o/', '"say \\"hi\\" \\\\o/"'],
  ["-7d", "-7d"],
  ["+1.5h", "+1.5h"],
  ["7d", '"7d"'],
  ["2026-01-02", "2026-01-02"],
  ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"],
  ["2026-01-02T03:04:05.678+01:00", "2026-01-02T03:04:05.678+01:00"],
  ["2026-01-02 or so", '"2026-01-02 or so"'],
  ["null", '"null"'],
  ["größe 日本", '"größe 日本"'],
  [["a", 1, 'b"'], '["a", 1, "b\\""]'],
  [[], "[]"],
] as [Value | Value[], string][]) {
  test(`a value is written as expressions spell it (RUN-22): ${text}`, () => {
    assert.equal(writeValue(value), text);
  });
}

test("what is between quotes is read back as it was", () => {
  for (const text of ["", "a", 'say "hi"', "\\", '\\"', "it's", "a\\nb"])
    assert.equal(plainText(writeValue(text)), text);
  assert.equal(plainText("0.1"), "0.1");
});

for (const [tree, text] of [
  [a, "a = 1"],
  [leaf("a", "is null", null), "a is null"],
  [leaf("a", "not in", ["x", 2]), 'a not in ["x", 2]'],
  [{ all: [] }, ""],
  [{ all: [a] }, "a = 1"],
  [{ all: [a, b] }, "a = 1 and b = 1"],
  [{ any: [a, b] }, "a = 1 or b = 1"],
  [{ all: [a, { any: [b, c] }] }, "a = 1 and (b = 1 or c = 1)"],
  [{ any: [{ all: [a, b] }, c] }, "(a = 1 and b = 1) or c = 1"],
  [{ all: [{ any: [a, b] }] }, "a = 1 or b = 1"],
  [{ not: a }, "not a = 1"],
  [{ not: { any: [a, b] } }, "not (a = 1 or b = 1)"],
  [{ not: { not: a } }, "not (not a = 1)"],
  [{ all: [{ not: a }, b] }, "not a = 1 and b = 1"],
] as [Tree, string][]) {
  test(`a tree is written with the brackets it needs (RUN-22): ${text}`, () => {
    assert.equal(writeTree(tree), text);
  });
}

test("a condition with a bare operator has no value", () => {
  assert.equal(writeLeaf(leaf("summary.loss", "is not null", "left over")), "summary.loss is not null");
});

test("conditions that are joined by and can be taken away one by one", () => {
  assert.deepEqual(partsOf({ all: [a, b] }), [a, b]);
  assert.deepEqual(partsOf({ any: [a, b] }), [{ any: [a, b] }]);
  assert.deepEqual(partsOf(null), []);
});

test("a condition is taken from a filter, and the last leaves none", () => {
  assert.equal(withoutCondition({ all: [a, b, c] }, "b = 1"), "a = 1 and c = 1");
  assert.equal(withoutCondition({ all: [a, { any: [b, c] }] }, "a = 1"), "b = 1 or c = 1");
  assert.equal(withoutCondition(a, "a = 1"), "");
  assert.equal(withoutCondition(a, "b = 1"), "a = 1");
  assert.equal(withoutCondition(null, "b = 1"), "");
});

test("a condition is added to a filter, which stays what it was", () => {
  assert.equal(withCondition(null, 'state = "running"'), 'state = "running"');
  assert.equal(withCondition({ all: [a, b] }, "c = 1"), "a = 1 and b = 1 and c = 1");
  assert.equal(withCondition({ any: [a, b] }, "c = 1"), "(a = 1 or b = 1) and c = 1");
  assert.equal(withCondition({ all: [{ any: [a, b] }, c] }, "d = 1"), "(a = 1 or b = 1) and c = 1 and d = 1");
});

test("a condition is known by how it is written", () => {
  const mine = leaf("user", "=", "ada");
  assert.ok(hasCondition({ all: [a, mine] }, 'user = "ada"'));
  assert.ok(hasCondition(mine, 'user = "ada"'));
  assert.ok(!hasCondition({ any: [a, mine] }, 'user = "ada"'));
  assert.ok(!hasCondition(null, 'user = "ada"'));
});
