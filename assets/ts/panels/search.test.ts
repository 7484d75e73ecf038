import assert from "node:assert/strict";
import { test } from "node:test";
import { makePatterns } from "../testing/patterns";
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
  test(`"${search}" ${expected ? "finds" : "does not find"} a panel`, async () => {
    const { patterns, changed } = makePatterns();
    const matches = matcherOf(search, patterns);
    if (!matches(spec) && patterns.look(search.trim(), "i", []).isWaiting) await changed();
    assert.equal(Boolean(matches(spec)), expected);
  });
}

test("media and histograms are also found by kind", () => {
  const about = { title: "x", keys: ["x"], text: "Image · x" };
  for (const kind of ["media", "histogram"] as const)
    assert.ok(matcherOf("image", makePatterns().patterns)(makeSpec({ ...about, kind })));
  assert.ok(!matcherOf("image", makePatterns().patterns)(makeSpec({ ...about, kind: "table" })));
});

test("an incomplete regular expression still matches as text", () => {
  assert.ok(matcherOf("f(x", makePatterns().patterns)(makeSpec({ title: "f(x)" })));
});

test("a regular expression that takes too long finds nothing, and is no longer waited for", async () => {
  const { patterns, changed } = makePatterns();
  const matches = matcherOf("^(a+)+$", patterns);
  assert.ok(!matches(spec));
  await changed();
  assert.ok(!matches(spec));
  assert.equal(patterns.look("^(a+)+$", "i", []).problem, "patternSlow");
});
