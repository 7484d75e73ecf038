import assert from "node:assert/strict";
import { test } from "node:test";
import { placeBeside } from "./popup";

const WINDOW = { width: 1000, height: 600 };

test("a popup is placed below its button, inside of the window", () => {
  const size = { width: 200, height: 100 };
  assert.deepEqual(placeBeside({ left: 50, top: 80, bottom: 110 }, size, WINDOW), {
    left: 50,
    top: 114,
    mostHeight: 478,
  });
  assert.equal(placeBeside({ left: 950, top: 80, bottom: 110 }, size, WINDOW).left, 792);
  assert.equal(placeBeside({ left: -20, top: 80, bottom: 110 }, size, WINDOW).left, 8);
  assert.equal(placeBeside({ left: 900, top: 80, bottom: 110 }, { width: 2000, height: 9 }, WINDOW).left, 8);
});

test("a popup goes above its button where there is no room below, and is no higher than the room", () => {
  const size = { width: 200, height: 300 };
  assert.deepEqual(placeBeside({ left: 50, top: 500, bottom: 530 }, size, WINDOW), {
    left: 50,
    top: 196,
    mostHeight: 488,
  });
  assert.equal(placeBeside({ left: 50, top: 500, bottom: 530 }, { width: 9, height: 900 }, WINDOW).top, 8);
});

test("a tall popup stays below a button in the upper half of the window", () => {
  const place = placeBeside({ left: 50, top: 200, bottom: 230 }, { width: 9, height: 900 }, WINDOW);
  assert.deepEqual([place.top, place.mostHeight], [234, 358]);
});
