import assert from "node:assert/strict";
import { test } from "node:test";
import { latex, markdown } from "./table-text";

test("Markdown has a rule below the head, which sets numbers to the right", () => {
  const table = [
    ["run", "loss"],
    ["baseline", "0.25"],
    ["other", ""],
  ];
  assert.equal(markdown(table), "| run | loss |\n| --- | ---: |\n| baseline | 0.25 |\n| other |  |\n");
});

for (const [texts, isNumber] of [
  [["1", "-2.5", "1e-5"], true],
  [["1,234", "97.5%", "−3"], true],
  [["1 234", "1\u202f234"], true],
  [["", "7"], true],
  [["", ""], false],
  [["1", "two"], false],
  [["2026-01-02"], false],
  [["1.2.3.4"], true],
  [["e5"], false],
  [["NaN"], false],
] as const) {
  test(`a column of ${JSON.stringify(texts)} is ${isNumber ? "" : "not "}one of numbers`, () => {
    const lines = markdown([["head"], ...texts.map((text) => [text])]).split("\n");
    assert.equal(lines[1], isNumber ? "| ---: |" : "| --- |");
  });
}

for (const [text, cell] of [
  ["a|b", "a\\|b"],
  ["*bold* `code` ~x~ [a](b) <i> &amp; \\", "\\*bold\\* \\`code\\` \\~x\\~ \\[a\\](b) \\<i\\> \\&amp; \\\\"],
  ["learning_rate", "learning_rate"],
  ["_private_", "\\_private\\_"],
  ["größe_ß", "größe_ß"],
  ["", ""],
] as const) {
  test(`Markdown escapes what could mean something: ${text}`, () => {
    assert.equal(markdown([["h"], [text]]).split("\n")[2], `| ${cell} |`);
  });
}

test("LaTeX is a tabular with the rules of booktabs", () => {
  const table = [
    ["run", "loss"],
    ["a", "1"],
  ];
  assert.equal(
    latex(table),
    "% \\usepackage{booktabs}\n\\begin{tabular}{lr}\n\\toprule\nrun & loss \\\\\n\\midrule\na & 1 \\\\\n" +
      "\\bottomrule\n\\end{tabular}\n",
  );
});

for (const [text, cell] of [
  ["50% of $5 & #1_a {b}", "50\\% of \\$5 \\& \\#1\\_a \\{b\\}"],
  ["C:\\x~y^z", "C:\\textbackslash{}x\\textasciitilde{}y\\textasciicircum{}z"],
  ["<a>|b", "\\textless{}a\\textgreater{}\\textbar{}b"],
  ["[1] *", "{[}1] {*}"],
  ["−3 × 2 … –", "$-$3 $\\times$ 2 \\dots{} --"],
] as const) {
  test(`LaTeX escapes what could mean something: ${text}`, () => {
    assert.equal(latex([["h"], [text]]).split("\n")[5], `${cell} \\\\`);
  });
}

test("a table without rows is its head", () => {
  assert.equal(markdown([["a", "b"]]), "| a | b |\n| --- | --- |\n");
  assert.match(latex([["a", "b"]]), /\\begin\{tabular\}\{ll\}/);
});
