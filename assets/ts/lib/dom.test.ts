import assert from "node:assert/strict";
import { test } from "node:test";
import { debounce, throttle } from "./dom";

test("a throttled act runs at once, and once more for all that came in the pause", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const ran: number[] = [];
  const act = throttle(() => ran.push(now), 100);
  act();
  t.mock.timers.tick(0);
  now = 10;
  act();
  act();
  t.mock.timers.tick(89);
  assert.deepEqual(ran, [0]);
  now = 100;
  t.mock.timers.tick(1);
  assert.deepEqual(ran, [0, 100]);
});

test("a debounced act waits until nothing has come for the pause, and can be cancelled", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let count = 0;
  const soon = debounce(() => {
    count += 1;
  }, 100);
  soon();
  t.mock.timers.tick(99);
  soon();
  t.mock.timers.tick(99);
  assert.equal(count, 0);
  t.mock.timers.tick(1);
  assert.equal(count, 1);
  soon();
  soon.cancel();
  t.mock.timers.tick(1000);
  assert.equal(count, 1);
});
