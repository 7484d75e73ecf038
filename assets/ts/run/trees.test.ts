import assert from "node:assert/strict";
import { test } from "node:test";
import { extremesIn } from "./trees";

test("metrics that vary have extremes, others have none", () => {
  const found = extremesIn({
    keys: [
      { key: "loss", min: 0.1, max: 2 },
      { key: "constant", min: 3, max: 3 },
      { key: "diverged", min: 0.1, max: "Infinity" },
      { key: "text", min: null, max: null },
    ],
  });
  assert.deepEqual([...found], [["loss", [0.1, 2]]]);
});
