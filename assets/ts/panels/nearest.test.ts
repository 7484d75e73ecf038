import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestLine, nearestPoint } from "./nearest";

test("the point next to the pointer is found, within reach", () => {
  const [x, y] = [
    [10, 20, Number.NaN],
    [10, 10, 10],
  ];
  assert.equal(nearestPoint(x, y, 16, 10), 1);
  assert.equal(nearestPoint(x, y, 14, 10), 0);
  assert.equal(nearestPoint(x, y, 15, 10), 0);
  assert.equal(nearestPoint(x, y, 20, 28), -1);
  assert.equal(nearestPoint(x, y, 20, 27.9), 1);
  assert.equal(nearestPoint([], [], 0, 0), -1);
});

const uprights = [
  { left: 0, places: [0, 100, 50] },
  { left: 100, places: [100, 0, Number.NaN] },
];

test("the line next to the pointer is found between axes, as it slopes", () => {
  assert.equal(nearestLine(uprights, [1, 1, 1], 25, 30), 0);
  assert.equal(nearestLine(uprights, [1, 1, 1], 25, 70), 1);
  assert.equal(nearestLine(uprights, [1, 1, 1], 25, 50), -1);
  assert.equal(nearestLine(uprights, [0, 1, 1], 25, 30), -1);
});

test("no line is found beyond the outer axes", () => {
  assert.equal(nearestLine(uprights, [1, 1, 1], -5, 50), -1);
  assert.equal(nearestLine(uprights, [1, 1, 1], 105, 50), -1);
  assert.equal(nearestLine([], [], 5, 5), -1);
});
