import assert from "node:assert/strict";
import { test } from "node:test";
import { cursorByKey, zoomByKey } from "./chart-keys";
import { isNear, SQUARE } from "./fixtures";
import { markedBetween, zoomByPinch, zoomByWheel } from "./gestures";
import { movedRange, type Range, rangeBetween, WHOLE } from "./zoom";

const key = (name: string, shiftKey = false) => ({ key: name, shiftKey });
const turn = (given: Partial<Parameters<typeof zoomByWheel>[0]>) => ({
  ...{ deltaX: 0, deltaY: 0, deltaMode: 0, altKey: false, shiftKey: false },
  ...given,
});

function isRange(found: Range | null | undefined, from: number, to: number): void {
  isNear(found?.[0], from, 1e-6);
  isNear(found?.[1], to, 1e-6);
}

test("a range between two pixels is ascending whichever comes first, and is clamped to the plot", () => {
  isRange(rangeBetween(SQUARE.x, 20, 60), 20, 60);
  isRange(rangeBetween(SQUARE.x, 60, 20), 20, 60);
  isRange(rangeBetween(SQUARE.x, -50, 500), 0, 100);
  isRange(rangeBetween(SQUARE.y, 20, 60), 40, 80);
});

test("on a logarithmic axis equal distances are equal factors", () => {
  const scale = { min: 1, max: 10_000, log: true, from: 0, to: 100 };
  isRange(rangeBetween(scale, 25, 50), 10, 100);
  isRange(movedRange(scale, 0, -25), 10, 100_000);
});

test("a dragged plot follows the pointer", () => {
  isRange(movedRange(SQUARE.x, 50, 60), -10, 90);
  isRange(movedRange(SQUARE.y, 50, 60), 10, 110);
});

test("zooming keeps the value under the pointer in place", () => {
  const range = movedRange(SQUARE.x, 30, 30, 0.5);
  isRange(range, 15, 65);
  isNear(range[0] + 0.3 * (range[1] - range[0]), 30);
});

for (const [name, isShift, x, y] of [
  ["+", false, [25, 75], null],
  ["=", false, [25, 75], null],
  ["-", false, [-50, 150], null],
  ["*", true, null, [25, 75]],
  ["_", true, null, [-50, 150]],
  ["[", false, [-50, 50], null],
  ["PageUp", false, [-50, 50], null],
  ["]", false, [50, 150], null],
  ["PageDown", false, [50, 150], null],
] as const) {
  test(`the key ${name} ${isShift ? "with Shift " : ""}changes the visible range`, () => {
    const zoom = zoomByKey(key(name, isShift), SQUARE, WHOLE, 50);
    if (x) isRange(zoom?.x, x[0], x[1]);
    else assert.equal(zoom?.x, null);
    if (y) isRange(zoom?.y, y[0], y[1]);
    else assert.equal(zoom?.y, null);
  });
}

test("0 resets the zoom, and other keys do nothing", () => {
  assert.deepEqual(zoomByKey(key("0"), SQUARE, { x: [1, 2], y: [3, 4] }, 50), { x: null, y: null });
  for (const other of ["a", "Enter", "1"]) assert.ok(!zoomByKey(key(other), SQUARE, WHOLE, 50));
});

test("zooming x leaves y as it was", () => {
  assert.deepEqual(zoomByKey(key("+"), SQUARE, { x: null, y: [3, 4] }, 50)?.y, [3, 4]);
});

for (const [name, isShift, at, expected] of [
  ["Home", false, 50, 0],
  ["End", false, 50, 100],
  ["ArrowLeft", false, 50, 42],
  ["ArrowRight", false, 50, 58],
  ["ArrowRight", true, 50, 90],
  ["ArrowRight", true, 80, 100],
  ["ArrowLeft", false, 3, 0],
  ["ArrowUp", false, 50, null],
  ["x", false, 50, null],
] as const) {
  test(`the cursor at ${at} goes to ${expected} with ${name}${isShift ? " and Shift" : ""}`, () => {
    assert.equal(cursorByKey(key(name, isShift), SQUARE, at), expected);
  });
}

for (const [left, top, isShift, expected] of [
  [60, 52, false, { along: "x", from: 50, to: 60 }],
  [40, 50, false, { along: "x", from: 50, to: 40 }],
  [52, 90, false, { along: "y", from: 50, to: 90 }],
  [70, 80, false, { along: "x", from: 50, to: 70 }],
  [70, 80, true, { along: "y", from: 50, to: 80 }],
  [55, 50, false, null],
  [50, 50, false, null],
  [90, 53, true, null],
] as const) {
  test(`a drag to ${left}, ${top}${isShift ? " with Shift" : ""} ${expected ? `is along ${expected.along}` : "is a click"}`, () => {
    assert.deepEqual(markedBetween({ left: 50, top: 50 }, { left, top }, isShift), expected);
  });
}

test("the wheel zooms x at the pointer, y with Shift, and pans x with Alt", () => {
  const at = { left: 50, top: 50 };
  const nearer = zoomByWheel(turn({ deltaY: -10 }), SQUARE, WHOLE, at);
  assert.ok(nearer.x && nearer.x[0] > 0 && nearer.x[1] < 100);
  isNear((nearer.x[0] + nearer.x[1]) / 2, 50);
  assert.equal(nearer.y, null);
  const higher = zoomByWheel(turn({ deltaY: 10, shiftKey: true }), SQUARE, WHOLE, at);
  assert.ok(higher.y && higher.y[0] < 0 && higher.y[1] > 100);
  assert.equal(higher.x, null);
  isRange(zoomByWheel(turn({ deltaY: 10, altKey: true }), SQUARE, WHOLE, at).x, 10, 110);
  isRange(zoomByWheel(turn({ deltaX: 10, altKey: true }), SQUARE, WHOLE, at).x, 10, 110);
});

test("a single wheel event is limited, and line deltas are converted to pixels", () => {
  const at = { left: 50, top: 50 };
  const far = zoomByWheel(turn({ deltaY: 1e6 }), SQUARE, WHOLE, at);
  assert.deepEqual(far, zoomByWheel(turn({ deltaY: 60 }), SQUARE, WHOLE, at));
  const lines = zoomByWheel(turn({ deltaY: 1, deltaMode: 1 }), SQUARE, WHOLE, at);
  assert.deepEqual(lines, zoomByWheel(turn({ deltaY: 16 }), SQUARE, WHOLE, at));
});

test("spreading two fingers zooms into x", () => {
  const zoom = zoomByPinch(
    SQUARE,
    WHOLE,
    [
      { left: 20, top: 50 },
      { left: 60, top: 50 },
    ],
    [
      { left: 0, top: 50 },
      { left: 80, top: 50 },
    ],
  );
  isRange(zoom.x, 20, 70);
  assert.equal(zoom.y, null);
});

test("two fingers moving together pan x, even when they are close to each other", () => {
  const zoom = zoomByPinch(
    SQUARE,
    WHOLE,
    [
      { left: 20, top: 50 },
      { left: 30, top: 50 },
    ],
    [
      { left: 25, top: 50 },
      { left: 45, top: 50 },
    ],
  );
  isRange(zoom.x, -10, 90);
});

test("a pinch changes y when the fingers are above each other or y is zoomed already", () => {
  const before = [
    { left: 50, top: 20 },
    { left: 55, top: 60 },
  ] as const;
  const now = [
    { left: 50, top: 0 },
    { left: 55, top: 80 },
  ] as const;
  isRange(zoomByPinch(SQUARE, WHOLE, [...before], [...now]).y, 30, 80);
  const flat = [
    { left: 20, top: 50 },
    { left: 60, top: 50 },
  ] as const;
  assert.ok(zoomByPinch(SQUARE, { x: null, y: [0, 100] }, [...flat], [...flat]).y);
});
