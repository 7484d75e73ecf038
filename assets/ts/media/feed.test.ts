import assert from "node:assert/strict";
import { test } from "node:test";
import { type LocalServer, startServer } from "../testing/server";
import { MediaFeed } from "./feed";
import type { MediaKey } from "./wire";

function keyOf(key: string, ...steps: number[]): MediaKey {
  return { key, kinds: ["image-file"], steps, count: steps.length };
}

/** A feed that can be waited for: `next` resolves once the given number of keys have loaded or failed. */
function feedAt({ url }: LocalServer) {
  const told: string[] = [];
  let wake = () => {};
  const tell = (text: string) => {
    told.push(text);
    wake();
  };
  const feed = new MediaFeed(
    url,
    (key) => tell(`came ${key}`),
    (key) => tell(`failed ${key}`),
  );
  const next = async (count: number) => {
    while (told.length < count)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return told.splice(0).sort();
  };
  return { feed, next };
}

function answer(url: URL) {
  const step = Number(url.searchParams.get("step"));
  const keys = url.searchParams.getAll("keys").filter((key) => key !== "gone");
  const values = keys.map((key) => [
    key,
    { row: step, step, kind: "image-file", value: `${key} at ${step}` },
  ]);
  return { json: { values: Object.fromEntries(values), files: {} } };
}

test("keys that are wanted at the same step are asked for together, and read once", async (t) => {
  const server = await startServer(t, answer);
  const { feed, next } = feedAt(server);
  assert.equal(feed.get(keyOf("a", 0, 10), 10), undefined);
  assert.equal(feed.get(keyOf("b", 0, 10), 10), undefined);
  assert.deepEqual(await next(2), ["came a", "came b"]);
  assert.equal(server.requests.length, 1);
  assert.equal(feed.get(keyOf("a", 0, 10), 10)?.value.value, "a at 10");
});

test("a key is shown at its last step that is not after the slider's", async (t) => {
  const server = await startServer(t, answer);
  const { feed, next } = feedAt(server);
  feed.get(keyOf("a", 0, 10, 20), 19);
  await next(1);
  assert.equal(server.requests[0]?.searchParams.get("step"), "10");
  assert.equal(feed.get(keyOf("a", 0, 10, 20), 11)?.value.step, 10);
});

test("a slider that moves asks only for where it stops", async (t) => {
  const server = await startServer(t, answer);
  const { feed, next } = feedAt(server);
  for (const step of [0, 1, 2]) feed.get(keyOf("a", 0, 1, 2), step);
  await next(1);
  assert.deepEqual(
    server.requests.map(({ searchParams }) => searchParams.get("step")),
    ["2"],
  );
});

test("twenty keys are asked for in one request", async (t) => {
  const server = await startServer(t, answer);
  const { feed, next } = feedAt(server);
  for (let at = 0; at < 45; at += 1) feed.get(keyOf(`k${at}`, 0), 0);
  await next(45);
  const sizes = server.requests.map(({ searchParams }) => searchParams.getAll("keys").length);
  assert.deepEqual(
    sizes.sort((one, other) => one - other),
    [5, 20, 20],
  );
});

test("a key that the server lacks has failed, as all have where it cannot be asked", async (t) => {
  const server = await startServer(t, (url) =>
    url.searchParams.get("step") === "1" ? { status: 500 } : answer(url),
  );
  const { feed, next } = feedAt(server);
  feed.get(keyOf("gone", 0), 0);
  feed.get(keyOf("a", 0), 0);
  assert.deepEqual(await next(2), ["came a", "failed gone"]);
  feed.get(keyOf("a", 0, 1), 1);
  assert.deepEqual(await next(1), ["failed a"]);
});
