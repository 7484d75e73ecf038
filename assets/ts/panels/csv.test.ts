import assert from "node:assert/strict";
import { test } from "node:test";
import { field, rows } from "./csv";

for (const [value, expected] of [
  ["plain", "plain"],
  [undefined, ""],
  [null, ""],
  [0, "0"],
  [-1.5, "-1.5"],
  [Number.NaN, "NaN"],
  [-Infinity, "-Infinity"],
  ["-Infinity", "-Infinity"],
  [true, "true"],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", "'=1+1"],
  ["+SUM(A1)", "'+SUM(A1)"],
  ["-cmd", "'-cmd"],
  ["@x", "'@x"],
  ["\t=x", "'\t=x"],
  ["-1.5", "-1.5"],
  ["+1e3", "+1e3"],
  ["=a,b", '"\'=a,b"'],
  [[1, "a"], '"[1,""a""]"'],
] as const) {
  test(`${JSON.stringify(value) ?? "undefined"} is written to CSV as ${JSON.stringify(expected)}`, () => {
    assert.equal(field(value), expected);
  });
}

test("CSV rows end with CRLF", () => {
  assert.equal(
    rows([
      ["a", "b"],
      [1, null],
    ]),
    "a,b\r\n1,\r\n",
  );
});
