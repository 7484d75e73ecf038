import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSpec } from "./fixtures";
import { offeredOf } from "./offered";
import { copiedText, readCopied } from "./paste";
import { MOST_MATCHES, matching, patternOf, sectionsWithKeys, withKeys } from "./pattern";
import { runCount } from "./run-count";
import { matcherOf } from "./search";

const spec = makeSpec({
  title: "Validation loss",
  keys: ["val/loss", "val/top1"],
  section: "val",
  text: "of the model",
});

for (const [search, expected] of [
  ["", true],
  ["   ", true],
  ["LOSS", true],
  ["loss valid", true],
  ["loss train", false],
  ["^val/", true],
  ["top\\d$", true],
  ["^loss$", false],
  ["val/valid", true],
  ["(", false],
  ["[a", false],
  ["model", false],
  ["loss|nothing", true],
] as const) {
  test(`"${search}" ${expected ? "finds" : "does not find"} a panel`, () => {
    assert.equal(matcherOf(search)(spec), expected);
  });
}

test("media and histograms are found by their kind too", () => {
  const about = { title: "x", keys: ["x"], text: "Image · x" };
  for (const kind of ["media", "histogram"] as const)
    assert.ok(matcherOf("image")(makeSpec({ ...about, kind })));
  assert.ok(!matcherOf("image")(makeSpec({ ...about, kind: "table" })));
});

test("half an expression still finds text", () => {
  assert.ok(matcherOf("f(x")(makeSpec({ title: "f(x)" })));
});

test("a pattern draws the keys that match it now, the first of many", () => {
  const keys = Array.from({ length: 30 }, (_, at) => `layer${at}/norm`);
  const drawn = withKeys(makeSpec({ keysPattern: "^layer" }), () => ["loss", ...keys]);
  assert.deepEqual(drawn.keys, keys.slice(0, MOST_MATCHES));
  assert.deepEqual(withKeys(makeSpec({ keysPattern: "^x" }), () => keys).keys, []);
});

test("a pattern that is half typed, or empty, matches nothing", () => {
  assert.equal(patternOf("("), null);
  assert.deepEqual(matching("(", ["("]), []);
  assert.deepEqual(matching("", ["loss"]), []);
  assert.deepEqual(matching("a.c", ["abc", "ac"]), ["abc"]);
});

test("a panel without pattern or expression stays the same object", () => {
  const plain = makeSpec();
  assert.equal(
    withKeys(plain, () => ["other"]),
    plain,
  );
});

test("the keys of system metrics are matched for panels of them", () => {
  const keysOf = (kind: string) => (kind === "system" ? ["gpu.0"] : ["gpu_loss"]);
  const [section] = sectionsWithKeys(
    [{ name: "s", title: "s", rank: 0, panels: [makeSpec({ source: "system", keysPattern: "gpu" })] }],
    keysOf,
  );
  assert.deepEqual(section?.panels[0]?.keys, ["gpu.0"]);
});

const target = { name: "val", title: "val", rank: 4, panels: [] };

test("a copied panel is pasted as a new one into another section", () => {
  const copied = copiedText(makeSpec({ order: 3, group: "GPU", logY: true, height: 400 }));
  const pasted = readCopied(copied, target);
  assert.notEqual(pasted?.id, "loss");
  const { id: _id, ...rest } = pasted ?? {};
  assert.deepEqual(rest, {
    ...{ kind: "line", source: "history", title: "loss", keys: ["loss"], logY: true, height: 400 },
    ...{ section: "val", rank: 4 },
  });
});

test("what was copied says nothing of where it was", () => {
  const text = copiedText(makeSpec({ section: "secret" }));
  assert.ok(!text.includes("secret"));
});

test("two pastes of one panel have ids of their own", () => {
  const text = copiedText(makeSpec());
  assert.notEqual(readCopied(text, target)?.id, readCopied(text, target)?.id);
});

for (const text of [
  "",
  "loss",
  "{}",
  "runyardPanel",
  '{"runyardPanel"',
  '{"runyardPanel": null}',
  '{"runyardPanel": {"kind": "line"}}',
  '{"runyardPanel": {"kind": 1, "title": "x"}}',
  '["runyardPanel"]',
  `{"runyardPanel": {"kind": "line", "title": "${"x".repeat(70_000)}"}}`,
]) {
  test(`${text.slice(0, 40) || "an empty text"} is no copied panel`, () => {
    assert.equal(readCopied(text, target), null);
  });
}

test("a pasted panel has keys and a source that panels can have", () => {
  const text = '{"runyardPanel": {"kind": "line", "title": "x", "keys": [1, "a"], "source": "evil"}}';
  const pasted = readCopied(text, undefined);
  assert.deepEqual([pasted?.keys, pasted?.source, pasted?.rank], [["1", "a"], "history", 0]);
  const broken = readCopied('{"runyardPanel": {"kind": "line", "title": "x", "keys": "abc"}}', undefined);
  assert.deepEqual(broken?.keys, []);
});

test("panels are offered columns of config and summary, then fields that can be drawn", () => {
  const column = (
    part: "field" | "config" | "summary",
    label: string,
    type: "number" | "text" | "time" | "boolean",
  ) => ({
    ...{ name: part === "field" ? label : `${part} ${label}`, label, part, type },
  });
  const found = offeredOf([
    column("field", "created", "time"),
    column("field", "name", "text"),
    column("field", "id", "text"),
    column("config", "lr", "number"),
    column("config", "_wandb", "number"),
    column("config", "opt", "text"),
    column("summary", "loss", "number"),
    column("summary", "done", "boolean"),
  ]);
  assert.deepEqual(found, {
    columns: ["config.lr", "config.opt", "summary.loss", "summary.done", "created"],
    numeric: ["config.lr", "summary.loss", "summary.done", "created"],
    metrics: ["summary.loss"],
  });
  assert.deepEqual(offeredOf([]), { columns: [], numeric: [], metrics: [] });
});

for (const [n, all, expected] of [
  [1, 1, "oneRun"],
  [0, 0, "runsIn"],
  [3, 3, "runsIn"],
  [1, 3, "runsOf"],
  [0, 3, "runsOf"],
] as const) {
  test(`${n} of ${all} runs are said as ${expected}`, () => {
    assert.equal(runCount(n, all), expected);
  });
}
