import assert from "node:assert/strict";
import { test } from "node:test";
import { codePieces } from "./highlight";

function coloured(text: string, language: string): [string, string][] {
  return codePieces(text, language)
    .filter(({ kind }) => kind)
    .map(({ kind, text: piece }) => [kind, piece]);
}

const SOURCES: Record<string, string> = {
  python:
    '@cached\ndef f(x):  # "no string"\n    """two\n    lines"""\n    return x + 1_000 + 1e-5 if None else \'#\'\n',
  json: '{"loss": [0.5, NaN, "a: \\"b\\""], "ok": true}',
  yaml: "method: bayes # comment\nparameters:\n  - lr: 0.1\n    name: 'a: b'\nempty: null\n",
  toml: '[tool.ruff]\nline-length = 110 # wide\nname = "x"\n; ini\n',
  shell: 'if [ "$HOME" ]; then echo $x 42; fi # done\n',
  script: "const a = `b c`; // d\n/* e\nf */ #include\n  #define X 1\n",
  diff: "@@ -1,2 +1,2 @@\n-old 1\n+new 2\n same\n",
};

for (const [language, text] of Object.entries(SOURCES)) {
  test(`the pieces of a text in ${language} are the whole text`, () => {
    const pieces = codePieces(text, language);
    assert.equal(pieces.map((piece) => piece.text).join(""), text);
    assert.ok(pieces.some(({ kind }) => kind));
  });
}

test("Python: comments, strings of several lines, words and numbers", () => {
  assert.deepEqual(coloured(SOURCES.python ?? "", "python"), [
    ["word", "@cached"],
    ["word", "def"],
    ["comment", '# "no string"'],
    ["string", '"""two\n    lines"""'],
    ["word", "return"],
    ["number", "1_000"],
    ["number", "1e-5"],
    ["word", "if"],
    ["word", "None"],
    ["word", "else"],
    ["string", "'#'"],
  ]);
});

test("JSON: keys are other strings than values", () => {
  assert.deepEqual(coloured(SOURCES.json ?? "", "json"), [
    ["key", '"loss"'],
    ["number", "0.5"],
    ["word", "NaN"],
    ["string", '"a: \\"b\\""'],
    ["key", '"ok"'],
    ["word", "true"],
  ]);
});

test("YAML: keys of lists and maps, comments and strings", () => {
  const kinds = coloured(SOURCES.yaml ?? "", "yaml").map(([kind, text]) => [kind, text.trim()]);
  assert.deepEqual(kinds, [
    ["key", "method"],
    ["comment", "# comment"],
    ["key", "parameters"],
    ["key", "- lr"],
    ["number", "0.1"],
    ["key", "name"],
    ["string", "'a: b'"],
    ["key", "empty"],
    ["word", "null"],
  ]);
});

test("a diff: added and removed lines, and where they are", () => {
  assert.deepEqual(coloured(SOURCES.diff ?? "", "diff"), [
    ["comment", "@@ -1,2 +1,2 @@"],
    ["word", "-old 1"],
    ["string", "+new 2"],
  ]);
});

test("a string that is not closed ends with its line", () => {
  assert.deepEqual(coloured("a = 'open\nb = 2", "python"), [["number", "2"]]);
});

for (const [what, language, text] of [
  ["quotes behind backslashes", "python", `"${'\\"'.repeat(99_999)}`],
  ["quotes behind backslashes", "json", `"${'\\"'.repeat(99_999)}`],
  ["backquotes behind backslashes", "script", `\`${"\\`".repeat(99_999)}`],
  ["comments that do not end", "script", "/* ".repeat(66_000)],
  ["empty lines", "yaml", "\n".repeat(200_000)],
  ["empty lines", "toml", "\n".repeat(200_000)],
  ["empty lines", "script", "\n".repeat(200_000)],
  ["blanks", "yaml", " ".repeat(200_000)],
  ["dashes", "yaml", "- ".repeat(100_000)],
] as const) {
  test(`a long text of ${what} in ${language} takes no minutes`, () => {
    const pieces = codePieces(text, language).map((piece) => piece.text);
    assert.ok(pieces.join("") === text);
  });
}

test("an unknown language, and a very long text, stay plain", () => {
  assert.deepEqual(codePieces("if 1", "cobol"), [{ kind: "", text: "if 1" }]);
  assert.equal(codePieces("1 ".repeat(100_001), "python").length, 1);
  assert.deepEqual(codePieces("if 1", "constructor"), [{ kind: "", text: "if 1" }]);
});
