import assert from "node:assert/strict";
import { test } from "node:test";
import { sectionOf } from "./sections";

for (const [key, section] of [
  ["val/images/sample", "val/images"],
  ["val.sample", "val"],
  ["val.a/b", "val.a"],
  ["val/a.b", "val/a"],
  ["sample", ""],
  ["/sample", ""],
  [".hidden", ""],
  ["val/", "val"],
  ["", ""],
] as const) {
  test(`the section of ${JSON.stringify(key)} is ${JSON.stringify(section)}`, () => {
    assert.equal(sectionOf(key), section);
  });
}
