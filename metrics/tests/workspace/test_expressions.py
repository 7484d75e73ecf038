"""Formulas over logged keys, as panels of lines compute them (RUN-26)."""

import math

import pytest

from metrics.tests.typescript import run_typescript

_COMPUTE = """
import { parseExpression } from "./assets/ts/panels/expression.ts";
const values = { loss: 4, "val/loss": 2 };
const computed = (text) => {
  try {
    const { keys, at } = parseExpression(text);
    return [at((key) => values[key] ?? NaN), keys];
  } catch (error) {
    return [error.word, error.text];
  }
};
console.log(JSON.stringify(JSON.parse(process.argv[1]).map(computed)));
"""


def test_precedence_functions_and_keys_are_computed() -> None:
    """A power binds closer than a sign and groups to the right; keys with slashes stand in braces."""
    given: dict[str, tuple[float | None, list[str]]] = {
        "${loss} / 2": (2, ["loss"]),
        "log(${val/loss})": (math.log(2), ["val/loss"]),
        "${loss} - ${val/loss} * ${ loss }": (-4, ["loss", "val/loss"]),
        "-2^2": (-4, []),
        "2^-1": (0.5, []),
        "2^3^2": (512, []),
        "8 - 3 - 2": (3, []),
        "8 / 4 / 2": (1, []),
        "(1 + .5) * 2e1": (30, []),
        "max(1, ${loss}, 3) + min(2) + pow(2, 3)": (14, ["loss"]),
        "abs(-1) + sqrt(4) + exp(0) + log2(8) + log10(100) + sin(0) + cos(0)": (10, []),
        "--1": (1, []),
        "${missing} + 1": (None, ["missing"]),
    }
    found = run_typescript(_COMPUTE, list(given))
    assert found == [[pytest.approx(value), keys] for value, keys in given.values()]


def test_what_is_no_formula_says_why() -> None:
    """Nothing is run: names of the page's own are unknown functions."""
    given = {
        "": ["expressionEnds", ""],
        "1 +": ["expressionEnds", ""],
        "1 2": ["expressionUnexpected", "2"],
        "(1": ["expressionMissing", ")"],
        "1)": ["expressionUnexpected", ")"],
        "${loss": ["expressionUnexpected", "${loss"],
        "${}": ["expressionUnexpected", "{}"],
        "loss": ["expressionUnknown", "loss"],
        "alert(1)": ["expressionUnknown", "alert"],
        "constructor(1)": ["expressionUnknown", "constructor"],
        "pow(1)": ["expressionCount", "pow(x, y)"],
        "sin(1, 2)": ["expressionCount", "sin(x)"],
        "(" * 100: ["expressionUnexpected", "("],
    }
    assert run_typescript(_COMPUTE, list(given)) == list(given.values())
