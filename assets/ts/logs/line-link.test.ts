import assert from "node:assert/strict";
import { test } from "node:test";
import { linesIn, linkTo } from "./line-link";

for (const [hash, lines] of [
  ["#L1", [0, 0]],
  ["#L120", [119, 119]],
  ["#L120-L140", [119, 139]],
  ["#L140-L120", [139, 139]],
  ["#L0", [0, 0]],
  ["#L999999", [199, 199]],
  ["#L150-L999999", [149, 199]],
  ["", null],
  ["#L", null],
  ["#L-3", null],
  ["#l12", null],
  ["#L1-L", null],
  ["#L1x", null],
] as const) {
  test(`in a log of 200 lines ${JSON.stringify(hash)} names ${JSON.stringify(lines)}`, () => {
    assert.deepEqual(linesIn(hash, 200), lines);
  });
}

test("a log without lines has none to mark", () => {
  assert.equal(linesIn("#L1", 0), null);
});

test("a link leads to the lines it was made for", () => {
  assert.deepEqual(linesIn(linkTo(4, 4), 10), [4, 4]);
  assert.deepEqual(linesIn(linkTo(4, 8), 10), [4, 8]);
});
