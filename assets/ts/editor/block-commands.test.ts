import assert from "node:assert/strict";
import { test } from "node:test";
import { Schema } from "@milkdown/kit/prose/model";
import { type Command, EditorState, NodeSelection, TextSelection } from "@milkdown/kit/prose/state";
import { deleted, duplicated, moved, withBlock } from "./block-commands";

const SCHEMA = new Schema({
  nodes: {
    doc: { content: "block+" },
    paragraph: { group: "block", content: "text*" },
    list: { group: "block", content: "paragraph+" },
    text: {},
  },
});

/** A document of a paragraph for each word, or a list for words joined by `+`; the cursor is in block `at`. */
function stateOf(words: string, at: number): EditorState {
  const paragraph = (word: string) => SCHEMA.node("paragraph", null, SCHEMA.text(word));
  const blocks = words
    .split(" ")
    .map((word) =>
      word.includes("+") ? SCHEMA.node("list", null, word.split("+").map(paragraph)) : paragraph(word),
    );
  const doc = SCHEMA.node("doc", null, blocks);
  const before = blocks.slice(0, at).reduce((sum, { nodeSize }) => sum + nodeSize, 0);
  const state = EditorState.create({ doc });
  return state.apply(state.tr.setSelection(TextSelection.near(doc.resolve(before + 1))));
}

function run(state: EditorState, command: Command): EditorState {
  let after = state;
  assert.ok(
    command(state, (transaction) => {
      after = state.apply(transaction);
    }),
  );
  return after;
}

function blocksOf({ doc }: EditorState): string {
  const words: string[] = [];
  doc.forEach((node) => {
    words.push(node.children.map((part) => part.textContent).join("+"));
  });
  return words.join(" ");
}

for (const [words, at, by, after] of [
  ["a b c", 0, 1, "b a c"],
  ["a b c", 2, -1, "a c b"],
  ["a b c", 0, -1, "a b c"],
  ["a b c", 2, 1, "a b c"],
  ["a x+y b", 1, 1, "a b x+y"],
  ["a x+y b", 0, 1, "x+y a b"],
  ["a", 0, 1, "a"],
] as const) {
  test(`block ${at} of ${words} moved by ${by} makes ${after}`, () => {
    assert.equal(blocksOf(run(withBlock(stateOf(words, at)), moved(by))), after);
  });
}

test("a moved block stays selected, so that it can be moved on", () => {
  let state = withBlock(stateOf("a b c d", 0));
  for (let step = 0; step < 3; step += 1) state = run(state, moved(1));
  assert.equal(blocksOf(state), "b c d a");
  assert.equal((state.selection as NodeSelection).node.textContent, "a");
});

test("the outermost block around the cursor is selected, also of a list", () => {
  const { selection } = withBlock(stateOf("a x+y", 1));
  assert.ok(selection instanceof NodeSelection);
  assert.equal(selection.node.type.name, "list");
});

test("a block that is selected already stays so", () => {
  const state = withBlock(stateOf("a b", 1));
  assert.equal(withBlock(state), state);
});

test("a block is duplicated right behind itself", () => {
  assert.equal(blocksOf(run(withBlock(stateOf("a b c", 1)), duplicated)), "a b b c");
});

test("a block is deleted, and the others stay", () => {
  assert.equal(blocksOf(run(withBlock(stateOf("a x+y b", 1)), deleted)), "a b");
});

test("without a selected block nothing is moved or duplicated", () => {
  const state = stateOf("a b", 0);
  assert.equal(moved(1)(state), false);
  assert.equal(duplicated(state), false);
});
