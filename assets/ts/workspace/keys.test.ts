import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyInfo } from "../charts/wire";
import { startServer } from "../testing/server";
import { LoggedKeys } from "./keys";

function key(name: string, rest: Partial<KeyInfo> = {}): KeyInfo {
  return { key: name, types: ["number"], runs: 1, numbers: true, ...rest };
}

const REPLIES: Record<string, { next: Record<string, number>; keys: KeyInfo[] }> = {
  history: {
    next: { a: 10 },
    keys: [key("loss10"), key("loss2"), key("sample", { types: ["image-file"], numbers: false })],
  },
  system: { next: { a: 3 }, keys: [key("gpu.0")] },
};

test("each kind is asked for all runs, and tells how far they are", async (t) => {
  const { url, requests } = await startServer(t, ({ searchParams }) => ({
    json: REPLIES[searchParams.get("kind") ?? ""],
  }));
  const keys = new LoggedKeys(`${url}/keys`, ["history", "system"], false);
  const heads: unknown[] = [];
  await keys.read(["a", "b"], (head) => heads.push(head));
  assert.deepEqual(requests.map(({ search }) => search).sort(), [
    "?kind=history&run=a&run=b",
    "?kind=system&run=a&run=b",
  ]);
  assert.deepEqual(heads.length, 2);
  assert.ok(heads.some((head) => JSON.stringify(head) === '{"kind":"history","next":{"a":10}}'));
});

test("keys with numbers come in the order in which people sort them", async (t) => {
  const { url } = await startServer(t, () => ({ json: REPLIES.history }));
  const keys = new LoggedKeys(url, ["history"], false);
  await keys.read(["a"]);
  assert.deepEqual(keys.numeric("history"), ["loss2", "loss10"]);
  assert.deepEqual(keys.numeric("system"), []);
  assert.deepEqual(keys.shownBy("media"), ["sample"]);
  assert.equal(keys.metric("loss2")?.key, "loss2");
  assert.equal(keys.metric("unknown"), undefined);
});

test("who asks the same meanwhile waits for the same answer", async (t) => {
  const { url, requests } = await startServer(t, () => ({ json: REPLIES.history }));
  const keys = new LoggedKeys(url, ["history"], false);
  await Promise.all([keys.read(["a"]), keys.read(["a"])]);
  assert.equal(requests.length, 1);
  await keys.read(["a"]);
  assert.equal(requests.length, 2);
});

test("without runs nothing is asked, and nothing has come", async (t) => {
  const { url, requests } = await startServer(t, () => ({ json: REPLIES.history }));
  const keys = new LoggedKeys(url, ["history"], false);
  await keys.read([]);
  assert.equal(requests.length, 0);
  assert.equal(keys.haveFirst, false);
});

test("the first kind alone is enough to begin with", async (t) => {
  const { url } = await startServer(t, ({ searchParams }) =>
    searchParams.get("kind") === "history" ? { json: REPLIES.history } : { status: 500 },
  );
  const keys = new LoggedKeys(url, ["history", "system"], false);
  await assert.rejects(keys.read(["a"]));
  assert.equal(keys.haveFirst, true);
});

test("keys of runs read before stay", async (t) => {
  let name = "loss";
  const { url } = await startServer(t, () => ({ json: { next: {}, keys: [key(name)] } }));
  const keys = new LoggedKeys(url, ["history"], false);
  await keys.read(["a"]);
  name = "accuracy";
  await keys.read(["b"]);
  assert.deepEqual(keys.numeric("history"), ["accuracy", "loss"]);
  assert.deepEqual(
    keys.panels().map(({ id }) => id),
    ["loss", "accuracy"],
  );
});
