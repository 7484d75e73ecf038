import assert from "node:assert/strict";
import { test } from "node:test";
import { highlight, onHighlight } from "./highlight";

test("what stands out is heard by all charts but the one that says so", () => {
  const heard: string[] = [];
  const one = (owner: string | null) => heard.push(`one ${owner}`);
  const ends = [onHighlight(one), onHighlight((owner) => heard.push(`other ${owner}`))];
  highlight("r", one);
  assert.deepEqual(heard, ["other r"]);
  ends[1]?.();
  highlight(null);
  assert.deepEqual(heard, ["other r", "one null"]);
  ends[0]?.();
  highlight("s");
  assert.equal(heard.length, 2);
});
