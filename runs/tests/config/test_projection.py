"""Config and summary as one flat form that both databases can filter and sort (decisions/database.md)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.formats.lenient_json import read_lenient
from runs.config.flatten import flat_config, flat_summary, flatten
from runs.logs.console_lines import read_line


def test_config_is_unwrapped_and_flattened_without_the_sdks_part():
    text = '{"lr": {"value": 0.1}, "net": {"value": {"depth": 3, "act": "relu"}}, "_wandb": {"value": {"t": {}}}}'
    assert flat_config(text) == {"lr": 0.1, "net.depth": 3, "net.act": "relu"}


def test_non_finite_numbers_are_tagged():
    assert flat_summary('{"a": NaN, "b": Infinity, "c": -Infinity, "d": 1e400}') == {
        "a": ["NaN"],
        "b": ["Infinity"],
        "c": ["-Infinity"],
        "d": ["Infinity"],
    }


def test_null_is_missing_and_lists_are_text():
    assert flat_summary('{"a": null, "b": [1, 2], "c": true, "d": {}}') == {
        "b": "[1, 2]",
        "c": True,
        "d": "{}",
    }


trees = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), trees, max_size=5))
def test_every_projection_is_strict_json_without_nul(tree):
    text = json.dumps(flatten(tree), allow_nan=False)
    for key, value in json.loads(text).items():
        assert "\x00" not in f"{key}{value}"
        f"{key}{value}".encode()  # no lone surrogates


@pytest.mark.parametrize(
    "text", ['{"a": NaN}', '{"a": 1e999}', '{"a": "\\ud800"}', '{"a": 123456789012345678901234}']
)
def test_what_sdks_write_is_read(text):
    assert isinstance(read_lenient(text), dict)


@pytest.mark.parametrize(
    ("raw", "at", "level", "text"),
    [
        ("2026-11-21T07:20:26.038634 step 0", "2026-11-21T07:20:26.038634", None, "step 0"),
        ("ERROR 2026-11-21T07:20:26.038634 oh no", "2026-11-21T07:20:26.038634", "error", "oh no"),
        ("2026-11-21T07:20:26.038634 ", "2026-11-21T07:20:26.038634", None, ""),
        ("plain text", None, None, "plain text"),
        # up to 0.22 lines may come with their end
        ("2026-11-21T07:20:26.038634 step 0\n", "2026-11-21T07:20:26.038634", None, "step 0"),
        ("ERROR 2026-11-21T07:20:26.038634 one\ntwo\n", "2026-11-21T07:20:26.038634", "error", "one\ntwo"),
        ("plain text\r\n", None, None, "plain text"),
    ],
)
def test_console_lines_are_taken_apart(raw, at, level, text):
    line = read_line(raw)
    assert (line.at, line.level, line.text) == (at, level, text)
