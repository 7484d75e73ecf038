import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyAbout } from "../charts/wire";
import { Hardware, heatRows, lineOf, rated } from "./devices";
import { makeAbout, makeMember, makeRun } from "./fixtures";

const hardware = (...abouts: Partial<KeyAbout>[]) =>
  new Hardware(new Map(abouts.map((about, at) => [`k${at}`, makeAbout({ line: `line${at}`, ...about })])));
const gpus = (nodes: string[], count: number) =>
  hardware(
    ...nodes.flatMap((node) =>
      Array.from({ length: count }, (_, at) => ({ node, device: `GPU ${at}`, line: `gpu.${at}` })),
    ),
  );
const members = (runs: number, keys: number) =>
  Array.from({ length: runs * keys }, (_, at) =>
    makeMember([1], { uid: `r${Math.floor(at / keys)}`, key: `k${at % keys}` }),
  );

test("nodes are unique and naturally sorted", () => {
  assert.deepEqual(hardware({ node: "node-10" }, { node: "node-9" }, { node: "node-10" }).nodes, [
    "node-9",
    "node-10",
  ]);
});

test("a panel counts as a counter only if all keys are counters", () => {
  assert.ok(hardware({ rate_unit: "bytes/s" }, { rate_unit: "W" }).isCounter);
  assert.ok(!hardware({ rate_unit: "bytes/s" }, { rate_unit: "" }).isCounter);
  assert.ok(!hardware().isCounter);
});

test("a panel has a unit only if all keys share it", () => {
  assert.equal(hardware({ unit: "W" }, { unit: "W" }).unit(false), "W");
  assert.equal(hardware({ unit: "W" }, { unit: "%" }).unit(false), "");
  assert.equal(hardware({ unit: "J", rate_unit: "W" }).unit(true), "W");
  assert.equal(hardware().unit(false), "");
});

test("several spellings of one tag count as one line", () => {
  assert.ok(!hardware({ line: "gpu.0" }, { line: "gpu.0" }).hasMany);
  assert.ok(hardware({ line: "gpu.0" }, { line: "gpu.0", node: "n" }).hasMany);
  assert.equal(lineOf(makeAbout({ line: "a", node: "n" })), "n\na");
});

for (const [name, nodes, runs, keys, expected] of [
  ["a few lines", ["n"], 3, 8, "each"],
  ["many lines of one run", ["n"], 1, 9, "heat"],
  ["many lines of several runs on several nodes", ["n", "m"], 2, 9, "node"],
  ["many lines of several runs on one node", ["n"], 2, 9, "all"],
  ["no line", ["n"], 0, 0, "each"],
] as const) {
  test(`${name} are drawn as "${expected}" automatically`, () => {
    assert.equal(gpus([...nodes], 9).chosen("auto", members(runs, keys)), expected);
  });
}

test("an explicit choice is used however many lines there are", () => {
  assert.equal(gpus(["n"], 9).chosen("each", members(1, 500)), "each");
});

for (const [about, others, expected] of [
  [{ node: "n", device: "GPU 3" }, [], "n · GPU 3"],
  [{ device: "GPU 3" }, [], "GPU 3"],
  [{}, [], "wholeMachine"],
  [{ node: "n" }, [], "n"],
  [{ title: "CPU", device: "Core 1" }, [{ id: "other", title: "GPU" }], "CPU · Core 1"],
  [{ title: "CPU" }, [{ id: "other", title: "GPU" }], "CPU"],
] as const) {
  test(`${JSON.stringify(about)} is labelled "${expected}"`, () => {
    assert.equal(hardware(about, ...others).label("k0"), expected);
  });
}

test("an unknown key is its own label", () => {
  assert.equal(hardware({}).label("gpu.0.odd"), "gpu.0.odd");
});

test("devices differ by color and nodes by dash, or by color with a single device", () => {
  const many = gpus(["n", "m"], 2);
  assert.deepEqual(
    ["k0", "k1", "k2", "k3"].map((key) => many.style(key)),
    [
      { color: 0, dash: 1 },
      { color: 1, dash: 1 },
      { color: 0, dash: 0 },
      { color: 1, dash: 0 },
    ],
  );
  assert.deepEqual(gpus(["n", "m"], 1).style("k1"), { color: 0, dash: 0 });
  assert.deepEqual(gpus(["n", "m"], 1).style("k0"), { color: 1, dash: 0 });
  assert.deepEqual(many.style("unknown"), { color: 0, dash: 0 });
});

test("devices are combined to their mean and range, per node or in total", () => {
  const two = gpus(["n", "m"], 2);
  const lines = [1, 3, 10, 30].map((y, at) => makeMember([y], { key: `k${at}` }));
  const byNode = two.together(lines, "node", false);
  assert.deepEqual(
    byNode.map(({ y, low, high, label, key }) => [y[0], low?.[0], high?.[0], label, key]),
    [
      [2, 1, 3, "r · n · meanOfDevices", "gpu.usage"],
      [20, 10, 30, "r · m · meanOfDevices", "gpu.usage"],
    ],
  );
  const [all, ...others] = two.together(lines, "all", true);
  assert.deepEqual([all?.y[0], all?.label, others], [11, "meanOfDevices", []]);
});

test("runs and different metrics are never combined", () => {
  const mixed = hardware({ id: "a" }, { id: "b" });
  const lines = [
    makeMember([1], { key: "k0" }),
    makeMember([2], { key: "k1" }),
    makeMember([3], { key: "k0", uid: "s" }),
  ];
  assert.equal(mixed.together(lines, "all", false).length, 3);
});

test("heat map rows are naturally sorted and have the color of their run", () => {
  const lines = ["n · GPU 10", "n · GPU 9"].map((label) => makeMember([1], { label, color: 5, dash: 2 }));
  const rows = heatRows(lines, [makeRun("r", { color: "#123456" })]);
  assert.deepEqual(
    rows.map(({ label, color, dash, owner }) => [label, color, dash, owner]),
    [
      ["n · GPU 9", "#123456", 0, "r"],
      ["n · GPU 10", "#123456", 0, "r"],
    ],
  );
});

const rates = (x: number[], y: number[]) => {
  const found = rated(Float64Array.from(x), Float64Array.from(y));
  return [...found.x].map((at, i) => [at, found.y[i]]);
};

test("a counter becomes a rate per second", () => {
  assert.deepEqual(rates([0, 10, 15], [100, 200, 300]), [
    [10, 10],
    [15, 20],
  ]);
});

test("a counter reset or a standing clock gives no rate", () => {
  assert.deepEqual(rates([0, 1, 2, 3], [5, 9, 1, 2]), [
    [1, 4],
    [3, 1],
  ]);
  assert.deepEqual(rates([0, 0, 1], [1, 5, 6]), [[1, 1]]);
  assert.deepEqual(rates([0, 1, 2], [1, Number.NaN, 3]), []);
  assert.deepEqual(rates([0, 1], [7, 7]), [[1, 0]]);
});

test("a counter with one point, or none, has no rate", () => {
  assert.deepEqual(rates([5], [1]), []);
  assert.deepEqual(rates([], []), []);
});
