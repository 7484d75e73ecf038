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

test("a panel shows its own part, others all", () => {
  const { zooms } = zoomsOf();
  zooms.set("a", STEP, { x: [1, 2], y: [3, 4] }, false);
  assert.deepEqual(zooms.of("a", STEP).x, [1, 2]);
  assert.deepEqual(zooms.of("a", STEP).y, [3, 4]);
  assert.deepEqual(zooms.of("b", STEP), WHOLE);
  assert.deepEqual(zooms.of("a", "_runtime"), WHOLE);
});

test("panels that zoom together share x, and each keeps its y", () => {
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

test("zooming together takes the others' own parts of that axis", () => {
  const { zooms } = zoomsOf();
  zooms.set("b", STEP, { x: [5, 6], y: null }, false);
  zooms.set("c", "_runtime", { x: [50, 60], y: null }, false);
  zooms.set("a", STEP, { x: [1, 2], y: null }, true);
  assert.deepEqual(zooms.of("b", STEP).x, [1, 2]);
  assert.deepEqual(zooms.of("c", "_runtime").x, [50, 60]);
});

test("a reset ends a common part, also from a panel that zooms alone", () => {
  const { zooms } = zoomsOf();
  zooms.set("a", STEP, { x: [1, 2], y: null }, true);
  zooms.set("b", STEP, { x: null, y: null }, false);
  assert.equal(zooms.of("a", STEP).x, null);
});

test("a reset of an own part leaves the common one", () => {
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
  test(`${x} of ${axis} stands in the address as ${expected}`, () => {
    const { zooms, written } = zoomsOf();
    zooms.set(panel, axis, { x: [...x], y: null }, false);
    assert.deepEqual(written, [expected]);
  });
}

test("an address shows the same part again, of one panel or of all on the axis", () => {
  for (const together of [true, false]) {
    const { zooms, written } = zoomsOf();
    zooms.set("c:d", "a:b%", { x: [0.5, 12], y: null }, together);
    const again = zoomsOf(written[0]).zooms;
    assert.deepEqual(again.of("c:d", "a:b%").x, [0.5, 12]);
    assert.deepEqual(again.of("other", "a:b%").x, together ? [0.5, 12] : null);
  }
});

test("showing all takes the part out of the address", () => {
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
  test(`the address "${address}" shows all`, () => {
    const { zooms } = zoomsOf(address);
    for (const axis of [STEP, "", "%"]) assert.equal(zooms.of("a", axis).x, null);
  });
}

test("an axis whose name is half an escape is read as it is", () => {
  assert.deepEqual(zoomsOf("50%:1:2").zooms.of("a", "50%").x, [1, 2]);
});

test("a part that ends at the newest point goes along with it, for each panel by its own", () => {
  const { zooms } = zoomsOf();
  zooms.set("a", STEP, { x: [80, 100], y: null, follows: true }, true);
  assert.deepEqual(zooms.followed("a", STEP, 100).x, [80, 100]);
  assert.deepEqual(zooms.followed("b", STEP, 50).x, [80, 100]);
  assert.deepEqual(zooms.followed("a", STEP, 110).x, [90, 110]);
  assert.deepEqual(zooms.followed("b", STEP, 55).x, [85, 105]);
  assert.deepEqual(zooms.followed("a", STEP, 90).x, [80, 100]);
});

test("other parts stay where they are", () => {
  const { zooms } = zoomsOf();
  zooms.set("a", STEP, { x: [10, 20], y: null, follows: false }, false);
  zooms.followed("a", STEP, 100);
  assert.deepEqual(zooms.followed("a", STEP, 200).x, [10, 20]);
  zooms.set("a", STEP, { x: [10, 20], y: null, follows: true }, false);
  assert.deepEqual(zooms.followed("a", STEP, Number.NaN).x, [10, 20]);
});

test("panels hear of changes until they end that", () => {
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
