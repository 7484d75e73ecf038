import assert from "node:assert/strict";
import { test } from "node:test";
import { recall, remember } from "./store";

test("without storage the fallback is what was kept", () => {
  remember("runyard-test", { wide: true });
  assert.deepEqual(recall("runyard-test", { wide: false }), { wide: false });
});
