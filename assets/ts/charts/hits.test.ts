import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLine, SQUARE } from "./fixtures";
import { hitsAt, nextPixel, pointOn } from "./hits";

const long = makeLine([10, 20, 30], { id: "long", label: "long", x: Float64Array.of(0, 50, 100) });
const short = makeLine([90], { id: "short", label: "short", x: Float64Array.of(50) });
const odd = makeLine([Number.NaN, Number.NaN], { id: "odd", label: "odd", x: Float64Array.of(0, 100) });

for (const [x, point] of [
  [0, 0],
  [70, 1],
  [100, 2],
  [120, 2],
  [124, 2],
  [125, -1],
  [-24, 0],
  [-25, -1],
] as const) {
  test(`${x} is at point ${point} of a line from 0 to 100`, () => {
    assert.equal(pointOn(long, x, SQUARE.x), point);
  });
}

test("an empty line has no point anywhere", () => {
  assert.equal(pointOn(makeLine([]), 5, SQUARE.x), -1);
});

test("the line nearest to the pointer is found among those that reach it", () => {
  const found = hitsAt([long, short], SQUARE, 50, 75);
  assert.deepEqual(
    found.hits.map(({ line, value }) => [line.id, value]),
    [
      ["long", 20],
      ["short", 90],
    ],
  );
  assert.equal(found.nearest, "long");
  assert.equal(hitsAt([long, short], SQUARE, 50, 15).nearest, "short");
  assert.equal(hitsAt([long, short], SQUARE, 0, 15).nearest, "long");
  assert.deepEqual(hitsAt([], SQUARE, 50, 15), { hits: [], nearest: "" });
});

test("a line with NaN under the cursor is nearest only if there is no other", () => {
  assert.equal(hitsAt([odd, long], SQUARE, 100, 0).nearest, "long");
  assert.equal(hitsAt([odd], SQUARE, 100, 0).nearest, "odd");
});

test("of two lines at one pixel the first is nearest", () => {
  assert.equal(hitsAt([long, { ...long, id: "twin" }], SQUARE, 50, 80).nearest, "long");
});

test("arrows go to the next value above or below", () => {
  const { hits } = hitsAt([long, short, odd], SQUARE, 50, 0);
  assert.equal(nextPixel(hits, SQUARE.y, true, 80), 10);
  assert.equal(nextPixel(hits, SQUARE.y, false, 10), 80);
  assert.equal(nextPixel(hits, SQUARE.y, true, 10), null);
  assert.equal(nextPixel(hits, SQUARE.y, false, 80.2), null);
  assert.equal(nextPixel([], SQUARE.y, true, 50), null);
});
