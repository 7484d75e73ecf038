import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsFor, columnsOf, fitting, widthOf } from "./columns-fit";

for (const [width, count] of [
  [320, 1],
  [559, 1],
  [560, 1],
  [588, 2],
  [1200, 4],
  [1600, 4],
  [2000, 4],
  [2500, 6],
  [0, 1],
] as const) {
  test(`${count} cards fit side by side into ${width} pixels`, () => {
    assert.equal(fitting(width), count);
  });
}

for (const [cards, most, columns] of [
  [0, 4, 1],
  [1, 4, 1],
  [3, 4, 3],
  [4, 4, 4],
  [5, 4, 3],
  [6, 4, 3],
  [7, 4, 4],
  [8, 4, 4],
  [9, 5, 3],
  [5, 1, 1],
  [10, 6, 5],
  [12, 6, 6],
] as const) {
  test(`${cards} cards stand in ${columns} of ${most} columns`, () => {
    assert.equal(columnsFor(cards, most), columns);
  });
}

test("a chosen number of columns wins, and grouped cards take what they need", () => {
  assert.equal(columnsOf([1, 1], { most: 4, chosen: 3, isGrouped: false }), 3);
  assert.equal(columnsOf([1, 2], { most: 4, chosen: 0, isGrouped: false }), 3);
  assert.equal(columnsOf([1, 9], { most: 4, chosen: 0, isGrouped: true }), 4);
  assert.equal(columnsOf([1, 2], { most: 4, chosen: 0, isGrouped: true }), 3);
  assert.equal(columnsOf([], { most: 4, chosen: 0, isGrouped: true }), 1);
});

test("no card is wider than the page", () => {
  assert.equal(widthOf([1, 2, 9], 3), 6);
});
