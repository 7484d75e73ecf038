import assert from "node:assert/strict";
import { test } from "node:test";
import { entryOf } from "./record";

test("a record has only entries of its own, also under names of what all objects have", () => {
  assert.equal(entryOf(JSON.parse('{"__proto__": 3}') as Record<string, number>, "__proto__"), 3);
  assert.equal(entryOf({ constructor: 3 } as Record<string, number>, "constructor"), 3);
  assert.equal(entryOf<number>({}, "constructor"), undefined);
  assert.equal(entryOf<number>({}, "__proto__"), undefined);
  assert.equal(entryOf<number>(undefined, "a"), undefined);
});
