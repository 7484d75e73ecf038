import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../testing/server";
import { Search } from "./search";

const WANTED = { text: "a+b", regex: true, exact: false, raw: false };

function searchWith(...hits: number[]): Search {
  const search = new Search("", () => undefined);
  search.hits = hits;
  return search;
}

test("the server is asked step by step until it has looked through the whole log", async (t) => {
  const { url, requests } = await startServer(t, ({ searchParams }) => {
    const start = Number(searchParams.get("start"));
    return { json: { total: 300, scanned_to: start + 100, lines: [start + 5], most: 1000 } };
  });
  const done: number[] = [];
  const search = new Search(`${url}/search`, (part) => done.push(part));
  await search.start(WANTED);
  assert.deepEqual(search.hits, [5, 105, 205]);
  assert.deepEqual(done, [1 / 3, 2 / 3, 1]);
  assert.equal(requests[0]?.search, "?text=a%2Bb&regex=1&start=0");
  assert.deepEqual([search.isActive, search.isBusy, search.isCut], [true, false, false]);
});

test("a search ends where the server lists no more", async (t) => {
  const { url, requests } = await startServer(t, () => ({
    json: { total: 300, scanned_to: 100, lines: [1, 2], most: 2 },
  }));
  const search = new Search(url, () => undefined);
  await search.start(WANTED);
  assert.ok(search.isCut);
  await search.more();
  assert.equal(requests.length, 1);
});

test("lines that came since are looked through from where the search ended", async (t) => {
  let total = 100;
  const { url, requests } = await startServer(t, ({ searchParams }) => ({
    json: { total, scanned_to: total, lines: [Number(searchParams.get("start"))], most: 1000 },
  }));
  const search = new Search(url, () => undefined);
  await search.start(WANTED);
  total = 150;
  await search.more();
  assert.deepEqual(search.hits, [0, 100]);
  assert.equal(requests[1]?.searchParams.get("start"), "100");
});

test("a log without lines has been looked through", async (t) => {
  const { url } = await startServer(t, () => ({ json: { total: 0, scanned_to: 0, lines: [], most: 9 } }));
  const done: number[] = [];
  await new Search(url, (part) => done.push(part)).start(WANTED);
  assert.deepEqual(done, [1]);
});

test("another search gives up the one before, whose hits never come", async (t) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { url } = await startServer(t, async ({ searchParams }) => {
    if (searchParams.get("text") === "slow") await held;
    return {
      json: { total: 10, scanned_to: 10, lines: [searchParams.get("text") === "slow" ? 1 : 2], most: 9 },
    };
  });
  const search = new Search(url, () => undefined);
  const slow = search.start({ ...WANTED, text: "slow" });
  const gaveUp = assert.rejects(slow, { name: "AbortError" });
  await search.start({ ...WANTED, text: "fast" });
  release();
  await gaveUp;
  assert.deepEqual(search.hits, [2]);
  await search.start(undefined);
  assert.deepEqual([search.hits, search.isActive], [[], false]);
});

const ALL = () => true;
for (const [from, direction, hit] of [
  [0, 1, 10],
  [10, 1, 20],
  [15, 1, 20],
  [30, 1, 10],
  [99, 1, 10],
  [-1, 1, 10],
  [30, -1, 20],
  [25, -1, 20],
  [10, -1, 30],
  [5, -1, 30],
  [99, -1, 30],
] as const) {
  test(`${direction === 1 ? "after" : "before"} line ${from} the hit is ${hit}`, () => {
    assert.equal(searchWith(10, 20, 30).next(from, direction, ALL), hit);
  });
}

test("a single hit is found again and again", () => {
  for (const from of [0, 10, 99])
    for (const direction of [1, -1] as const) assert.equal(searchWith(10).next(from, direction, ALL), 10);
});

test("hits that are not shown are passed over, and without any there is none", () => {
  assert.equal(
    searchWith(10, 20, 30).next(10, 1, (line) => line !== 20),
    30,
  );
  assert.equal(
    searchWith(10).next(0, 1, () => false),
    undefined,
  );
  assert.equal(searchWith().next(0, -1, ALL), undefined);
});

test("hits are numbered from one", () => {
  const search = searchWith(10, 20, 30);
  assert.deepEqual(
    [10, 20, 30].map((line) => search.rank(line)),
    [1, 2, 3],
  );
});
