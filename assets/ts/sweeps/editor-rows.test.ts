import assert from "node:assert/strict";
import { test } from "node:test";
import { capital, isWithin, problemsByRow } from "./editor-rows";

for (const [path, outer, isIn] of [
  ["parameters.lr", "parameters.lr", true],
  ["parameters.lr.min", "parameters.lr", true],
  ["parameters.lr[0]", "parameters.lr", true],
  ["parameters.lr_decay", "parameters.lr", false],
  ["parameters", "parameters.lr", false],
  ["", "parameters", false],
] as const) {
  test(`${JSON.stringify(path)} ${isIn ? "is" : "is not"} within ${outer}`, () => {
    assert.equal(isWithin(path, outer), isIn);
  });
}

test("problems are shown at their parameter, and the others elsewhere", () => {
  const problem = (path: string) => ({ path, message: path, line: null });
  const all = ["method", "parameters.lr.min", "parameters.lr", "parameters.lr_decay.max", "parameters.x"];
  const { of, left } = problemsByRow([{ name: "lr" }, { name: "lr_decay" }], all.map(problem));
  const paths = (name: string) => of.get(name)?.map(({ path }) => path);
  assert.deepEqual(paths("lr"), ["parameters.lr.min", "parameters.lr"]);
  assert.deepEqual(paths("lr_decay"), ["parameters.lr_decay.max"]);
  assert.deepEqual(
    left.map(({ path }) => path),
    ["method", "parameters.x"],
  );
});

test("a message alone begins a sentence", () => {
  assert.equal(capital("must be a number"), "Must be a number");
  assert.equal(capital("éclair"), "Éclair");
  assert.equal(capital(""), "");
});
