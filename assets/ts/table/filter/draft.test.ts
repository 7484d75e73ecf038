import assert from "node:assert/strict";
import { test } from "node:test";
import type { ColumnType } from "../catalogue";
import type { Leaf, Tree, Value } from "../state";
import { type Draft, draftOf, emptyRow, lastTyped, type Row, textOf, withLast } from "./draft";
import { writeTree } from "./tree";

const TYPES: Record<string, ColumnType> = {
  name: "text",
  tags: "tags",
  created: "time",
  "summary.loss": "number",
  "config.fast": "boolean",
  "config.any": "mixed",
};
const typeOf = (column: string) => TYPES[column];
const leaf = (column: string, operator: string, value: Value | Value[]): Leaf => ({
  column,
  operator,
  value,
});
const row = (column: string, operator: string, value: string): Row => ({ column, operator, value });
const group = (parts: Draft["parts"], join: Draft["join"] = "all", not = false): Draft => ({
  join,
  not,
  parts,
});
const [a, b, c] = [leaf("a", "=", 1), leaf("b", "=", 2), leaf("c", "=", 3)];

for (const tree of [
  a,
  { all: [a, b] },
  { any: [a, b, c] },
  { all: [a, { any: [b, c] }] },
  { not: a },
  { not: { any: [a, b] } },
  { not: { not: { all: [a, b] } } },
  { all: [{ not: { any: [a, { not: b }] } }, c] },
  leaf("name", "in", ["a, b", 'say "c"', "", " d "]),
  leaf("name", "=", ""),
  leaf("config.any", "=", "1"),
  leaf("config.any", "=", "true"),
  leaf("config.any", "in", ["1", 1, true]),
  leaf("summary.loss", "is not null", null),
  leaf("created", ">=", "-7d"),
] as Tree[]) {
  test(`what the builder shows means the same again (RUN-22): ${writeTree(tree)}`, () => {
    assert.equal(textOf(draftOf(tree), typeOf), writeTree(tree));
  });
}

test("without a filter there is an empty group, which means nothing", () => {
  assert.deepEqual(draftOf(null), group([]));
  assert.equal(textOf(draftOf(null), typeOf), "");
});

test("one condition is a row of the outermost group", () => {
  const [only] = draftOf(leaf("name", "in", ["a", "b, c"])).parts as Row[];
  assert.equal(only?.column, "name");
  assert.equal(only?.value, 'a, "b, c"');
});

test("a negated group is shown as one group, and a negated row in one", () => {
  assert.equal(draftOf({ not: { any: [a, b] } }).not, true);
  assert.equal(draftOf({ not: { any: [a, b] } }).join, "any");
  assert.deepEqual(draftOf({ not: a }).parts.length, 1);
});

test("rows that are not whole are left out, and groups without whole rows, too", () => {
  const unfinished = [emptyRow(), row("name", "=", ""), row("name", "=", "  "), row("name", "in", " , ,")];
  assert.equal(textOf(group(unfinished), typeOf), "");
  assert.equal(textOf(group([...unfinished, group([emptyRow()], "any", true)]), typeOf), "");
  assert.equal(textOf(group([...unfinished, row("name", "=", "x")]), typeOf), 'name = "x"');
});

test("a group of one row needs no brackets", () => {
  const draft = group([row("name", "=", "x"), group([row("tags", "=", "y")], "any")]);
  assert.equal(textOf(draft, typeOf), 'name = "x" and tags = "y"');
});

test("groups keep how they are joined and whether they are negated", () => {
  const draft = group(
    [row("name", "is null", "left over"), group([row("a", "=", "1"), row("b", "=", "2")], "any", true)],
    "all",
  );
  assert.equal(textOf(draft, typeOf), "name is null and not (a = 1 or b = 2)");
});

for (const [column, typed, written] of [
  ["name", "5", '"5"'],
  ["name", " x ", '"x"'],
  ["tags", "true", '"true"'],
  ["created", "2026-01-02", "2026-01-02"],
  ["summary.loss", "0.001", "0.001"],
  ["summary.loss", "1e-3", "0.001"],
  ["summary.loss", "NaN", '"NaN"'],
  ["summary.loss", "Infinity", '"Infinity"'],
  ["summary.loss", "abc", '"abc"'],
  ["config.fast", "TRUE", "true"],
  ["config.any", "5", "5"],
  ["config.any", "five", '"five"'],
  ["unknown", "false", "false"],
] as const) {
  test(`what is typed has the type of its column: ${column} ${typed}`, () => {
    assert.equal(textOf(group([row(column, "=", typed)]), typeOf), `${column} = ${written}`);
  });
}

for (const [column, typed, written] of [
  ["name", "a, b", '["a", "b"]'],
  ["name", 'a, "b, c"', '["a", "b, c"]'],
  ["name", 'a, "say \\"b\\""', '["a", "say \\"b\\""]'],
  ["name", "a,, b,", '["a", "b"]'],
  ["name", 'a, ""', '["a", ""]'],
  ["summary.loss", "1, 2.5", "[1, 2.5]"],
  ["config.any", '1, "1"', '[1, "1"]'],
] as const) {
  test(`several values are typed with commas between them: ${typed}`, () => {
    assert.equal(textOf(group([row(column, "in", typed)]), typeOf), `${column} in ${written}`);
  });
}

test("once something else is typed, or a single value asked for, the type is guessed anew", () => {
  const [one] = draftOf(leaf("config.any", "=", "1")).parts as Row[];
  const [list] = draftOf(leaf("config.any", "in", ["1"])).parts as Row[];
  assert.ok(one && list);
  assert.equal(textOf(group([{ ...one, value: "2", given: undefined }]), typeOf), "config.any = 2");
  assert.equal(textOf(group([{ ...one, operator: "!=" }]), typeOf), 'config.any != "1"');
  assert.equal(textOf(group([{ ...list, operator: "=" }]), typeOf), "config.any = 1");
});

test("values are completed behind the last comma that is not in quotes", () => {
  assert.equal(lastTyped("in", "a, b"), "b");
  assert.equal(lastTyped("in", "a, "), "");
  assert.equal(lastTyped("in", 'a, "b, c'), "b, c");
  assert.equal(lastTyped("=", " a, b "), "a, b");
});

test("a chosen value takes the place of what is typed of it", () => {
  assert.equal(withLast("a, b", "beta"), "a, beta");
  assert.equal(withLast("", "beta"), "beta");
  assert.equal(withLast('"a, b",c', "d, e"), '"a, b", "d, e"');
});
