import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, luminance } from "../charts/distinct";
import { colorOf } from "./class-colors";

const colors = Array.from({ length: 256 }, (_, number) => colorOf(number));

function closest(count: number): number {
  const some = [...colors.slice(0, count), colorOf(255)];
  return Math.min(...some.flatMap((one, at) => some.slice(0, at).map((other) => distance(one, other))));
}

test("the classes of usual data sets look different", () => {
  assert.ok(closest(25) >= 0.1, `25: ${closest(25)}`);
  assert.ok(closest(80) >= 0.06, `80: ${closest(80)}`); // COCO
  assert.equal(new Set(colors.map(String)).size, 256); // of a mask
});

test("classes with neighboring numbers look more different than others", () => {
  const steps = colors.slice(1, 80).map((color, at) => distance(color, colors[at] ?? color));
  assert.ok(Math.min(...steps) >= 0.085, String(Math.min(...steps)));
});

test("the first classes have the colors of Okabe and Ito", () => {
  assert.deepEqual(colorOf(0), [230, 159, 0]);
  assert.deepEqual(colorOf(7), [120, 120, 140]);
  assert.deepEqual(colorOf(256), colorOf(0));
});

test("the dark captions of boxes can be read on the further colors", () => {
  const ground = luminance([17, 17, 17]) + 0.05;
  for (const color of colors.slice(8)) assert.ok((luminance(color) + 0.05) / ground >= 4.49, String(color));
});

test("a number that is no class is grey", () => {
  for (const number of [-1, 0.5, Number.NaN, Infinity]) assert.deepEqual(colorOf(number), [120, 120, 140]);
});
