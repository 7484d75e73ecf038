import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../testing/server";
import { getJson } from "./http";

test("JSON is asked for and read", async (t) => {
  let accept: string | undefined;
  const { url } = await startServer(t, (_, request) => {
    accept = request.headers.accept;
    return { json: { total: 3 } };
  });
  assert.deepEqual(await getJson(`${url}/runs`), { total: 3 });
  assert.equal(accept, "application/json");
});

test("any status but 2xx rejects with the address and the status", async (t) => {
  const { url } = await startServer(t, () => ({ status: 503, body: {} }));
  await assert.rejects(getJson(`${url}/runs`), { message: `${url}/runs: status 503` });
});

test("a question that was given up rejects", async (t) => {
  const { url } = await startServer(t, () => ({ json: {} }));
  await assert.rejects(getJson(url, AbortSignal.abort()), { name: "AbortError" });
});
