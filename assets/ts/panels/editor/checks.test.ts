import assert from "node:assert/strict";
import { test } from "node:test";
import { makePatterns } from "../../testing/patterns";
import { formula } from "../fixtures";
import { expressionProblem, patternRemark, type Remark } from "./checks";

/** What is said once the pattern has been matched. */
async function settled(typed: string, keys: readonly string[]): Promise<Remark> {
  const { patterns, changed } = makePatterns();
  if (patternRemark(typed, keys, patterns).text === "patternWaits") await changed();
  return patternRemark(typed, keys, patterns);
}

const KEYS = ["loss", "val/loss", "acc"];

for (const [typed, expected] of [
  ["", { text: "patternHelp" }],
  ["  ", { text: "patternHelp" }],
  ["loss$", { text: "patternMatches loss, val/loss" }],
  [" ^acc ", { text: "patternMatches acc" }],
  ["nothing", { text: "patternMatches" }],
  ["(", { problem: "patternInvalid" }],
  ["^(a+)+$", { problem: "patternSlow" }],
] as const) {
  test(`the pattern "${typed}" gives ${JSON.stringify(expected)}`, async () => {
    assert.deepEqual(await settled(typed, KEYS), expected);
  });
}

test("only as many matches are listed as are drawn", async () => {
  const many = Array.from({ length: 21 }, (_, at) => `k${at}`);
  const { text = "" } = await settled("k", many);
  assert.match(text, /^patternMatchesFirst k0, .*, k19$/);
  assert.match((await settled("k", many.slice(1))).text ?? "", /^patternMatches k1/);
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
