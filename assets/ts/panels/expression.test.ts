import assert from "node:assert/strict";
import { test } from "node:test";
import { ExpressionError, parseExpression, readExpression } from "./expression";
import { formula } from "./fixtures";

const KEYS: Record<string, number> = { loss: 2, "val/acc": 0.5, "a b": 7, zero: 0, nan: Number.NaN };
const resultOf = (text: string) => parseExpression(formula(text)).at((key) => KEYS[key] ?? Number.NaN);

for (const [text, expected] of [
  ["1", 1],
  ["1.5e3", 1500],
  ["1E-2", 0.01],
  [".5", 0.5],
  ["2.", 2],
  ["1 + 2 * 3", 7],
  ["(1 + 2) * 3", 9],
  ["8 - 3 - 2", 3],
  ["8 / 4 / 2", 1],
  ["2 * 3 ^ 2", 18],
  ["2 ^ 3 ^ 2", 512],
  ["-2 ^ 2", -4],
  ["(-2) ^ 2", 4],
  ["2 ^ -1", 0.5],
  ["2 ^ - 3 ^ 2", 2 ** -9],
  ["--2", 2],
  ["+-+2", -2],
  ["3 - -2", 5],
  ["2 * -3", -6],
  ["1 / 0", Infinity],
  ["-1 / 0", -Infinity],
  ["0 / 0", Number.NaN],
  ["{loss}", 2],
  ["{ val/acc } * 2", 1],
  ["{a b} - {loss}", 5],
  ["{loss} / {zero}", Infinity],
  ["{missing} + 1", Number.NaN],
  ["max({nan}, 1)", Number.NaN],
  ["abs(-3)", 3],
  ["log(exp(2))", 2],
  ["log10(1000)", 3],
  ["log2(8)", 3],
  ["log(-1)", Number.NaN],
  ["log(0)", -Infinity],
  ["sqrt(16)", 4],
  ["sqrt(-1)", Number.NaN],
  ["pow(2, 10)", 1024],
  ["min(3)", 3],
  ["min(3, 1, 2)", 1],
  ["max(3, 1 + 4, 2)", 5],
  ["cos(0) + sin(0)", 1],
  ["max(min(1, 2), pow(2, 2))", 4],
  ["exp(1000)", Infinity],
] as const) {
  test(`${text} is ${expected}`, () => {
    const found = resultOf(text);
    assert.ok(Object.is(found, expected) || Math.abs(found - expected) < 1e-9, `${found}`);
  });
}

for (const [text, word, place] of [
  ["", "expressionEnds", ""],
  ["1 +", "expressionEnds", ""],
  ["-", "expressionEnds", ""],
  ["2 ^", "expressionEnds", ""],
  ["(1 + 2", "expressionMissing", ")"],
  ["abs 2", "expressionUnexpected", "2"],
  ["abs", "expressionMissing", "("],
  ["abs(2", "expressionMissing", ")"],
  ["1 2", "expressionUnexpected", "2"],
  ["1 + * 2", "expressionUnexpected", "*"],
  ["1)", "expressionUnexpected", ")"],
  ["()", "expressionUnexpected", ")"],
  ["min(1,)", "expressionUnexpected", ")"],
  ["1 % 2", "expressionUnexpected", "% 2"],
  ["loss & more than that", "expressionUnexpected", "& more than "],
  ["loss", "expressionUnknown", "loss"],
  ["Math.log(1)", "expressionUnexpected", ".log(1)"],
  ["constructor(1)", "expressionUnknown", "constructor"],
  ["toString(1)", "expressionUnknown", "toString"],
  ["pow(2)", "expressionCount", "pow(x, y)"],
  ["pow(1, 2, 3)", "expressionCount", "pow(x, y)"],
  ["log(1, 2)", "expressionCount", "log(x)"],
  ["{}", "expressionUnexpected", "{}"],
  ["{  }", "expressionUnexpected", "{}"],
  ["1.2.3", "expressionUnexpected", ".3"],
  ["1e", "expressionUnexpected", "e"],
] as const) {
  test(`"${text}" is refused: ${word} ${place}`, () => {
    assert.throws(
      () => parseExpression(formula(text)),
      (error) => error instanceof ExpressionError && error.word === word && error.text === place,
    );
    assert.equal(readExpression(formula(text)), undefined);
  });
}

test("an unclosed key is refused", () => {
  assert.throws(() => parseExpression(formula("1 + {loss")), { text: formula("{loss") });
});

test("an expression lists its keys once, in order", () => {
  const { keys } = parseExpression(formula("{loss} + max({ val/acc }, {loss}) * 2"));
  assert.deepEqual(keys, ["loss", "val/acc"]);
});

test("a key name may contain anything except a closing brace", () => {
  for (const key of ["a/b.c-d", "学習率", "x + y", "$x", "{", "constructor"])
    assert.deepEqual(parseExpression(`\${${key}}`).keys, [key]);
});

test("an undefined expression stays undefined", () => {
  assert.equal(readExpression(undefined), undefined);
});

test("deep nesting is refused before it overflows the stack", () => {
  const nested = (depth: number) => `${"(".repeat(depth)}1${")".repeat(depth)}`;
  assert.equal(resultOf(nested(60)), 1);
  assert.throws(() => parseExpression(nested(64)), ExpressionError);
  assert.throws(() => parseExpression("(".repeat(100_000)), ExpressionError);
});

test("whitespace is ignored", () => {
  assert.equal(resultOf(" 1\t+\n2 "), 3);
});

test("many terms in a row do not count as nesting", () => {
  assert.equal(resultOf(Array(200).fill("(1)").join("+")), 200);
});

test("very long text is cut off", () => {
  assert.equal(resultOf(`1${" ".repeat(2000)}+ 1`), 1);
});
