import assert from "node:assert/strict";
import { test } from "node:test";
import { around, fitted, revealing, scaledAt, type View, wheelFactor } from "./pan-zoom";

const WINDOW = { width: 800, height: 600 };

/** Where a point of the plane is in the window. */
function shown({ x, y, scale }: View, point: { x: number; y: number }) {
  return { x: point.x * scale + x, y: point.y * scale + y };
}

test("a small plane is shown in the middle, no larger than life", () => {
  assert.deepEqual(fitted({ width: 400, height: 200 }, WINDOW), { scale: 1, x: 200, y: 200 });
});

test("a large plane is scaled so that all of it is in view with a margin", () => {
  const plane = { width: 4000, height: 1000 };
  const view = fitted(plane, WINDOW);
  assert.equal(view.scale, (800 - 64) / 4000);
  assert.ok(Math.abs(shown(view, { x: 0, y: 0 }).x - 32) < 1e-9);
  assert.ok(Math.abs(shown(view, { x: 4000, y: 1000 }).x - 768) < 1e-9);
});

test("a huge plane is no smaller than can be seen, an empty one breaks nothing", () => {
  assert.equal(fitted({ width: 1e6, height: 1e6 }, WINDOW).scale, 0.08);
  assert.deepEqual(fitted({ width: 0, height: 0 }, WINDOW), { scale: 1, x: 400, y: 300 });
});

test("a point is shown in the middle", () => {
  const plane = { width: 5000, height: 5000 };
  const point = { x: 2500, y: 2000 };
  assert.deepEqual(shown(around(point, 0.85, plane, WINDOW), point), { x: 400, y: 300 });
});

test("beside a point at the edge there is no more emptiness than the margin", () => {
  const plane = { width: 5000, height: 300 };
  const left = around({ x: 0, y: 0 }, 1, plane, WINDOW);
  assert.deepEqual(left, { scale: 1, x: 32, y: 150 });
  const right = around({ x: 5000, y: 0 }, 1, plane, WINDOW);
  assert.equal(shown(right, { x: 5000, y: 0 }).x, 800 - 32);
});

test("scaling leaves the point below the pointer where it is", () => {
  const view = { x: 30, y: -40, scale: 0.5 };
  const before = { x: (200 - view.x) / view.scale, y: (100 - view.y) / view.scale };
  const after = shown(scaledAt(view, 1.4, 200, 100), before);
  assert.ok(Math.hypot(after.x - 200, after.y - 100) < 1e-9);
});

test("scales end at both sides, where a further step moves nothing", () => {
  assert.equal(scaledAt({ x: 0, y: 0, scale: 1 }, 100, 0, 0).scale, 2);
  assert.equal(scaledAt({ x: 0, y: 0, scale: 1 }, 1e-9, 0, 0).scale, 0.08);
  assert.deepEqual(scaledAt({ x: 7, y: 8, scale: 2 }, 2, 300, 300), { x: 7, y: 8, scale: 2 });
});

test("a card is brought into view by the shortest way, and stays where it is in view", () => {
  const size = { width: 200, height: 50 };
  const view = { x: 0, y: 0, scale: 1 };
  assert.deepEqual(revealing(view, { x: 400, y: 300 }, size, WINDOW), view);
  assert.deepEqual(revealing(view, { x: 790, y: 300 }, size, WINDOW), { ...view, x: -122 });
  assert.deepEqual(revealing(view, { x: -10, y: 300 }, size, WINDOW), { ...view, x: 142 });
  assert.deepEqual(revealing(view, { x: 400, y: 0 }, size, WINDOW), { ...view, y: 57 });
});

test("a card that is larger than the window is shown from its left", () => {
  const view = revealing({ x: 0, y: 0, scale: 1 }, { x: 400, y: 300 }, { width: 2000, height: 10 }, WINDOW);
  assert.equal(shown(view, { x: -600, y: 0 }).x, 32);
});

test("a wheel scales evenly up and down, by steps that end", () => {
  assert.equal(wheelFactor(0, false), 1);
  assert.ok(wheelFactor(-10, false) > 1);
  assert.ok(Math.abs(wheelFactor(50, false) * wheelFactor(-50, false) - 1) < 1e-12);
  assert.equal(wheelFactor(-10_000, false), wheelFactor(-80, false));
  assert.ok(wheelFactor(-10, true) > wheelFactor(-10, false));
});
