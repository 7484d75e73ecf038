import assert from "node:assert/strict";
import { test } from "node:test";
import { correlationText, type KeyImportance, type Order, ordered, signOf } from "./importance-order";

const key = (column: string, given: Partial<KeyImportance> = {}): KeyImportance => ({
  ...{ column, count: 1, values: 2, importance: null, error: null, spearman: null, pearson: null },
  ...given,
});
const keys = [
  key("config.b10", { importance: 0.2, spearman: -0.9 }),
  key("config.b9", { importance: 0.2, spearman: 0.3 }),
  key("config.none"),
  key("config.a", { importance: 0.7, spearman: 0.1 }),
];

for (const [order, isRising, expected] of [
  ["importance", false, "a b9 b10 none"],
  ["importance", true, "b9 b10 a none"],
  ["spearman", false, "b10 b9 a none"],
  ["spearman", true, "a b9 b10 none"],
  ["column", true, "a b9 b10 none"],
  ["column", false, "none b10 b9 a"],
  ["pearson", false, "b10 b9 none a"],
] as const) {
  test(`parameters are sorted by ${order}, ${isRising ? "rising" : "falling"}`, () => {
    const found = ordered(keys, order as Order, isRising).map(({ column }) => column.slice(7));
    assert.equal(found.join(" "), expected);
  });
}

for (const [spearman, sign] of [
  [null, "none"],
  [0.09, "none"],
  [-0.09, "none"],
  [0.1, "up"],
  [-0.1, "down"],
] as const) {
  test(`a correlation of ${spearman} points ${sign}`, () => {
    assert.equal(signOf({ spearman }), sign);
  });
}

for (const [value, text] of [
  [null, "–"],
  [0, "0.00"],
  [-0.004, "0.00"],
  [0.314, "+0.31"],
  [-1, "−1.00"],
] as const) {
  test(`a correlation of ${value} is written ${text}`, () => {
    assert.equal(correlationText(value), text);
  });
}
