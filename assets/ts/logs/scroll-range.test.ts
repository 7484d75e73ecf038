import assert from "node:assert/strict";
import { test } from "node:test";
import { ScrollRange } from "./scroll-range";

test("a log that fits into its box does not scroll", () => {
  const range = new ScrollRange(5, 400);
  assert.equal(range.height, 400);
  assert.equal(range.topAt(0), 0);
  assert.equal(range.scrolledTo(3), 0);
});

test("an empty log and a box without height break nothing", () => {
  assert.equal(new ScrollRange(0, 400).topAt(0), 0);
  assert.equal(new ScrollRange(0, 0).lastTop, 0);
  assert.equal(new ScrollRange(10, 0).perPage, 1);
});

test("a line has its height as long as browsers bear the whole", () => {
  const range = new ScrollRange(1000, 400);
  assert.equal(range.height, 1001 * 20);
  assert.equal(range.scrolledTo(500), 10_000);
  assert.ok(Math.abs(range.topAt(10_000) - 500) < 1e-9);
});

test("a longer log scrolls in scaled steps, and reaches its last line", () => {
  const range = new ScrollRange(5_000_000, 400);
  assert.equal(range.height, 8_000_000);
  assert.equal(range.topAt(range.height - 400), range.lastTop);
  assert.ok(range.lastTop + range.perPage >= 5_000_000);
});

for (const count of [21, 1000, 399_999, 20_000_000]) {
  test(`each of ${count} lines can be scrolled to`, () => {
    const range = new ScrollRange(count, 400);
    for (const part of [0, 0.1, 0.5, 0.999, 1]) {
      const position = Math.floor(range.lastTop * part);
      assert.ok(Math.abs(range.topAt(range.scrolledTo(position)) - position) < 1e-3);
    }
  });
}

test("scrolling beyond the end stays at the end", () => {
  const range = new ScrollRange(1000, 400);
  assert.equal(range.topAt(1e9), range.lastTop);
});
