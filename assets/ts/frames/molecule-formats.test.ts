import assert from "node:assert/strict";
import { test } from "node:test";
import { formatOf } from "./molecule-formats";

for (const [name, format, isBinary] of [
  ["media/molecule/a.pdb", "pdb", false],
  ["a.MMCIF", "mcif", false],
  ["a.mol", "sdf", false],
  ["a.b.mmtf", "mmtf", true],
  ["a.xyz", undefined, false],
  ["pdb", "pdb", false],
  ["", undefined, false],
  ["a.constructor", undefined, false],
] as const) {
  test(`the molecule ${JSON.stringify(name)} is read as ${format}`, () => {
    const found = formatOf(name);
    assert.deepEqual([found.format, found.isBinary], [format, isBinary]);
  });
}

test("a file that cannot be read is named by its ending", () => {
  assert.equal(formatOf("media/a.XYZ").ending, "xyz");
});
