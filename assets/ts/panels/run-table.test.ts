import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startServer } from "../testing/server";
import { makeTable } from "./fixtures";
import { RunTable, TableFeed } from "./run-table";

const measured = (cells: unknown[]) => {
  const { names, values } = makeTable({ c: cells }).measured("c");
  return [names, [...values]];
};

for (const [cells, names, values] of [
  [[1, 2.5, -3], null, [1, 2.5, -3]],
  [["NaN", "Infinity", null, 4], null, [Number.NaN, Infinity, Number.NaN, 4]],
  [[[7], [1, 2], { a: 1 }], null, [7, Number.NaN, Number.NaN]],
  [
    ["b", "a", "b", null],
    ["a", "b"],
    [1, 0, 1, Number.NaN],
  ],
  [
    ["layer10", "layer9"],
    ["layer9", "layer10"],
    [1, 0],
  ],
  [
    [true, false, null],
    ["false", "true"],
    [1, 0, Number.NaN],
  ],
  [
    ["", "x"],
    ["", "x"],
    [0, 1],
  ],
  [[null, null], null, [Number.NaN, Number.NaN]],
] as const) {
  test(`the column ${JSON.stringify(cells)} is measured as ${names ? "names" : "numbers"}`, () => {
    assert.deepEqual(measured([...cells]), [names, values]);
  });
}

test("a column that was not requested has no values", () => {
  const table = makeTable({ a: [1, 2] });
  assert.deepEqual(table.cells("b"), []);
  assert.deepEqual([...table.measured("b").values], [Number.NaN, Number.NaN]);
});

test("the measures of a column are cached", () => {
  const table = makeTable({ a: [1, 2] });
  assert.equal(table.measured("a"), table.measured("a"));
});

test("a table is live while a run is active", () => {
  const live = (...state: string[]) =>
    new RunTable({ total: 9, uid: state, name: [], state, color: [], columns: {} }).isLive;
  assert.ok(live("finished", "running"));
  assert.ok(live("pending"));
  assert.ok(!live("finished", "crashed", "failed"));
  assert.ok(!live());
});

async function tablesOn(t: TestContext, fails: () => boolean = () => false) {
  const server = await startServer(t, (url) => {
    const names = url.searchParams.getAll("columns");
    if (fails()) return { status: 503 };
    const columns = Object.fromEntries(names.map((name) => [name, [1]]));
    return { json: { total: 1, uid: ["r"], name: ["r"], state: ["running"], color: [0], columns } };
  });
  const query = { filter: "a" };
  const asked = () => server.requests.map(({ searchParams }) => searchParams.getAll("columns").join(" "));
  return { feed: new TableFeed(server.url, () => query), query, asked };
}

test("panels that ask at the same time share one request, and later ones get the same table", async (t) => {
  const { feed, asked } = await tablesOn(t);
  const [one, other] = await Promise.all([feed.ask(["a", "b"]), feed.ask(["c"])]);
  assert.equal(one, other);
  assert.equal(await feed.ask(["c", "a"]), one);
  assert.deepEqual(asked(), ["a b c"]);
});

test("a missing column and a new filter cause a request", async (t) => {
  const { feed, query, asked } = await tablesOn(t);
  await feed.ask(["a"]);
  await feed.ask(["b"]);
  query.filter = "b";
  await feed.ask(["a"]);
  assert.deepEqual(asked(), ["a", "a b", "b a"]);
});

test("a failed table is requested again", async (t) => {
  let isDown = true;
  const { feed, asked } = await tablesOn(t, () => isDown);
  await assert.rejects(feed.ask(["a"]), /503/);
  isDown = false;
  assert.deepEqual((await feed.ask(["a"])).cells("a"), [1]);
  assert.equal(asked().length, 2);
});
