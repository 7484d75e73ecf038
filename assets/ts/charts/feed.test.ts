import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startServer } from "../testing/server";
import { Feed, pairOf } from "./feed";
import type { Source } from "./feed-requests";

const STEP: Source = { kind: "history", x: "_step" };

/** A feed on a server where each run has logged `rows` values per key, and what it has said so far. */
async function feedOn(t: TestContext, rows: { count: number }, fails: () => boolean = () => false) {
  const server = await startServer(t, (url) => {
    if (fails()) return { status: 500 };
    const since = url.searchParams.getAll("since").map(Number);
    const uids = url.searchParams.getAll("run");
    const from = (uid: string) => since[uids.indexOf(uid)] ?? 0;
    const x = uids.map((uid) => Array.from({ length: rows.count - from(uid) }, (_, at) => at + from(uid)));
    const lineOf = (at: number) => ({ x: at, last: x[at] ?? [] });
    const keys = url.searchParams.getAll("keys");
    const series = Object.fromEntries(
      uids.map((uid, at) => [uid, Object.fromEntries(keys.map((key) => [key, lineOf(at)]))]),
    );
    return { json: { next: Object.fromEntries(uids.map((uid) => [uid, rows.count])), x, series } };
  });
  const said: string[] = [];
  let wake: () => void = () => undefined;
  const heard = (what: string) => (source: Source, keys: Set<string>) => {
    said.push(`${what} ${source.x} ${[...keys]}`);
    wake();
  };
  const feed = new Feed({ url: server.url, changed: heard("changed"), failed: heard("failed") });
  const next = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return { feed, server, said, next };
}

test("wants made at the same moment share one request, and loaded lines are not requested again", async (t) => {
  const { feed, server, said, next } = await feedOn(t, { count: 3 });
  feed.want(STEP, ["loss"], ["a"]);
  feed.want(STEP, ["acc"], ["a"]);
  feed.want(STEP, ["loss"], ["a"]);
  await next();
  assert.deepEqual(said, ["changed _step loss,acc"]);
  assert.equal(server.requests.length, 1);
  assert.deepEqual([...(feed.get(STEP, "loss", "a")?.columns().last ?? [])], [0, 1, 2]);
  assert.equal(feed.get(STEP, "loss", "b"), undefined);
  assert.equal(feed.get({ ...STEP, x: "_runtime" }, "loss", "a"), undefined);
  feed.want(STEP, ["loss", "acc"], ["a"]);
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(server.requests.length, 1);
});

test("newly logged points are requested from the run's cursor and appended", async (t) => {
  const rows = { count: 3 };
  const { feed, server, next } = await feedOn(t, rows);
  feed.want(STEP, ["loss"], ["a"]);
  await next();
  rows.count = 5;
  feed.advance("history", "a", 5);
  feed.advance("history", "a", 3); // what comes late is no step back
  feed.want(STEP, ["loss"], ["a"]);
  await next();
  assert.deepEqual(server.requests[1]?.searchParams.getAll("since"), ["3"]);
  assert.deepEqual([...(feed.get(STEP, "loss", "a")?.columns().x ?? [])], [0, 1, 2, 3, 4]);
});

test('a missing key called "constructor" does not block other lines', async (t) => {
  const reply = { next: { a: 2 }, x: [[0, 1]], series: { a: { loss: { x: 0, last: [1, 2] } } } };
  const server = await startServer(t, () => ({ json: reply }));
  const came = new Promise<Set<string>>((resolve) => {
    const feed = new Feed({
      url: server.url,
      changed: (_, keys) => resolve(keys),
      failed: (_, keys) => resolve(keys),
    });
    feed.want(STEP, ["constructor", "loss"], ["a"]);
  });
  assert.deepEqual([...(await came)], ["constructor", "loss"]);
});

test("after a failure the same lines can be requested again", async (t) => {
  let isDown = true;
  const { feed, said, next } = await feedOn(t, { count: 2 }, () => isDown);
  feed.want(STEP, ["loss"], ["a"]);
  await next();
  assert.deepEqual(said, ["failed _step loss"]);
  isDown = false;
  feed.want(STEP, ["loss"], ["a"]);
  await next();
  assert.equal(said[1], "changed _step loss");
});

test("finer lines are requested by range and smoothing and are not cached", async (t) => {
  const { feed, server } = await feedOn(t, { count: 2 });
  const how = { range: [1, 2.5] as [number, number], smoothing: { kind: "ema", amount: 0.9 } as const };
  const lines = await feed.fine(STEP, ["loss"], ["a"], how, new AbortController().signal);
  assert.equal(lines.get(pairOf("loss", "a"))?.length, 2);
  assert.equal(feed.get(STEP, "loss", "a"), undefined);
  const query = server.requests[0]?.searchParams;
  assert.deepEqual([query?.get("from"), query?.get("to"), query?.get("smooth")], ["1", "2.5", "ema:0.9"]);
});

test("the CSV address contains the visible range", () => {
  const feed = new Feed({ url: "/series", changed: () => undefined, failed: () => undefined });
  assert.match(
    feed.csvAddress(STEP, ["loss"], ["a"], null),
    /^\/series\.csv\?kind=history&x=_step&keys=loss&run=a/,
  );
  const part = new URL(feed.csvAddress(STEP, ["loss"], ["a"], [-1, 1e-7]), "http://localhost").searchParams;
  assert.deepEqual([part.get("from"), part.get("to")], ["-1", "1e-7"]);
});
