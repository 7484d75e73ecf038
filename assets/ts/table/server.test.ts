import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../testing/server";
import { askJson, getText, Refusal } from "./server";

test("a refusal has the server's words and where in an expression they belong", async (t) => {
  const error = { message: "Unknown column.", detail: { position: 7 } };
  const { url } = await startServer(t, () => ({ status: 400, body: { error } }));
  await assert.rejects(askJson(url), (refusal: Refusal) => {
    assert.ok(refusal instanceof Refusal);
    assert.deepEqual(
      [refusal.message, refusal.status, refusal.position, refusal.version],
      ["Unknown column.", 400, 7, null],
    );
    return true;
  });
});

test("a conflict names the version that is saved", async (t) => {
  const error = { message: "Saved meanwhile.", detail: { version: 4 } };
  const { url } = await startServer(t, () => ({ status: 409, body: { error } }));
  await assert.rejects(askJson(url), { version: 4, status: 409 });
});

test("an answer without words is described by its status", async (t) => {
  const { url } = await startServer(t, () => ({ status: 502 }));
  await assert.rejects(askJson(url), { message: "Bad Gateway", status: 502, position: null });
  await assert.rejects(getText(url), { message: "Bad Gateway", status: 502 });
});

test("an answer without content is read as nothing", async (t) => {
  const { url } = await startServer(t, () => ({ status: 204 }));
  assert.equal(await askJson(url), undefined);
});

test("a fragment is asked for as htmx asks", async (t) => {
  let htmx: unknown;
  const { url } = await startServer(t, (_, request) => {
    htmx = request.headers["hx-request"];
    return { json: "<tr>" };
  });
  assert.equal(await getText(url), '"<tr>"');
  assert.equal(htmx, "true");
});
