import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startServer } from "../../testing/server";
import { makeRun, makeStage } from "../fixtures";
import { TablesOfRuns } from "../media";
import { type Chart, chartOf, forgetStored, keptOf, specText, storedCharts } from "./chart";
import { rowsOf } from "./rows";

const runs = [makeRun("a", { name: "one", color: "#a00" }), makeRun("b", { name: "two", color: "#0b0" })];
const one = { id: "a", name: "one", color: "#a00" };
const two = { id: "b", name: "two", color: "#0b0" };

/** A stage whose runs logged tables: by run a file, by file its table. */
async function stageOn(t: TestContext, files: Record<string, string>, tables: Record<string, unknown>) {
  const server = await startServer(t, (url) => {
    const [, part = "", uid = ""] = url.pathname.split("/");
    if (part === "file") return tables[uid] === undefined ? { status: 500 } : { json: tables[uid] };
    const path = files[uid];
    if (!path) return { json: { values: {}, files: {} } };
    const value = { row: 0, step: 0, kind: "table-file", value: { path } };
    return { json: { values: { rows: value }, files: { [path]: { url: `${server.url}/file/${path}` } } } };
  });
  return { server, stage: makeStage({ urls: { media: `${server.url}/runs` } }) };
}

test("table rows carry their run, and a run without a table has no rows", async (t) => {
  const tables = {
    f: {
      columns: ["x", 7],
      data: [
        [1, "p"],
        [2, "q"],
      ],
    },
  };
  const { stage } = await stageOn(t, { b: "f" }, tables);
  const found = await rowsOf(stage, { kind: "table", key: "rows" }, new TablesOfRuns(stage, "rows"), runs);
  assert.deepEqual(found, [
    { ...two, x: 1, "7": "p" },
    { ...two, x: 2, "7": "q" },
  ]);
});

test("a table file is read once, and a newer one when it was logged", async (t) => {
  const files: Record<string, string> = { a: "f" };
  const tables = { f: { columns: ["x"], data: [[1]] }, g: { columns: ["x"], data: [[2]] } };
  const { server, stage } = await stageOn(t, files, tables);
  const reader = new TablesOfRuns(stage, "rows");
  const reads = () => server.requests.filter(({ pathname }) => pathname.startsWith("/file/")).length;
  const first = async () => (await reader.of(["a"]))[0]?.data[0]?.[0];
  assert.equal(await first(), 1);
  assert.equal(await first(), 1);
  reader.lookAgain();
  assert.equal(await first(), 1);
  assert.equal(reads(), 1);
  files.a = "g";
  assert.equal(await first(), 1);
  reader.lookAgain();
  assert.equal(await first(), 2);
  assert.equal(reads(), 2);
});

test("tables are requested again after a failure", async (t) => {
  const tables: Record<string, unknown> = {};
  const { stage } = await stageOn(t, { a: "f" }, tables);
  const reader = new TablesOfRuns(stage, "rows");
  await assert.rejects(reader.of(["a"]), /500/);
  tables.f = { columns: [], data: [] };
  assert.deepEqual(await reader.of(["a"]), [{ columns: [], data: [] }]);
});

test("rows of runs contain config and summary with their prefixes", async () => {
  const values = {
    a: { config: { lr: 0.1 }, summary: { loss: 2 } },
    b: { config: {}, summary: { "a.b": 3 } },
  };
  const stage = makeStage({ values: async () => values });
  const found = await rowsOf(stage, { kind: "runs" }, new TablesOfRuns(stage, ""), [
    ...runs,
    makeRun("c", { color: "#00c" }),
  ]);
  assert.deepEqual(found, [
    { "config.lr": 0.1, "summary.loss": 2, ...one },
    { "summary.a.b": 3, ...two },
    { id: "c", name: "c", color: "#00c" },
  ]);
});

test("rows of history join keys by step, in the order of steps", async () => {
  const reply = {
    next: {},
    x: [
      [0, 2],
      [1, 2],
    ],
    series: { a: { loss: { x: 0, last: [5, "NaN"] }, acc: { x: 1, last: [0.1, 0.2] } } },
  };
  const stage = makeStage({ feed: { sampled: async () => reply } });
  const source = { kind: "history", keys: ["loss", "acc", "constructor"] } as const;
  const found = await rowsOf(stage, { ...source, keys: [...source.keys] }, new TablesOfRuns(stage, ""), runs);
  assert.deepEqual(found, [
    { _step: 0, ...one, loss: 5 },
    { _step: 1, ...one, acc: 0.1 },
    { _step: 2, ...one, loss: "NaN", acc: 0.2 },
  ]);
});

test("history without keys has no rows", async () => {
  const stage = makeStage({});
  assert.deepEqual(await rowsOf(stage, { kind: "history", keys: [] }, new TablesOfRuns(stage, ""), runs), []);
});

test("a chart logged by the SDK is read, and invalid parts are ignored", () => {
  assert.deepEqual(chartOf("k", undefined), {
    ...{ definition: "", spec: "", fields: {}, strings: {} },
    source: { kind: "table", key: "k" },
  });
  const logged = {
    panel_config: {
      panelDefId: "wandb/line/v0",
      fieldSettings: { x: "a", y: 3 },
      stringSettings: null,
      spec: 7,
    },
  };
  const { definition, spec, fields, strings } = chartOf("k", logged);
  assert.deepEqual([definition, spec, fields, strings], ["wandb/line/v0", "", { x: "a" }, {}]);
});

const chart: Chart = {
  ...{ definition: "wandb/bar/v0", spec: "{}", fields: { x: "a" }, strings: { title: "T" } },
  source: { kind: "history", keys: ["loss"] },
};

test("a saved chart is read back unchanged", () => {
  assert.deepEqual(chartOf("", keptOf(chart)), chart);
  assert.deepEqual(chartOf("", keptOf({ ...chart, spec: "" })), { ...chart, spec: "" });
});

async function chartsOn(t: TestContext) {
  forgetStored();
  const names = ["mine"];
  const server = await startServer(t, (url) =>
    url.pathname === "/"
      ? { json: { results: names.map((name) => ({ entity: url.searchParams.get("entity"), name })) } }
      : { json: { spec: url.pathname } },
  );
  const stage = makeStage({ urls: { charts: `${server.url}/`, entity: "team" } });
  const text = (definition: string, spec = "") => specText({ ...chart, definition, spec }, stage);
  return { server, text, names };
}

test("a chart's own specification comes first, then presets, then stored ones (RUN-26)", async (t) => {
  const { text, server } = await chartsOn(t);
  assert.equal(await text("wandb/bar/v0", "own"), "own");
  assert.match((await text("wandb/bar/v0")) ?? "", /"bar"/);
  assert.equal(server.requests.length, 0);
  assert.equal(await text("mine"), "/team/mine");
  assert.equal(await text("other/mine"), "/other/mine");
});

test("a missing definition has no specification", async (t) => {
  const { text, server } = await chartsOn(t);
  assert.equal(await text(""), null);
  assert.equal(await text("wandb/gone/v0"), null);
  assert.equal(server.requests.length, 0);
  assert.equal(await text("gone"), null);
});

test("stored charts are cached until one is saved", async (t) => {
  const { text, server, names } = await chartsOn(t);
  await text("new");
  names.push("new");
  assert.equal(await text("new"), null);
  assert.equal(server.requests.length, 1);
  forgetStored();
  assert.equal(await text("new"), "/team/new");
  assert.deepEqual(await storedCharts(`${server.url}/`, "x y"), [
    { entity: "x y", name: "mine" },
    { entity: "x y", name: "new" },
  ]);
});
