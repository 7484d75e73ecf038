"""Regular expressions mean the same on both databases: each pass asks its own for the same table of answers."""

import pytest
import re2
from django.db import connection, transaction
from django.db.models import TextField, Value

from common.errors import Invalid
from runs.models import Run
from runs.query.regex import Matches
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db

TEXTS = [
    "", "a", "A", "ab", "aab", "abc def", "a\nb", "\n", "b\n", "a.b", "a+b", "[x]", "{1}", "x{2", "12",
    "1,5", "_", "-", "\\", "]", "^", "$", "|", "é", "É", "naïve", "日本", "٣", "a\tb", "\u00a0",
    "foo-bar_baz", "***", "Q", "E", "aaaa", "a b c", "lr=0.1", "/", "~", "`", "'", '"', "😀", "\x7f", "ß",
]  # fmt: skip
PATTERNS = [
    "", "a", "^a", "b$", "^$", "a|b", "a|", "(a)(b)", "(?:ab)+", "a{2}", "a{2,}", "a{1,3}?", "a*?b", "x{2",
    "{", "a{,2}", ".", "^.$", "a.b", "(?s)a.b", "(?s)^.$", "(?m)^b", "(?m)a$", "(?ms)^b.", "(?i)AB",
    "(?i)[A-B]c", "(?is)A.B", r"\d", r"\D", r"\w", r"^\w+$", r"\W", r"\s", r"^\S+$", r"[\d,]+", r"[^\w]",
    r"[^\s\d]", r"\bb", r"a\b", r"\Bb", r"\bï", r"\Aa", r"b\z", r"a\z", r"\Aa\z", r"\x61", r"\x61b",
    r"\x{61}", r"\x{1F600}", r"\x{e9}", r"\Qa.b\E", r"\Qa+\Eb", r"\Q[x]", r"(?P<n>a)b", "(?<n>a)b", r"\.",
    r"\+", r"\\", r"\[x\]", "[]]", "[^]]", "[]a]", r"[\]]", "[a-]", "[-a]", "[a^]", "[[]", "[[:alpha:]]",
    "^[[:digit:]]+$", "[[:punct:]]", "[[:space:]]", "[^[:alnum:]]", "[a-c]", "[^a-z]", r"[\x61-\x62]",
    r"\t", r"\n", "é", "[é]", "日", "[😀]", "^.{2}$", "ab??c?", "(a|b)*c", "(|a)b", "()", "\\-", "\\_", "[.]",
    "[*]", "[a.]", "~|`", "foo-bar", "^(a+)+$", r"[\-\^]", "[{}]", "'", "(?i)é",
]  # fmt: skip
REFUSED = [
    r"\pL", r"\PL", r"\p{Greek}", "a(?i)b", "(?i:a)", "(?U)a+", "(?-s)a", r"\C", r"\123", r"\0", r"[\D]",
    r"[\pL]", "[[:^alpha:]]", "[[:graph:]]", "^*", r"\b+", "a{256}", "a{2}{3}", r"\x00", "(a",
]  # fmt: skip


@pytest.fixture
def run():
    return RunFactory()


def found(run, pattern):
    row = {f"t{at}": Matches(Value(text, output_field=TextField()), pattern) for at, text in enumerate(TEXTS)}
    answers = Run.objects.filter(pk=run.pk).annotate(**row).values_list(*row).get()
    return {text for text, answer in zip(TEXTS, answers, strict=True) if answer}


def test_a_pattern_finds_what_re2_finds(run):
    """The review's M5."""
    wrong = {}
    for pattern in PATTERNS:
        wanted = {text for text in TEXTS if re2.search(pattern, text)}
        if (got := found(run, pattern)) != wanted:
            wrong[pattern] = got ^ wanted
    assert wrong == {}


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_they_do_not_have_in_common_is_refused(pattern):
    """The review's M5: on both, with one clear error."""
    with pytest.raises(Invalid):
        Matches(Value(""), pattern)


def test_what_postgresql_alone_refuses_is_wrong_input(run):
    """The review's M5, the last resort."""
    if connection.vendor != "postgresql":
        return
    with pytest.raises(Invalid, match="cannot be used for searching"), transaction.atomic():
        list(Run.objects.extra(where=["display_name ~ %s"], params=["("]))
