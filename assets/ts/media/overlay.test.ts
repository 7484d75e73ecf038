import assert from "node:assert/strict";
import { test } from "node:test";
import { layersOf, namesOf, placeOf } from "./overlay";

const SIZE: [number, number] = [200, 100];

test("a box in pixels is placed by shares of the picture", () => {
  const position = { minX: 20, maxX: 120, minY: 10, maxY: 60 };
  assert.deepEqual(placeOf({ position, domain: "pixel" }, SIZE), [0.1, 0.1, 0.5, 0.5]);
});

test("a box without a domain has shares already", () => {
  const position = { minX: 0.25, maxX: 0.75, minY: 0, maxY: 1 };
  assert.deepEqual(placeOf({ position }, SIZE), [0.25, 0, 0.5, 1]);
});

test("a box may be given by its middle", () => {
  const position = { middle: [100, 50], width: 100, height: 20 };
  assert.deepEqual(placeOf({ position, domain: "pixel" }, SIZE), [0.25, 0.4, 0.5, 0.2]);
});

test("a box that lacks an edge begins at none", () => {
  assert.deepEqual(placeOf({ position: { maxX: 0.5, maxY: "0.5" } }, SIZE), [0, 0, 0.5, 0.5]);
  assert.deepEqual(placeOf({ position: { middle: [] } }, SIZE), [0, 0, 0, 0]);
});

test("layers are those that have a file", () => {
  assert.deepEqual(layersOf({ truth: { path: "a.png" }, broken: { path: 3 }, other: {} }), [
    { name: "truth", path: "a.png" },
  ]);
  for (const value of [null, undefined, "text", 3]) assert.deepEqual(layersOf(value), []);
});

test("classes are called as the run's config says of the key and layer", () => {
  const labels = { sample_wandb_delimeter_truth: { value: { "1": "cat" } } };
  assert.deepEqual(namesOf({ key: "sample", labels }, "truth"), { "1": "cat" });
  assert.deepEqual(namesOf({ key: "sample", labels }, "other"), {});
});
