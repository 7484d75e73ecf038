import assert from "node:assert/strict";
import { test } from "node:test";
import { colouredPieces, placeAt, tokensOf } from "./tokens";

const kinds = (text: string) =>
  tokensOf(text)
    .filter(({ kind }) => kind !== "space")
    .map(({ kind, text: piece }) => [kind, piece]);

test("an expression is cut into words, operators, values and brackets (RUN-22)", () => {
  assert.deepEqual(kinds('config.lr>=0.001 and tags in ["a", -7d]'), [
    ["word", "config.lr"],
    ["operator", ">="],
    ["number", "0.001"],
    ["word", "and"],
    ["word", "tags"],
    ["word", "in"],
    ["bracket", "["],
    ["text", '"a"'],
    ["bracket", ","],
    ["number", "-7d"],
    ["bracket", "]"],
  ]);
});

for (const text of [
  "",
  " ",
  "a",
  '"',
  "'it",
  '"a \\" b',
  "config.`learning rate` = 1",
  "`",
  "a!=b!c",
  "a ≠ b ≤ c ≥ d <> e == f",
  "größe = 日本 \\ ; # $ % & { } | ~ ^ ? @ * + -",
  "2026-01-02T03:04:05+01:00",
  "--5 +",
  "\ttab\nnewline",
]) {
  test(`together the pieces are the whole text: ${JSON.stringify(text)}`, () => {
    const tokens = tokensOf(text);
    assert.equal(tokens.map((token) => token.text).join(""), text);
    for (const token of tokens) assert.equal(text.slice(token.from, token.to), token.text);
  });
}

for (const [text, pieces] of [
  ["config.`a, b (c)` = 1", ["config.`a, b (c)`", "=", "1"]],
  ["config.`a \\` b` = 1", ["config.`a \\` b`", "=", "1"]],
  ["'it\\'s' x", ["'it\\'s'", "x"]],
  ["a<>b", ["a", "<>", "b"]],
  ["a==1", ["a", "==", "1"]],
  ["layers/0.weight", ["layers/0.weight"]],
] as const) {
  test(`quotes and signs are read as the server reads them: ${text}`, () => {
    assert.deepEqual(
      kinds(text).map(([, piece]) => piece),
      pieces,
    );
  });
}

// `|` is the caret
for (const [typed, wants, rest] of [
  ["|", "column", {}],
  ["na|", "column", { typed: "na", from: 0 }],
  ["name |", "operator", { column: "name" }],
  ["name c|", "operator", { typed: "c", from: 5 }],
  ["name = |", "value", { column: "name", inList: false }],
  ["name=|", "value", { column: "name" }],
  ['name = "ba|', "value", { typed: '"ba', from: 7 }],
  ['name = "ba"|', "joiner", {}],
  ['name = "ba\\"|', "value", { typed: '"ba\\"' }],
  ["config.lr = 0.0|", "value", { column: "config.lr", typed: "0.0" }],
  ["config.lr = 0.01 |", "joiner", {}],
  ["a = 1 an|", "joiner", { typed: "an" }],
  ["a = 1 and |", "column", {}],
  ["a = 1 AND b |", "operator", { column: "b" }],
  ["a is |", "null", { column: "a" }],
  ["a is not |", "null", { column: "a" }],
  ["a is not null |", "joiner", {}],
  ["a not |", "operator", { column: "a" }],
  ["a not in |", "value", { inList: false }],
  ["a in [|", "value", { inList: true, column: "a" }],
  ['a in ["x", |', "value", { inList: true }],
  ['a in ["x"] |', "joiner", { inList: false }],
  ["not |", "column", {}],
  ["(|", "column", {}],
  ["not (a = 1 or (|", "column", {}],
  ["(a = 1) |", "joiner", {}],
  ["a <> |", "value", { column: "a" }],
  ["a ≥ |", "value", { column: "a" }],
  ["config.`learning rate` |", "operator", { column: "config.`learning rate`" }],
  ["config.`learning |", "column", { typed: "config.`learning ", from: 0 }],
  ["a = 1 an|d b = 2", "joiner", { typed: "an", from: 6, to: 8 }],
] as const) {
  test(`what may stand at the caret is known (RUN-22): ${typed}`, () => {
    const caret = typed.indexOf("|");
    const place = placeAt(typed.replace("|", ""), caret);
    assert.equal(place.wants, wants);
    for (const [name, value] of Object.entries(rest)) assert.equal(place[name as keyof typeof place], value);
    assert.equal(place.to, caret);
  });
}

test("words of the language are coloured in any case, the same words in quotes are not", () => {
  const coloured = colouredPieces('a IN ["and"] or b Is null', null);
  const keywords = coloured.filter(({ kind }) => kind === "keyword").map(({ text }) => text);
  assert.deepEqual(keywords, ["IN", "or", "Is", "null"]);
});

test("the piece that the server could not read is marked, and no other", () => {
  const wrong = (text: string, at: number | null) =>
    colouredPieces(text, at)
      .filter(({ isWrong }) => isWrong)
      .map((piece) => piece.text);
  assert.deepEqual(wrong("loss = 1", 0), ["loss"]);
  assert.deepEqual(wrong("loss = 1", 3), ["loss"]);
  assert.deepEqual(wrong("loss = 1", 4), [" "]);
  assert.deepEqual(wrong("loss = 1", 7), ["1"]);
  assert.deepEqual(wrong("loss = 1", null), []);
});

test("where something is missing at the end, a blank behind it is marked", () => {
  const pieces = colouredPieces("loss =", 6);
  assert.deepEqual(pieces.at(-1), { text: " ", kind: "space", isWrong: true });
  assert.equal(pieces.filter(({ isWrong }) => isWrong).length, 1);
  assert.equal(colouredPieces("", 0).length, 1);
});
