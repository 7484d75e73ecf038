import assert from "node:assert/strict";
import { test } from "node:test";
import { WHOLE } from "../charts/zoom";
import { Zooms } from "./zoomed-parts";

/** Zooms, and what was written into the address last. */
function zoomsOf(address: string | null = null) {
  const written: (string | null)[] = [];
  return { zooms: new Zooms(address, (text) => written.push(text)), written };
}

const STEP = "_step";

test("a zoomed panel shows its own range, others everything", () => {
  const { zooms } = zoomsOf();
  zooms.set("a", STEP, { x: [1, 2], y: [3, 4] }, false);
  assert.deepEqual(zooms.of("a", STEP).x, [1, 2]);
  assert.deepEqual(zooms.of("a", STEP).y, [3, 4]);
  assert.deepEqual(zooms.of("b", STEP), WHOLE);
  assert.deepEqual(zooms.of("a", "_runtime"), WHOLE);
});

test("panels that zoom together share x and keep their own y", () => {
  const { zooms } = zoomsOf();
  zooms.set("b", STEP, { x: null, y: [7, 8] }, false);
  zooms.set("a", STEP, { x: [1, 2], y: [3, 4] }, true);
  assert.deepEqual(
    [zooms.of("a", STEP).x, zooms.of("a", STEP).y],
    [
      [1, 2],
      [3, 4],
    ],
  );
  assert.deepEqual(
    [zooms.of("b", STEP).x, zooms.of("b", STEP).y],
    [
      [1, 2],
      [7, 8],
    ],
  );
  assert.equal(zooms.of("b", "_runtime").x, null);
});

test("zooming together replaces the ranges of other panels on that axis", () => {
  const { zooms } = zoomsOf();
  zooms.set("b", STEP, { x: [5, 6], y: null }, false);
  zooms.set("c", "_runtime", { x: [50, 60], y: null }, false);
  zooms.set("a", STEP, { x: [1, 2], y: null }, true);
  assert.deepEqual(zooms.of("b", STEP).x, [1, 2]);
  assert.deepEqual(zooms.of("c", "_runtime").x, [50, 60]);
});

test("a reset ends a shared zoom, even from a panel that does not share", () => {
  const { zooms } = zoomsOf();
  zooms.set("a", STEP, { x: [1, 2], y: null }, true);
  zooms.set("b", STEP, { x: null, y: null }, false);
  assert.equal(zooms.of("a", STEP).x, null);
});

test("resetting a panel's own zoom returns to the shared one", () => {
  const { zooms } = zoomsOf();
  zooms.set("a", STEP, { x: [1, 2], y: null }, true);
  zooms.set("b", STEP, { x: [5, 6], y: null }, false);
  zooms.set("b", STEP, { x: null, y: null }, false);
  assert.deepEqual(zooms.of("b", STEP).x, [1, 2]);
});

for (const [axis, x, panel, expected] of [
  [STEP, [1, 2], "loss", "_step:1:2:loss"],
  [STEP, [0, 100_000], "loss", "_step:0:100000:loss"],
  ["a:b%", [0.5, 1], "c:d", "a%3Ab%25:0.5:1:c%3Ad"],
  [STEP, [0.123456789, 0.223456789], "x", "_step:0.12346:0.22346:x"],
  [STEP, [1e-9, 3e-9], "x", "_step:1e-9:3e-9:x"],
  [STEP, [-1.23456, 1234.56789], "x", "_step:-1.2:1234.6:x"],
] as const) {
  test(`the range ${x} of ${axis} is written to the address as ${expected}`, () => {
    const { zooms, written } = zoomsOf();
    zooms.set(panel, axis, { x: [...x], y: null }, false);
    assert.deepEqual(written, [expected]);
  });
}

test("the address restores the same range, for one panel or for all on the axis", () => {
  for (const together of [true, false]) {
    const { zooms, written } = zoomsOf();
    zooms.set("c:d", "a:b%", { x: [0.5, 12], y: null }, together);
    const again = zoomsOf(written[0]).zooms;
    assert.deepEqual(again.of("c:d", "a:b%").x, [0.5, 12]);
    assert.deepEqual(again.of("other", "a:b%").x, together ? [0.5, 12] : null);
  }
});

test("a reset removes the range from the address", () => {
  const { zooms, written } = zoomsOf();
  zooms.set("a", STEP, { x: null, y: null }, false);
  assert.deepEqual(written, [null]);
});

for (const address of [
  "",
  "_step",
  "_step:1",
  "_step:2:1",
  "_step:1:1",
  "_step:a:b",
  "_step::5",
  "::",
  "%:%:%",
]) {
  test(`the invalid address "${address}" is ignored`, () => {
    const { zooms } = zoomsOf(address);
    for (const axis of [STEP, "", "%"]) assert.equal(zooms.of("a", axis).x, null);
  });
}

test("an axis name with an incomplete escape is read literally", () => {
  assert.deepEqual(zoomsOf("50%:1:2").zooms.of("a", "50%").x, [1, 2]);
});

test("a range that ends at the newest point follows it, separately for each panel", () => {
  const { zooms } = zoomsOf();
  zooms.set("a", STEP, { x: [80, 100], y: null, follows: true }, true);
  assert.deepEqual(zooms.followed("a", STEP, 100).x, [80, 100]);
  assert.deepEqual(zooms.followed("b", STEP, 50).x, [80, 100]);
  assert.deepEqual(zooms.followed("a", STEP, 110).x, [90, 110]);
  assert.deepEqual(zooms.followed("b", STEP, 55).x, [85, 105]);
  assert.deepEqual(zooms.followed("a", STEP, 90).x, [80, 100]);
});

test("a range that does not follow stays in place", () => {
  const { zooms } = zoomsOf();
  zooms.set("a", STEP, { x: [10, 20], y: null, follows: false }, false);
  zooms.followed("a", STEP, 100);
  assert.deepEqual(zooms.followed("a", STEP, 200).x, [10, 20]);
  zooms.set("a", STEP, { x: [10, 20], y: null, follows: true }, false);
  assert.deepEqual(zooms.followed("a", STEP, Number.NaN).x, [10, 20]);
});

test("listeners are called until they unsubscribe", () => {
  const { zooms } = zoomsOf();
  let heard = 0;
  const end = zooms.onChange(() => {
    heard += 1;
  });
  zooms.set("a", STEP, { x: [1, 2], y: null }, false);
  end();
  zooms.set("a", STEP, { x: [1, 3], y: null }, false);
  assert.equal(heard, 1);
});
