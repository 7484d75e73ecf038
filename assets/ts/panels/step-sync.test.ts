import assert from "node:assert/strict";
import { test } from "node:test";
import { joinSection, leaveSection, stepOf, tellSection } from "./step-sync";

test("a step is passed to the other panels of the section only", () => {
  const heard: string[] = [];
  const panel = (name: string) => ({ stepped: (step: number) => heard.push(`${name} ${step}`) });
  const [a, b, c] = [panel("a"), panel("b"), panel("c")];
  joinSection("one", a);
  joinSection("one", b);
  joinSection("other", c);
  assert.equal(stepOf("one"), undefined);
  tellSection("one", a, 7);
  assert.deepEqual(heard, ["b 7"]);
  assert.deepEqual([stepOf("one"), stepOf("other")], [7, undefined]);
  leaveSection("one", b);
  tellSection("one", a, 8);
  assert.deepEqual(heard, ["b 7"]);
  assert.equal(stepOf("one"), 8);
});
