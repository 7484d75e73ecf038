import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf, stepAt, withWidth } from "./histogram";

test("a histogram has one edge more than counts", () => {
  assert.deepEqual(partsOf({ values: [1, 2], bins: [0, 0.5, 1] }), { counts: [1, 2], edges: [0, 0.5, 1] });
});

test("packed edges are unpacked", () => {
  const packedBins = { min: -1, size: 0.5, count: 3 };
  assert.deepEqual(partsOf({ values: [1, 2, 3], packedBins }), {
    counts: [1, 2, 3],
    edges: [-1, -0.5, 0, 0.5],
  });
});

test("equal values are one bar in the middle of a range", () => {
  const { counts, edges } = withWidth({ counts: [3, 4], edges: [-2, -2, -2] });
  assert.deepEqual(edges, [-3, -1]);
  assert.equal(counts.indexOf(7), (counts.length - 1) / 2);
  assert.deepEqual(withWidth({ counts: [1], edges: [0, 0] }).edges, [-0.5, 0.5]);
  const others = { counts: [1, 2], edges: [0, 0, 1] };
  assert.equal(withWidth(others), others);
});

for (const value of [
  {},
  { values: [] },
  { values: "1,2", bins: [0, 1] },
  { values: [1, 2], bins: [0, 1] },
  { values: [1, 2] },
]) {
  test(`what is no histogram is not drawn: ${JSON.stringify(value)}`, () => {
    assert.equal(partsOf(value), null);
  });
}

test("each step has the same part of the width", () => {
  const steps = [0, 10, 20, 40];
  assert.deepEqual(
    [0, 0.24, 0.25, 0.5, 0.99, 1].map((share) => stepAt(steps, share)),
    [0, 0, 10, 20, 40, 40],
  );
});

test("left of the map is its first step", () => {
  assert.equal(stepAt([5, 6], -0.01), 5);
});
