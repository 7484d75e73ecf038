import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSpec } from "./fixtures";
import { MOST_MATCHES, matching, patternOf, sectionsWithKeys, withKeys } from "./pattern";

test("a pattern draws the keys that match it, up to a limit", () => {
  const keys = Array.from({ length: 30 }, (_, at) => `layer${at}/norm`);
  const drawn = withKeys(makeSpec({ keysPattern: "^layer" }), () => ["loss", ...keys]);
  assert.deepEqual(drawn.keys, keys.slice(0, MOST_MATCHES));
  assert.deepEqual(withKeys(makeSpec({ keysPattern: "^x" }), () => keys).keys, []);
});

test("an invalid or empty pattern matches nothing", () => {
  assert.equal(patternOf("("), null);
  assert.deepEqual(matching("(", ["("]), []);
  assert.deepEqual(matching("", ["loss"]), []);
  assert.deepEqual(matching("a.c", ["abc", "ac"]), ["abc"]);
});

test("a panel without pattern or expression is returned unchanged", () => {
  const plain = makeSpec();
  assert.equal(
    withKeys(plain, () => ["other"]),
    plain,
  );
});

test("patterns of system panels match system keys", () => {
  const keysOf = (kind: string) => (kind === "system" ? ["gpu.0"] : ["gpu_loss"]);
  const [section] = sectionsWithKeys(
    [{ name: "s", title: "s", rank: 0, panels: [makeSpec({ source: "system", keysPattern: "gpu" })] }],
    keysOf,
  );
  assert.deepEqual(section?.panels[0]?.keys, ["gpu.0"]);
});
