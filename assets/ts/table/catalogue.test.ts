import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../testing/server";
import { Catalogue } from "./catalogue";

const LR = { name: "config.lr", label: "lr", part: "config", type: "number" };

function tableAt(url: string): EventTarget & { url: string } {
  return Object.assign(new EventTarget(), { url });
}

test("columns are asked for once, and are known from then on", async (t) => {
  const { url, requests } = await startServer(t, () => ({ json: { columns: [LR] } }));
  const catalogue = new Catalogue(tableAt(`${url}/runs`));
  assert.equal(catalogue.find("config.lr"), undefined);
  await Promise.all([catalogue.columns(), catalogue.columns()]);
  assert.deepEqual(await catalogue.columns(), [LR]);
  assert.deepEqual(catalogue.find("config.lr"), LR);
  assert.deepEqual(requests.map(String), ["http://localhost/runs?part=columns"]);
});

test("after a failure columns are asked for again", async (t) => {
  let isDown = true;
  const { url } = await startServer(t, () =>
    isDown ? { status: 500, body: { error: { message: "Try later." } } } : { json: { columns: [] } },
  );
  const catalogue = new Catalogue(tableAt(url));
  await assert.rejects(catalogue.columns(), { message: "Try later.", status: 500 });
  isDown = false;
  assert.deepEqual(await catalogue.columns(), []);
});

test("values are asked for once a column; none where they cannot be read", async (t) => {
  const { url, requests } = await startServer(t, (asked) =>
    asked.searchParams.get("column") === "name" ? { json: { values: ['"a"'] } } : { status: 404 },
  );
  const catalogue = new Catalogue(tableAt(url));
  assert.deepEqual(await catalogue.values("name"), ['"a"']);
  assert.deepEqual(await catalogue.values("name"), ['"a"']);
  assert.deepEqual(await catalogue.values("config.a&b"), []);
  assert.deepEqual(
    requests.map(({ searchParams }) => searchParams.get("column")),
    ["name", "config.a&b"],
  );
});

test("once there are other runs, columns and values are asked for again", async (t) => {
  const { url, requests } = await startServer(t, () => ({ json: { columns: [LR], values: [] } }));
  const table = tableAt(url);
  const catalogue = new Catalogue(table);
  await catalogue.columns();
  await catalogue.values("name");
  table.dispatchEvent(new Event("counted"));
  assert.deepEqual(catalogue.find("config.lr"), LR);
  await catalogue.columns();
  await catalogue.values("name");
  assert.equal(requests.length, 4);
});
