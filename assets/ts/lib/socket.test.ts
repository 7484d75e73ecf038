import assert from "node:assert/strict";
import { test } from "node:test";
import { isRefused, pauseAfter } from "./socket";

test("attempts to connect come at growing intervals, up to 15 s, and not all at once", () => {
  const pauses = [1, 2, 3, 4, 5, 6, 50].map((attempts) => Math.round(pauseAfter(attempts, 0.5)));
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  assert.equal(pauseAfter(1, 0), 700);
  assert.ok(pauseAfter(1, 1) <= 1300);
});

test("only a line that was refused for good stays down", () => {
  assert.deepEqual([1000, 1006, 4399, 4400, 4404, 4499, 4500].filter(isRefused), [4400, 4404, 4499]);
});
