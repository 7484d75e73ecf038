"""RUN-50: each mistake in a configuration is told with its path and line, and the form shows what it can."""

import pytest

from sweeps.editor.check import check
from sweeps.editor.form import FormView

GRID = "method: grid\nparameters:\n  lr:\n    values: [0.1, 0.01]\n  size: {min: 1, max: 3}\n"


def problems(text: str) -> list[tuple[str, int | None, str]]:
    """Return path, line and the first word of each error."""
    return [(one.path, one.line, one.message.split()[0]) for one in check(text).errors]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (GRID, []),
        (GRID.replace("min: 1", "min: 5"), [("parameters.size.max", 5, "must")]),
        (
            "method: grdi\nparameters:\n  a b:\n    min: 2\n    max: 1\n  c: {value: [.nan]}\n",
            [("parameters.c.value[0]", 6, "NaN")],
        ),
        (
            "method: grdi\nparameters:\n  a b:\n    min: 2\n    max: 1\n  c: {}\nrun_cap: 0\n",
            [("method", 1, "must"), ("parameters.a b.max", 5, "must"), ("parameters.c", 6, "needs"),
             ("run_cap", 7, "must")],
        ),
        (
            "method: bayes\nparameters: {a: {distribution: uniform, min: 0, max: 1}}\nmetric:\n  goal: minimize\n",
            [("metric.name", 3, "is")],
        ),
        ("name: x\n", [("method", None, "is"), ("parameters", None, "is")]),
        ("a: 1\nb: 2\na: 3\n", [("a", 3, "appears")]),
        ("a:\n  - [1\nb: 2\n", [("", 3, "The")]),
        ("a: 1\nb: \x07\n", [("", 2, "The")]),
        ("a: &x [1]\nb: [*x, *x]\n", [("b[0]", 2, "aliases")]),
        ("[" * 5_000, [("", None, "The")]),
        ("", [("", None, "The")]),
        ("- 1", [("", None, "The")]),
        ("x" * 256_001, [("", None, "The")]),
        (GRID.replace("max: 3", "max: 9223372036854775807"), [("parameters", 2, "a")]),
        (GRID + "controller: {type: local}\n", [("controller", 6, "the")]),
    ],
)  # fmt: skip
def test_errors_have_their_path_and_line(text: str, found: list[tuple[str, int | None, str]]):
    assert problems(text) == found


def test_at_most_twenty_errors_are_told():
    rows = "".join(f"  p{n}: {{}}\n" for n in range(30))
    assert len(check(f"method: random\nparameters:\n{rows}").errors) == 20


def test_warnings_have_their_line_too():
    found = check(GRID + "colour: red\n")
    assert [(one.path, one.line) for one in found.warnings] == [("colour", 6)]
    assert found.errors == []


@pytest.mark.parametrize(
    ("text", "points", "words"),
    [
        (GRID, 6, "6 runs: every combination once"),
        (GRID + "run_cap: 4\n", 6, "4 runs of 6 combinations"),
        (GRID.replace("grid", "random"), None, "unlimited runs, until you stop it or set a run cap"),
        (GRID.replace("grid", "random") + "run_cap: 1\n", None, "at most 1 run"),
        (
            GRID.replace("max: 3", "max: 500000000000"),
            10**12,
            "1,000,000,000,000 runs: every combination once",
        ),
    ],
)
def test_what_a_sweep_comes_to_is_counted_and_never_listed(text: str, points: int | None, words: str):
    found = check(text)
    assert (found.points, found.summary) == (points, words)


def form(text: str) -> FormView:
    """Return the form's view of a text that can be read."""
    view = check(text).form
    assert view is not None
    return view


def test_the_form_shows_fields_and_names_what_it_leaves_to_the_text():
    view = form(
        "name: mine\nmethod: grid\nmetric: {name: loss, goal: minimize, target: 0.1}\ndescription: long\n"
        "parameters:\n  lr: {values: [0.1, adam, 'a,b']}\n  model: {parameters: {depth: {value: 1}}}\n"
        "  x: {min: 1, max: 3}\n  y: {min: 0.5, max: 3.0}\n  z: {distribution: zeta}\nearly_terminate: {min_iter: 3}\n"
    )
    assert view.fields["name"] == "mine"
    assert view.fields["metric.name"] == "loss"
    assert view.fields["early_terminate.min_iter"] == "3"
    assert (view.is_early, view.retries) == (True, True)
    assert view.left == ["description", "metric.target"]
    assert [(one.name, one.kind) for one in view.parameters] == [
        ("lr", "categorical"), ("model", ""), ("x", "int_uniform"), ("y", "uniform"), ("z", "")
    ]  # fmt: skip
    assert view.parameters[0].fields == {"values": "0.1, adam, 'a,b'"}
    assert view.parameters[1].says.startswith("Nested parameters")


def test_the_form_shows_a_hundred_parameters_and_no_large_text():
    rows = "".join(f"  p{n}: {{value: 1}}\n" for n in range(101))
    view = form(f"method: random\nparameters:\n{rows}")
    assert len(view.parameters) == 100
    assert view.left == ["parameters.p100"]
    assert check(GRID + "#" * 64_000).form is None
    assert check("a: [").form is None


@pytest.mark.parametrize(("text", "has"), [(GRID, False), (GRID + "# x\n", True), ("name: a#b\n", False)])
def test_comments_are_noticed(text: str, has: bool):
    assert check(text).has_comments is has
