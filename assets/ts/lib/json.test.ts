import assert from "node:assert/strict";
import { test } from "node:test";
import { readJson } from "./json";

test("JSON is read as it is", () => {
  assert.deepEqual(readJson('{"a": [1, "NaN", null]}'), { a: [1, "NaN", null] });
});

test("bare NaN and infinities become null", () => {
  assert.deepEqual(readJson('{"a": NaN, "b": [Infinity, -Infinity, 1]}'), { a: null, b: [null, null, 1] });
});

test("words for numbers inside strings stay, quotes and escapes included", () => {
  assert.deepEqual(readJson('{"NaN \\" Infinity": "-Infinity\\\\", "x": NaN}'), {
    'NaN " Infinity': "-Infinity\\",
    x: null,
  });
});

test("a caller chooses what they become", () => {
  assert.deepEqual(
    readJson("[NaN, -Infinity]", (word) => `"${word}"`),
    ["NaN", "-Infinity"],
  );
});

for (const text of ["", "{", "[NaN", "NaNs", "undefined"]) {
  test(`what is no JSON is refused: ${JSON.stringify(text)}`, () => {
    assert.throws(() => readJson(text), SyntaxError);
  });
}
