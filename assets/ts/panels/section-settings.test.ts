import assert from "node:assert/strict";
import { test } from "node:test";
import { type Chosen, settingsOf } from "./section-settings";

const NONE: Chosen = {
  ...{ x: undefined, columns: undefined, kind: undefined, amount: null, logX: undefined, logY: undefined },
  ...{ yMin: null, yMax: null, height: null },
};

for (const [given, expected] of [
  [{}, {}],
  [
    { x: "", columns: "3" },
    { x: "", columns: 3 },
  ],
  [
    { logX: false, yMin: 0 },
    { logX: false, yMin: 0 },
  ],
  [{ kind: "ema", amount: 0.9 }, { smoothing: { kind: "ema", amount: 0.9 } }],
  [{ kind: "none" }, { smoothing: { kind: "none", amount: 0 } }],
  [{ amount: 0.9 }, {}],
  [
    { yMax: -1, height: 400 },
    { yMax: -1, height: 400 },
  ],
] as const) {
  test(`a section's form with ${JSON.stringify(given)} keeps ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(settingsOf({ ...NONE, ...given }), expected);
  });
}
