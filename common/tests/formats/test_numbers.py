"""Whole numbers that people and programs write."""

from pathlib import Path

import pytest

from common.formats.numbers import MOST, parse_int

ROOT = Path(__file__).parents[3]
APPS = (
    "access", "accounts", "alerts", "billing", "common", "exports", "ingest", "metrics", "runs", "storage", "teams",
    "usage", "wandb_api",
)  # fmt: skip
READ_OTHERWISE = {"common/formats/numbers.py", "runs/secrets/masking.py", "runs/query/tokens.py"}
"""The reader itself; what looks at single characters; and literals, whose form a grammar has checked."""


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("007", 7), (str(MOST), MOST), (str(MOST + 1), None), ("9" * 24, None), ("9" * 5000, None),
     ("²", None), ("\u0661", None), ("-1", None), ("+1", None), (" 1", None), ("1.0", None), ("1_0", None), ("", None)],
)  # fmt: skip
def test_only_ascii_digits_that_a_column_holds_are_a_whole_number(text, number):
    """The review's L4."""
    assert parse_int(text) == number


def test_nothing_else_decides_what_a_number_is():
    """The review's L4: `str.isdigit` takes "²", and a check beside the reader forgets how far columns count."""
    found = {
        str(path.relative_to(ROOT))
        for app in APPS
        for path in (ROOT / app).rglob("*.py")
        if "tests" not in path.parts
        and any(f".{name}" in path.read_text() for name in ("isdigit", "isdecimal", "isnumeric"))
    }
    assert found == READ_OTHERWISE
