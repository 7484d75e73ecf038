import assert from "node:assert/strict";
import { test } from "node:test";
import { formula } from "../fixtures";
import { expressionProblem, patternRemark } from "./checks";

const KEYS = ["loss", "val/loss", "acc"];

for (const [typed, expected] of [
  ["", { text: "patternHelp" }],
  ["  ", { text: "patternHelp" }],
  ["loss$", { text: "patternMatches loss, val/loss" }],
  [" ^acc ", { text: "patternMatches acc" }],
  ["nothing", { text: "patternMatches" }],
  ["(", { problem: "patternInvalid" }],
] as const) {
  test(`the pattern "${typed}" gives ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(patternRemark(typed, KEYS), expected);
  });
}

test("only as many matches are listed as are drawn", () => {
  const many = Array.from({ length: 21 }, (_, at) => `k${at}`);
  const { text = "" } = patternRemark("k", many);
  assert.match(text, /^patternMatchesFirst k0, .*, k19$/);
  assert.match(patternRemark("k", many.slice(1)).text ?? "", /^patternMatches k1/);
});

for (const [typed, expected] of [
  ["", ""],
  ["   ", ""],
  ["{loss} / 2", ""],
  ["{_step} * {loss} + {_runtime}", ""],
  ["{gone} + {loss}", "expressionNoKey"],
  ["{loss} +", "expressionEnds"],
  ["loss", "expressionUnknown"],
  ["min()", "expressionUnexpected"],
] as const) {
  test(`the formula "${typed}" ${expected ? `has the problem ${expected}` : "is right"}`, () => {
    assert.equal(expressionProblem(formula(typed), KEYS), expected);
  });
}
