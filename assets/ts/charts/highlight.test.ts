import assert from "node:assert/strict";
import { test } from "node:test";
import { highlight, onHighlight } from "./highlight";

test("a highlight reaches every chart except the one it comes from", () => {
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
