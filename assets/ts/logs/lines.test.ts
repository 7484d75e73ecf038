import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type LocalServer, startServer } from "../testing/server";
import { Lines } from "./lines";

/** Answer with the lines of a log of `total`, of which some were never received. */
function logOf(total: number, isMissing: (n: number) => boolean = () => false, masked = 0) {
  return ({ searchParams }: URL): Answer => {
    const [start, limit] = [Number(searchParams.get("start")), Number(searchParams.get("limit"))];
    const numbers = Array.from(
      { length: Math.max(0, Math.min(limit, total - start)) },
      (_, at) => start + at,
    );
    const lines = numbers
      .filter((n) => !isMissing(n))
      .map((n) => ({ n, at: null, level: null, text: `line ${n}` }));
    return { json: { total, lines, masked } };
  };
}

function linesAt({ url }: LocalServer): Lines {
  return new Lines(url, () => undefined);
}

function startsOf({ requests }: LocalServer): (string | null)[] {
  return requests.map(({ searchParams }) => searchParams.get("start"));
}

test("a log without lines is empty", async (t) => {
  const lines = linesAt(await startServer(t, logOf(0)));
  await lines.refresh();
  assert.equal(lines.total, 0);
  assert.deepEqual(await lines.between(0, 0), []);
});

test("lines are read in chunks of a thousand, each once", async (t) => {
  const server = await startServer(t, logOf(2500));
  const lines = linesAt(server);
  const found = await lines.between(998, 1001);
  assert.deepEqual(
    found.map(({ text }) => text),
    ["line 998", "line 999", "line 1000", "line 1001"],
  );
  await lines.between(0, 1999);
  assert.deepEqual(startsOf(server), ["0", "1000"]);
  assert.equal(lines.get(1500)?.text, "line 1500");
});

test("a line that is not in memory is asked for, and comes later", async (t) => {
  const server = await startServer(t, logOf(2500));
  let told = () => {};
  const came = new Promise<void>((resolve) => {
    told = resolve;
  });
  const lines = new Lines(server.url, () => told());
  assert.equal(lines.get(1200), undefined);
  assert.equal(lines.get(1201), undefined);
  await came;
  assert.equal(lines.get(1200)?.text, "line 1200");
  assert.deepEqual(startsOf(server), ["1000"]);
});

test("the newest chunk is read again, for progress bars write over the last lines", async (t) => {
  const server = await startServer(t, logOf(1500));
  const lines = linesAt(server);
  await lines.refresh(1500);
  await lines.refresh();
  assert.deepEqual(startsOf(server), ["1000", "1000"]);
  assert.equal(lines.total, 1500);
});

test("an incomplete chunk is read again once the log is longer", async (t) => {
  let total = 500;
  const server = await startServer(t, (url) => logOf(total)(url));
  const lines = linesAt(server);
  await lines.between(0, 499);
  await lines.between(0, 499);
  assert.equal(server.requests.length, 1);
  total = 1500;
  await lines.refresh(1500);
  assert.equal((await lines.between(0, 999)).length, 1000);
});

test("lines that were never received are gaps, which say how far they reach", async (t) => {
  const server = await startServer(
    t,
    logOf(10, (n) => n === 0 || (n >= 4 && n <= 6) || n === 9),
  );
  const found = await linesAt(server).between(0, 9);
  assert.deepEqual(
    found.map(({ text, gap }) => gap ?? text),
    [[0, 0], "line 1", "line 2", "line 3", [4, 6], [4, 6], [4, 6], "line 7", "line 8", [9, 9]],
  );
});

test("masked lines are counted over all chunks, each once", async (t) => {
  const lines = linesAt(await startServer(t, logOf(1500, undefined, 2)));
  await lines.between(0, 1499);
  await lines.refresh();
  assert.equal(lines.masked, 4);
});

test("sixty chunks are kept, those that were looked at last", async (t) => {
  const server = await startServer(
    t,
    logOf(62_000, (n) => n % 1000 > 0),
  );
  const lines = linesAt(server);
  for (let chunk = 0; chunk < 60; chunk += 1) await lines.between(chunk * 1000, chunk * 1000);
  await lines.between(0, 0);
  await lines.between(60_000, 60_000);
  server.requests.length = 0;
  await lines.between(0, 0);
  assert.deepEqual(startsOf(server), []);
  await lines.between(1000, 1000);
  assert.deepEqual(startsOf(server), ["1000"]);
});

test("lines that cannot be read are asked for again", async (t) => {
  let isDown = true;
  const server = await startServer(t, (url) => (isDown ? { status: 500 } : logOf(5)(url)));
  const lines = linesAt(server);
  await assert.rejects(lines.between(0, 4));
  isDown = false;
  assert.equal((await lines.between(0, 4)).length, 5);
});
