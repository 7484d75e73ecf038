import assert from "node:assert/strict";
import { test } from "node:test";
import { wordsOf } from "../lib/matching";
import { copiedValue, countLeaves, groupPaths, type Node, rowsOf, shownText } from "./tree-rows";

const TREE: Node[] = [
  ["lr", "float", "0.1"],
  [
    "model",
    "dict",
    "",
    [
      ["name", "string", "resnet"],
      [
        "layers",
        "list",
        "",
        [
          ["0", "int", "64"],
          ["1", "string", 'say "x"'],
        ],
      ],
    ],
  ],
  ["empty", "dict", "", []],
];

function shown(typed = "", closed: string[] = []): string[] {
  return rowsOf(TREE, wordsOf(typed), new Set(closed)).rows.map(
    ({ path, depth, isOpen, node }) => `${"  ".repeat(depth)}${path}${node[3] ? (isOpen ? " -" : " +") : ""}`,
  );
}

test("groups are followed by what is in them", () => {
  assert.deepEqual(shown(), [
    "lr",
    "model -",
    "  model.name",
    "  model.layers -",
    "    model.layers.0",
    "    model.layers.1",
    "empty -",
  ]);
});

test("what is in a closed group is not shown, but counted", () => {
  assert.deepEqual(shown("", ["model.layers"]), [
    "lr",
    "model -",
    "  model.name",
    "  model.layers +",
    "empty -",
  ]);
  assert.equal(rowsOf(TREE, [], new Set(["model"])).shown, 4);
});

test("a search shows values by path and text, with the groups around them, also closed ones", () => {
  const layers = ["model -", "  model.layers -", "    model.layers.0"];
  assert.deepEqual(shown("LAYERS 64", ["model", "model.layers"]), layers);
  assert.deepEqual(shown("resnet"), ["model -", "  model.name"]);
  assert.equal(rowsOf(TREE, wordsOf("layers"), new Set()).shown, 2);
});

test("a search that finds nothing leaves nothing, not even groups whose name it is", () => {
  assert.deepEqual(shown("missing"), []);
  assert.deepEqual(shown("empty"), []);
});

test("values are counted without the groups around them", () => {
  assert.equal(countLeaves(TREE), 4);
  assert.equal(countLeaves([]), 0);
  assert.deepEqual(groupPaths(TREE), ["model", "model.layers", "empty"]);
});

test("a value is copied as JSON, a text as it is", () => {
  assert.equal(copiedValue(TREE, "lr"), "0.1");
  assert.equal(copiedValue(TREE, "model.layers.1"), 'say "x"');
  assert.equal(copiedValue(TREE, "unknown"), "");
  const model = copiedValue(TREE, "model");
  assert.deepEqual(JSON.parse(model), { name: "resnet", layers: [64, 'say "x"'] });
  assert.equal(copiedValue(TREE, "empty"), "{}");
});

test("a copied group may have any keys", () => {
  const tree: Node[] = [["a", "dict", "", [['b"\n', "bool", "true"]]]];
  assert.deepEqual(JSON.parse(copiedValue(tree, "a")), { 'b"\n': true });
});

for (const [kind, text, isMetric, short] of [
  ["float", "0.1234567890123456", true, "0.123457"],
  ["float", "0.1234567890123456", false, "0.123456789012"],
  ["float", "0.1", false, "0.1"],
  ["float", "1e-05", false, "1e-05"],
  ["float", "NaN", true, "NaN"],
  ["int", "1234567", true, "1234567"],
  ["string", "0.1234567890123456", true, "0.1234567890123456"],
] as const) {
  test(`a ${isMetric ? "metric" : "setting"} ${text} of type ${kind} is shown as ${short}`, () => {
    assert.deepEqual(shownText(["x", kind, text], false, isMetric), { text: short, isLong: false });
  });
}

test("a long value is folded to one line until it is opened", () => {
  const text = `${"x".repeat(150)}\n${"y".repeat(50)}`;
  const folded = shownText(["x", "string", text], false, false);
  assert.ok(folded.isLong && !folded.text.includes("\n") && folded.text.length < 170);
  assert.ok(folded.text.includes("⏎"));
  assert.deepEqual(shownText(["x", "string", text], true, false), { text, isLong: true });
});

test("a value of 160 characters is not long yet, one of two lines is", () => {
  assert.equal(shownText(["x", "string", "x".repeat(160)], false, false).isLong, false);
  assert.equal(shownText(["x", "string", "x".repeat(161)], false, false).isLong, true);
  assert.equal(shownText(["x", "string", "a\nb"], false, false).text, "a⏎ b");
});
