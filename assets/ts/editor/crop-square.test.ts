import assert from "node:assert/strict";
import { test } from "node:test";
import { movedBy, squareAround } from "./crop-square";

const WIDE = { width: 400, height: 200 };
const TALL = { width: 100, height: 300 };
const MIDDLE = { x: 0.5, y: 0.5 };

test("at first the largest square in the middle is kept", () => {
  assert.deepEqual(squareAround(MIDDLE, 1, WIDE), { left: 100, top: 0, side: 200 });
  assert.deepEqual(squareAround(MIDDLE, 1, TALL), { left: 0, top: 100, side: 100 });
});

test("zooming in keeps the middle", () => {
  assert.deepEqual(squareAround(MIDDLE, 4, WIDE), { left: 175, top: 75, side: 50 });
});

for (const middle of [
  { x: 0, y: 0 },
  { x: 1, y: 1 },
  { x: -5, y: 9 },
]) {
  test(`the square never leaves the picture: around ${middle.x}, ${middle.y}`, () => {
    for (const zoom of [1, 2, 3.7]) {
      const { left, top, side } = squareAround(middle, zoom, WIDE);
      assert.ok(left >= 0 && top >= 0 && left + side <= 400 && top + side <= 200);
    }
  });
}

test("moving goes by parts of the square, and back", () => {
  const square = squareAround(MIDDLE, 4, WIDE);
  const right = squareAround(movedBy(square, 0.5, 0, WIDE), 4, WIDE);
  assert.deepEqual(right, { left: 200, top: 75, side: 50 });
  assert.deepEqual(squareAround(movedBy(right, -0.5, 0, WIDE), 4, WIDE), square);
});

test("at an edge the first step back moves at once", () => {
  let square = squareAround(MIDDLE, 4, WIDE);
  for (let step = 0; step < 50; step += 1) square = squareAround(movedBy(square, 1, 0, WIDE), 4, WIDE);
  assert.equal(square.left, 350);
  assert.equal(squareAround(movedBy(square, -0.02, 0, WIDE), 4, WIDE).left, 349);
});
