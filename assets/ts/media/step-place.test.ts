import assert from "node:assert/strict";
import { test } from "node:test";
import { StepPlace } from "./step-place";

function placeIn(...steps: number[]): StepPlace {
  const place = new StepPlace();
  place.offer(steps);
  return place;
}

test("nothing is chosen while nothing is logged", () => {
  const place = placeIn();
  assert.deepEqual([place.step, place.at, place.isNewest], [undefined, 0, true]);
});

test("the newest step is chosen, and stays the newest as more come", () => {
  const place = placeIn(1, 5);
  assert.equal(place.step, 5);
  place.offer([1, 5, 9]);
  assert.equal(place.step, 9);
  assert.ok(place.isNewest);
});

test("an older step that was chosen stays", () => {
  const place = placeIn(1, 5, 9);
  place.moveTo(1);
  place.offer([0, 1, 3, 5, 9, 12]);
  assert.equal(place.step, 5);
  assert.ok(!place.isNewest);
});

test("where a chosen step is gone, the one before it is", () => {
  const place = placeIn(1, 5, 9);
  place.moveTo(1);
  place.offer([1, 4, 9]);
  assert.equal(place.step, 4);
});

test("the last step that is not after the one asked for is chosen, else the first", () => {
  const place = placeIn(10, 20, 30);
  for (const [asked, step] of [
    [20, 20],
    [29.9, 20],
    [1e9, 30],
    [-5, 10],
  ] as const) {
    place.goTo(step);
    place.goTo(asked);
    assert.equal(place.step, step);
  }
});

test("places beyond both ends are the ends", () => {
  const place = placeIn(10, 20, 30);
  place.moveTo(-3);
  assert.equal(place.step, 10);
  place.moveTo(99);
  assert.deepEqual([place.step, place.at], [30, 2]);
});
