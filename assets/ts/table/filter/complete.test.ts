import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalogue, ColumnInfo } from "../catalogue";
import { columnOptions, completeAt, completed, operatorsOf } from "./complete";
import { placeAt } from "./tokens";

const COLUMNS: ColumnInfo[] = [
  { name: "name", label: "Name", part: "field", type: "text" },
  { name: "created", label: "Created", part: "field", type: "time" },
  { name: "config.lr", label: "lr", part: "config", type: "number" },
  { name: "config.fast", label: "fast", part: "config", type: "boolean" },
  { name: "config.model.name", label: "model.name", part: "config", type: "text" },
  { name: "summary.loss", label: "loss", part: "summary", type: "number" },
];

/** What is known of a project, without asking a server. */
function catalogueOf(values: string[] = []): Catalogue {
  const known: Pick<Catalogue, "columns" | "find" | "values"> = {
    columns: async () => COLUMNS,
    find: (name) => COLUMNS.find((column) => column.name === name),
    values: async () => values,
  };
  return known as Catalogue;
}

async function offered(typed: string, values: string[] = []): Promise<string[]> {
  const caret = typed.indexOf("|");
  const { options } = await completeAt(catalogueOf(values), typed.replace("|", ""), caret);
  return options.map(({ text }) => text);
}

test("an empty expression begins with any column, in the order of the catalogue (RUN-22)", async () => {
  assert.deepEqual(
    await offered("|"),
    COLUMNS.map(({ name }) => name),
  );
});

test("columns that begin with what is typed come before those that only have it", async () => {
  assert.deepEqual(await offered("na|"), ["name", "config.model.name"]);
  assert.deepEqual(await offered("LO|"), ["summary.loss"]);
});

test("a column is found by parts of its name in any order", () => {
  const names = (typed: string) => columnOptions(COLUMNS, typed).map(({ value }) => value);
  assert.deepEqual(names("name model"), ["config.model.name"]);
  assert.deepEqual(names("config.name"), ["config.model.name"]);
  assert.deepEqual(names("nothing"), []);
});

test("operators are those of the column's type", async () => {
  assert.deepEqual(await offered("created |"), operatorsOf("time"));
  assert.deepEqual(await offered("config.fast |"), operatorsOf("boolean"));
  assert.deepEqual(await offered("config.unknown |"), operatorsOf("mixed"));
  assert.deepEqual(await offered("name cont|"), ["contains"]);
});

test("values are those that runs have, or fit the type", async () => {
  assert.deepEqual(await offered("name = |", ['"a"', '"b"']), ['"a"', '"b"']);
  assert.deepEqual(await offered('name = "B|', ['"a"', '"b"']), ['"b"']);
  assert.deepEqual(await offered("created >= |", ["ignored"]), ["-1h", "-1d", "-7d", "-30d"]);
  assert.deepEqual(await offered("config.fast = t|"), ["true"]);
});

test("a list is closed after its values, or goes on", async () => {
  assert.deepEqual(await offered("name in [|", ['"a"']), ['"a"', "]"]);
  assert.deepEqual(await offered('name in ["a", "b|', ['"a"', '"b"', '"bb"']), ['"b"', '"bb"']);
});

test("conditions are joined, and what is typed as a whole is not offered again", async () => {
  assert.deepEqual(await offered("a = 1 |"), ["and", "or"]);
  assert.deepEqual(await offered("a = 1 o|"), ["or"]);
  assert.deepEqual(await offered("a = 1 or|"), []);
  assert.deepEqual(await offered("a is |"), ["null", "not null"]);
});

test("at most fifty things are offered", async () => {
  const many = Array.from({ length: 80 }, (_, at) => `"v${at}"`);
  assert.equal((await offered("name = |", many)).length, 50);
});

// `|` is the caret before and after
for (const [typed, chosen, after, isWhole] of [
  ["na|", "name", "name |", false],
  ["name |", "=", "name = |", false],
  ["name i|", "in", "name in [ |", false],
  ["name |", "not in", "name not in [ |", false],
  ['name = "b|', '"baseline"', 'name = "baseline" |', true],
  ['name = |and tags = "x"', '"a"', 'name = "a" |and tags = "x"', false],
  ["name in [|", '"a"', 'name in ["a", |', false],
  ['name in ["a", |', '"b"', 'name in ["a", "b", |', false],
  ['name in ["a", |', "]", 'name in ["a"] |', true],
  ["name in [|", "]", "name in [] |", true],
  ["name is |", "not null", "name is not null |", true],
  ["a = 1 o|", "or", "a = 1 or |", false],
  ["a = 1 |  and b = 2", "or", "a = 1 or |and b = 2", false],
] as const) {
  test(`choosing ${chosen} turns ${typed} into ${after}`, () => {
    const caret = typed.indexOf("|");
    const text = typed.replace("|", "");
    const now = completed(text, placeAt(text, caret), chosen);
    assert.equal(`${now.text.slice(0, now.caret)}|${now.text.slice(now.caret)}`, after);
    assert.equal(now.isWhole, isWhole);
  });
}
