import assert from "node:assert/strict";
import { test } from "node:test";
import { settledZoom } from "./zoom-bounds";

for (const [name, x, extent, expected] of [
  ["a part stays as it is", [20, 40], [0, 100], { x: [20, 40], follows: false }],
  ["a part with the newest point follows it", [20, 100], [0, 100], { x: [20, 100], follows: true }],
  [
    "a part that ends close to the newest point follows it",
    [20, 99.5],
    [0, 100],
    { x: [20, 99.5], follows: true },
  ],
  ["a part that ends well before it does not", [20, 99], [0, 100], { x: [20, 99], follows: false }],
  ["a part with all there is shows all", [-5, 100], [0, 100], { x: null }],
  ["a part behind all lines moves back to them", [200, 300], [0, 100], { x: [90, 190], follows: true }],
  ["a part before all lines moves up to them", [-300, -200], [0, 100], { x: [-90, 10], follows: false }],
  ["a part without a width shows all", [20, 20], [0, 100], { x: null }],
  ["a part that falls shows all", [40, 20], [0, 100], { x: null }],
  ["a broken part shows all", [Number.NaN, 20], [0, 100], { x: null }],
  ["an endless part shows all", [20, Infinity], [0, 100], { x: null }],
] as const) {
  test(name, () => {
    assert.deepEqual(settledZoom({ x: [...x], y: [1, 2] }, [...extent]), { ...expected, y: [1, 2] });
  });
}

test("without lines, or without a range of x, a zoom is kept as it is", () => {
  assert.deepEqual(settledZoom({ x: [5, 6], y: null }, null), { x: [5, 6], y: null });
  assert.deepEqual(settledZoom({ x: null, y: [1, 2] }, [0, 1]), { x: null, y: [1, 2] });
});
