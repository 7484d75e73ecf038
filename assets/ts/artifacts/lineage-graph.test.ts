import assert from "node:assert/strict";
import { test } from "node:test";
import { isOnWay, kinOf, type LineageEdge, neighbourOf, type Place, reached, tiesOf } from "./lineage-graph";

/** Edges as `from>to`. */
function edgesOf(text: string): LineageEdge[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((edge) => {
      const [from = "", to = ""] = edge.split(">");
      return { from, to, kind: "output" };
    });
}

function tiesIn(nodes: string, edges: string) {
  return tiesOf(
    nodes.split(" ").map((id) => ({ id })),
    edgesOf(edges),
  );
}

const FAMILY = tiesIn(
  "data train model eval report other",
  "data>train train>model model>eval eval>report data>other",
);

test("edges are read in both directions, and those to unknown nodes are left out", () => {
  const { after, before } = tiesIn("a b", "a>b a>unknown unknown>b");
  assert.deepEqual(after.get("a"), ["b"]);
  assert.deepEqual(before.get("b"), ["a"]);
  assert.deepEqual(after.get("b"), []);
  assert.equal(after.has("unknown"), false);
});

test("what led to a node and what came of it are its kin, siblings are not", () => {
  const { ancestors, descendants } = kinOf("model", FAMILY);
  assert.deepEqual([...ancestors], ["model", "train", "data"]);
  assert.deepEqual([...descendants], ["model", "eval", "report"]);
});

test("a cycle ends where it began", () => {
  const { after } = tiesIn("a b c", "a>b b>c c>a a>a");
  assert.deepEqual([...reached("a", after)], ["a", "b", "c"]);
  assert.deepEqual([...reached("unknown", after)], ["unknown"]);
});

test("edges are on the way through a node where both their ends are before it, or both behind", () => {
  const kin = kinOf("train", FAMILY);
  const onWay = edgesOf("data>train train>model model>eval data>other").filter((edge) => isOnWay(edge, kin));
  assert.deepEqual(
    onWay.map(({ from, to }) => `${from}>${to}`),
    ["data>train", "train>model", "model>eval"],
  );
});

test("an edge that leads past a node is not on the way through it", () => {
  const ties = tiesIn("a b c", "a>b b>c a>c");
  assert.ok(!isOnWay({ from: "a", to: "c", kind: "input" }, kinOf("b", ties)));
});

const PLACES = new Map<string, Place>([
  ["a", { x: 0, y: 100 }],
  ["b", { x: 300, y: 0 }],
  ["c", { x: 300, y: 90 }],
  ["d", { x: 300, y: 300 }],
]);
const FAN = tiesIn("a b c d", "a>b a>c a>d");

for (const [key, from, to] of [
  ["ArrowRight", "a", "c"],
  ["ArrowLeft", "d", "a"],
  ["ArrowRight", "c", undefined],
  ["ArrowLeft", "a", undefined],
  ["ArrowDown", "b", "c"],
  ["ArrowDown", "d", undefined],
  ["ArrowUp", "d", "c"],
  ["ArrowUp", "b", undefined],
  ["ArrowDown", "a", undefined],
  ["Enter", "a", undefined],
  ["ArrowRight", "unknown", undefined],
] as const) {
  test(`${key} leads from ${from} to ${to ?? "nothing"}`, () => {
    assert.equal(neighbourOf(key, from, PLACES, FAN), to);
  });
}
