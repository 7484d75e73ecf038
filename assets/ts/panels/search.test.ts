import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSpec } from "./fixtures";
import { matcherOf } from "./search";

const spec = makeSpec({
  title: "Validation loss",
  keys: ["val/loss", "val/top1"],
  section: "val",
  text: "of the model",
});

for (const [search, expected] of [
  ["", true],
  ["   ", true],
  ["LOSS", true],
  ["loss valid", true],
  ["loss train", false],
  ["^val/", true],
  ["top\\d$", true],
  ["^loss$", false],
  ["val/valid", true],
  ["(", false],
  ["[a", false],
  ["model", false],
  ["loss|nothing", true],
] as const) {
  test(`"${search}" ${expected ? "finds" : "does not find"} a panel`, () => {
    assert.equal(matcherOf(search)(spec), expected);
  });
}

test("media and histograms are also found by kind", () => {
  const about = { title: "x", keys: ["x"], text: "Image · x" };
  for (const kind of ["media", "histogram"] as const)
    assert.ok(matcherOf("image")(makeSpec({ ...about, kind })));
  assert.ok(!matcherOf("image")(makeSpec({ ...about, kind: "table" })));
});

test("an incomplete regular expression still matches as text", () => {
  assert.ok(matcherOf("f(x")(makeSpec({ title: "f(x)" })));
});
