"""RUN-50: what the form changes of a configuration's text, and that all else stays as it was written."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import Invalid
from sweeps.config.yaml_text import read_yaml
from sweeps.editor.changes import put, remove, rename

TEXT = """\
# what we try
method: grid  # every one

parameters:
  # the rate
  lr:
    values:
      - 0.1  # high
      - 0.01
  optimizer: {values: [adam, sgd]}
  "batch size": {min: 1, max: 8}
  größe😀:
    value: 1
# end
"""


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        (("method",), "random", "method: grid  #", "method: random  #"),
        (("metric", "name"), "loss", "one\n\n", "one\nmetric:\n  name: loss\n\n"),
        (("name",), "a: b", "method:", "name: 'a: b'\nmethod:"),
        (("run_cap",), 5, "    value: 1\n", "    value: 1\nrun_cap: 5\n"),
        (("parameters", "lr", "values"), [0.1, 0.05, 0.01], "# high\n", "# high\n      - 0.05\n"),
        (("parameters", "lr", "values"), [0.1], "      - 0.01\n", ""),
        (("parameters", "lr", "values"), [1, 0.1, 0.01], "      - 0.1 ", "      - 1\n      - 0.1 "),
        (("parameters", "optimizer", "values"), ["adam", 1.5, None], "[adam, sgd]", "[adam, 1.5, null]"),
        (("parameters", "batch size", "max"), 9, "max: 8", "max: 9"),
        (("parameters", "batch size", "q"), 2, "max: 8}", "max: 8, q: 2}"),
        (("parameters", "größe😀", "value"), "ß", "value: 1\n", "value: ß\n"),
        (
            ("parameters", "lr"),
            {"distribution": "uniform", "min": 0.0, "max": 1.0},
            "    values:\n      - 0.1  # high\n      - 0.01\n",
            "    distribution: uniform\n    min: 0.0\n    max: 1.0\n",
        ),
        (("parameters", "new"), {"value": 2}, "value: 1\n", "value: 1\n  new:\n    value: 2\n"),
    ],
)
def test_setting_a_value_changes_its_lines_only(path: tuple[str, ...], value: Any, old: str, new: str):
    assert old in TEXT
    assert put(TEXT, path, value) == TEXT.replace(old, new, 1)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (("method",), "method: grid  # every one\n", ""),
        (("parameters", "lr"), TEXT[TEXT.index("  lr:") : TEXT.index("  optimizer")], ""),
        (("parameters", "batch size", "min"), "{min: 1, max: 8}", "{max: 8}"),
        (("parameters", "batch size", "max"), "{min: 1, max: 8}", "{min: 1}"),
        (("parameters", "nothing"), "grid", "grid"),
    ],
)
def test_removing_a_key_takes_its_lines_only(path: tuple[str, ...], old: str, new: str):
    assert remove(TEXT, path) == TEXT.replace(old, new, 1)


def test_a_parameter_gets_another_name_in_place():
    assert rename(TEXT, ("parameters", "lr"), "rate: 1") == TEXT.replace("  lr:", "  'rate: 1':")
    assert rename(TEXT, ("parameters", "lr"), "") == TEXT
    with pytest.raises(Invalid, match="already exists"):
        rename(TEXT, ("parameters", "lr"), "optimizer")


@pytest.mark.parametrize(
    ("text", "path", "value", "expected"),
    [
        ("", ("method",), "grid", "method: grid\n"),
        ("# only\n", ("metric", "name"), "loss", "# only\nmetric:\n  name: loss\n"),
        ("metric:\nmethod: grid", ("metric", "name"), "loss", "metric:\n  name: loss\nmethod: grid"),
        ("name: |\n  a\n  b\n\n# c\nx: 1", ("name",), "d", "name: d\n\n# c\nx: 1"),
        ('{"method": "grid"}', ("name",), "a", '{"method": "grid", name: a}'),
        ("{}", ("name",), "a", "{name: a}"),
    ],
)
def test_texts_of_other_shapes_are_changed_too(text: str, path: tuple[str, ...], value: Any, expected: str):
    assert put(text, path, value) == expected


@pytest.mark.parametrize(
    ("text", "path"),
    [("- 1", ("name",)), ("metric: loss", ("metric", "name")), ("a: [", ("a",)), ("name: a", ("name", "b"))],
)
def test_what_only_a_person_can_change_is_refused(text: str, path: tuple[str, ...]):
    with pytest.raises(Invalid):
        put(text, path, 1)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.text(max_size=4)
    | st.sampled_from(["1e-3", "a: b", "- #"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(st.sampled_from(["name", "method", "parameters", "metric"]), _VALUES)
def test_whatever_is_set_is_read_again_or_refused(key: str, value: Any):
    before = read_yaml(TEXT)
    try:
        text = put(TEXT, (key,), value)
    except Invalid:
        return
    assert read_yaml(text) == {**before, key: value}
    assert text.startswith("# what we try\n")
    assert text.endswith("# end\n")
