import assert from "node:assert/strict";
import { test } from "node:test";
import { makePatterns } from "../testing/patterns";
import { makeSpec } from "./fixtures";
import { MOST_MATCHES, matching, sectionsWithKeys, withKeys } from "./pattern";
import type { PanelSpec } from "./spec";

/** What a panel is once its pattern has been matched. */
async function settled(keysPattern: string, keys: readonly string[]): Promise<PanelSpec> {
  const { patterns, changed } = makePatterns();
  const waiting = withKeys(makeSpec({ keysPattern }), () => [...keys], patterns);
  assert.deepEqual([waiting.keys, waiting.problem], [[], "patternWaits"]);
  await changed();
  return withKeys(makeSpec({ keysPattern }), () => [...keys], patterns);
}

test("a pattern draws the keys that match it, up to a limit", async () => {
  const keys = Array.from({ length: 30 }, (_, at) => `layer${at}/norm`);
  const drawn = await settled("^layer", ["loss", ...keys]);
  assert.deepEqual([drawn.keys, drawn.problem], [keys.slice(0, MOST_MATCHES), undefined]);
  assert.deepEqual((await settled("^x", keys)).keys, []);
  assert.deepEqual((await settled("a.c", ["abc", "ac"])).keys, ["abc"]);
});

test("a pattern that takes too long says so in place of its lines", async () => {
  const drawn = await settled("^(a+)+$", ["aaa", `${"a".repeat(45)}!`]);
  assert.deepEqual([drawn.keys, drawn.problem], [[], "patternSlow"]);
});

test("keys that are logged later are matched as they come; what was drawn stays meanwhile", async () => {
  const { patterns, changed } = makePatterns();
  const spec = makeSpec({ keysPattern: "^l" });
  const keysOf = (...keys: string[]) => withKeys(spec, () => keys, patterns).keys;
  keysOf("loss");
  await changed();
  assert.deepEqual(keysOf("loss", "lr"), ["loss"]);
  await changed();
  assert.deepEqual(keysOf("loss", "lr"), ["loss", "lr"]);
});

test("an invalid or empty pattern matches nothing", () => {
  const { patterns } = makePatterns();
  assert.deepEqual(matching("(", ["("], patterns), { found: [], problem: "patternInvalid" });
  assert.deepEqual(matching("", ["loss"], patterns), { found: [], problem: "" });
});

test("a panel without pattern or expression is returned unchanged", () => {
  const plain = makeSpec();
  const drawn = withKeys(plain, () => ["other"], makePatterns().patterns);
  assert.equal(drawn, plain);
});

test("patterns of system panels match system keys", async () => {
  const { patterns, changed } = makePatterns();
  const keysOf = (kind: string) => (kind === "system" ? ["gpu.0"] : ["gpu_loss"]);
  const panels = [makeSpec({ source: "system", keysPattern: "gpu" })];
  const read = () => sectionsWithKeys([{ name: "s", title: "s", rank: 0, panels }], keysOf, patterns);
  read();
  await changed();
  assert.deepEqual(read()[0]?.panels[0]?.keys, ["gpu.0"]);
});
