import assert from "node:assert/strict";
import { test } from "node:test";
import { endOfLine, nextIndent } from "./editor-code";

for (const [line, indent] of [
  ["", ""],
  ["method: bayes", ""],
  ["parameters:", "  "],
  ["  lr:", "    "],
  ["  lr: ", "    "],
  ["    min: 0.1", "    "],
  ["  - python", "  - "],
  ["- a", "- "],
  ["  -", "  "],
  ["  - ", "  "],
  ["  - name:", "      "],
  ["    ", "    "],
  ["\tx: 1", "\t"],
  ["-x", ""],
] as const) {
  test(`behind ${JSON.stringify(line)} a line begins with ${JSON.stringify(indent)}`, () => {
    assert.equal(nextIndent(line), indent);
  });
}

test("the caret goes to the end of a line, lines beyond the text are its end", () => {
  const text = "ab\n\ncdef\n";
  assert.deepEqual(
    [1, 2, 3, 4, 99].map((line) => endOfLine(text, line)),
    [2, 3, 8, 9, 9],
  );
  assert.equal(endOfLine("", 1), 0);
});
