import assert from "node:assert/strict";
import { test } from "node:test";
import { readCrop } from "./crop";

test("long names are cut in the middle unless another place was chosen (RUN-24)", () => {
  assert.deepEqual(["start", "end", "middle", "left", undefined, null, 3].map(readCrop), [
    "start",
    "end",
    "middle",
    "middle",
    "middle",
    "middle",
    "middle",
  ]);
});
