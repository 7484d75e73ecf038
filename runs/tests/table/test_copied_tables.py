"""Tables of runs as they are copied into papers and notes (RUN-21, RUN-29), written by the browser's own code."""

import pytest

from metrics.tests.typescript import run_typescript

SCRIPT = """
import { latex, markdown } from "./assets/ts/lib/table-text.ts";
const given = JSON.parse(process.argv[1]);
console.log(JSON.stringify({ latex: latex(given), markdown: markdown(given) }));
"""
TABLE = [["Name", "val_loss"], ["first", "1,204.5"], ["second", "-3e-05"], ["third", ""]]


def written(table):
    return run_typescript(SCRIPT, table)


def test_latex_is_a_tabular_with_numbers_to_the_right():
    assert written(TABLE)["latex"].splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"Name & val\_loss \\",
        r"\midrule",
        r"first & 1,204.5 \\",
        r"second & -3e-05 \\",
        r"third &  \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_markdown_is_a_table_with_numbers_to_the_right():
    assert written(TABLE)["markdown"].splitlines() == [
        "| Name | val_loss |",
        "| --- | ---: |",
        "| first | 1,204.5 |",
        "| second | -3e-05 |",
        "| third |  |",
    ]


@pytest.mark.parametrize(
    ("text", "latex", "markdown"),
    [
        ("50% & $5 #1", r"50\% \& \$5 \#1", r"50% \& $5 #1"),
        (r"{a}\b", r"\{a\}\textbackslash{}b", r"{a}\\b"),
        ("a|b", r"a\textbar{}b", r"a\|b"),
        ("[1, 2]", "{[}1, 2]", r"\[1, 2\]"),
        ("*bold*", "{*}bold{*}", r"\*bold\*"),
        ("_step_", r"\_step\_", r"\_step\_"),
        ("x^2 ~ <y>", r"x\textasciicircum{}2 \textasciitilde{} \textless{}y\textgreater{}", r"x^2 \~ \<y\>"),
        ("−1 … `x`", r"$-$1 \dots{} `x`", r"−1 … \`x\`"),
    ],
)
def test_no_sign_of_a_text_means_anything(text, latex, markdown):
    found = written([["Name"], [text]])
    assert found["latex"].splitlines()[5] == rf"{latex} \\"
    assert found["markdown"].splitlines()[2] == f"| {markdown} |"


def test_a_column_with_a_text_is_set_to_the_left():
    assert r"\begin{tabular}{l}" in written([["lr"], ["0.1"], ["auto"]])["latex"]
