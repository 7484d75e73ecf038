"""YAML as far as JSON goes, and no bombs (RUN-50)."""

import json

import pytest
import yaml

from common.errors import Invalid
from sweeps.config.yaml_text import DEEPEST, MOST_BYTES, read_yaml


def message(text):
    with pytest.raises(Invalid) as raised:
        read_yaml(text)
    return raised.value.message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing\n", None),
        ("a:\n  - 1\n  - 1.5\n  - x\n", {"a": [1, 1.5, "x"]}),
        ("a: {b: [], c: {}}", {"a": {"b": [], "c": {}}}),
        ("a: [true, No, null, ~, '']", {"a": [True, False, None, None, ""]}),
        ("a: 2024-01-31", {"a": "2024-01-31"}),
        ("a: 2024-01-31 10:00:00", {"a": "2024-01-31 10:00:00"}),
        ("a: [008, '008', 010, 0x1f, 1_000]", {"a": ["008", "008", 8, 31, 1000]}),
        ("a: [1e-3, 1.0e-3, .5]", {"a": ["1e-3", 0.001, 0.5]}),
        ("on: 1\n2: 3\nnull: 4", {"on": 1, "2": 3, "null": 4}),
        ("a: &named 1", {"a": 1}),
        ("{a: 1e-3, b: '1e-3'}", {"a": 0.001, "b": "1e-3"}),
        ("a: 18446744073709551615", {"a": 2**64 - 1}),
        ("a: ü€😀", {"a": "ü€😀"}),
        ("a: |\n  one\n  two\n", {"a": "one\ntwo\n"}),
    ],
)
def test_a_document_reads_as_json_would_have_it(text, value):
    """RUN-50."""
    assert repr(read_yaml(text)) == repr(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &x [1]\nb: *x", "b: aliases (*name) are not supported; write the value out."),
        ("a:\n  b: !!python/tuple [1]", "a.b: tags (tag:yaml.org,2002:python/tuple) are not supported."),
        ("a: !own 1", "a: tags (!own) are not supported."),
        ("a: 1\nb: 2\na: 3", "a: appears twice."),
        ("a: {b: [0, {c: 1, c: 1}]}", "a.b[1].c: appears twice."),
        ("a: {? [b] : 1}", "a: a key must be text, not a list or mapping."),
        ("a: [1, .nan]", "a[1]: NaN and infinity are not supported."),
        ("a: {b: -.inf}", "a.b: NaN and infinity are not supported."),
        ("a: 1.0e+999", "a: NaN and infinity are not supported."),
        ('{"a": 1e999}', "a: NaN and infinity are not supported."),
        ("a: 18446744073709551616", "a: whole numbers must be between -2^63 and 2^64 - 1."),
        ("a: " + "9" * 101, "a: the number has more than 100 digits."),
        ('a: "\\0"', "a: text must not contain the character U+0000."),
        ('"\\0": 1', "text must not contain the character U+0000."),
        ("a: 1\n---\nb: 1", "The configuration has more than one YAML document."),
        ("a: [1\nb: 2", "The configuration is not valid YAML: line 2: did not find expected ',' or ']'."),
        ("a: \x01", "The configuration is not valid YAML: it contains characters that YAML does not allow."),
        ("a: \ud800", "The configuration is not valid text: it contains an incomplete character."),
    ],
)
def test_what_json_has_not_is_refused_with_its_path(text, said):
    """RUN-50."""
    assert message(text) == said


def test_depth_is_bounded_before_anything_recurses():
    """RUN-50."""
    read_yaml("[" * DEEPEST + "]" * DEEPEST)
    assert message("[" * 100_000) == "The configuration is nested deeper than 32 levels."


def test_size_is_bounded_in_bytes():
    """RUN-50."""
    read_yaml("#" * MOST_BYTES)
    assert message("#" * (MOST_BYTES + 1)) == "The configuration is larger than 256 kB."
    assert message("ü" * (MOST_BYTES // 2 + 1)) == "The configuration is larger than 256 kB."


@pytest.mark.parametrize("write", [yaml.dump, json.dumps])
def test_what_python_wrote_reads_as_it_was(write):
    """Dates and numbers in quotes are text, small numbers are numbers (RUN-50)."""
    config = {
        "method": "random",
        "description": "two\nlines: # no comment",
        "parameters": {
            "yes": {"values": ["2024-01-31", "1:30", "010", "null", "true", "1.5", "", "ü"]},
            "lr": {"min": 1e-05, "max": 2.5e16},
            "deep": {"values": [{"a": [None, True, {}], "b": []}, [[1, 2], [3.0]]]},
        },
    }
    assert read_yaml(write(config)) == config
