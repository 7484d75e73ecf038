"""The terms of docs/develop/languages.md: one thing has one word in each language (UI-9)."""

import re
from collections import defaultdict
from collections.abc import Iterator

import pytest
from babel.messages import Message

from common import catalogues
from config.env import ROOT

DOCS = ROOT / "docs/develop"
NOT_SAID = re.compile(r"%\(\w+\)[a-z]|\{\w*\}|<code.*?</code>|</?\w[^>]*>|`[^`]*`|\w+(?:[./]\w+)+")
"""Values, tags and code within a message."""
OTHER_SENSES = {
    "admin": ("Django admin", "in the admin under"),
    "chart": ("Bar chart",),
    "duration": ("a valid duration",),
    "filter": ("filter the table", "filter it"),
    "group": ("smaller groups",),
    "log": ("log in sso", "abs, log, log10"),
    "parameter": ("method and parameters", "parameters: "),
    "pin": ("PIN",),
    "public": ("public bodies",),
    "report": ("reports the average", "reports its machine", "agent reports", "not report"),
    "run": (
        "agents run", "job runs", "agent runs", "memory runs out", "on your machines run", "commands run", "run this",
        "to run", "what runs", "programs run", "then run",
    ),
    "runtime": ("Neuron runtime", "the runtime"),
    "step": ("step back", "step forward", "one more step"),
    "team": ("Microsoft Teams", "webhook teams discord"),
    "verified": ("checksum is verified",),
}  # fmt: skip
"""Phrases with a term that mean something else, and are translated freely."""

Words = dict[str, tuple[str, ...]]


def rows(name: str, heading: str) -> Iterator[list[str]]:
    """Yield the cells of the rows of a table in docs/develop."""
    section = (DOCS / name).read_text().split(heading, 1)[1]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    yield from ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:])


def terms() -> dict[str, Words]:
    """Return, per term, the words of each language; senses of one term are together."""
    known: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for english, *translations in rows("languages.md", "## Terms"):
        for language, cell in zip(catalogues.LANGUAGES, translations, strict=True):
            known[re.sub(r" \(.*\)", "", english)][language] += cell.split(" / ")
    return {term: {language: tuple(words) for language, words in of.items()} for term, of in known.items()}


TERMS = terms()


def pattern_of(term: str) -> re.Pattern[str]:
    """Return what finds a term as a word of its own, in the singular or the plural."""
    forms = f"{term}(?:s|es)?" if not term.endswith("y") else f"{term[:-1]}(?:y|ies)"
    return re.compile(rf"(?<![\w-]){forms}(?![\w-])", re.IGNORECASE)


def english_of(message: Message, term: str) -> str:
    """Return what a message says, without values and without phrases in which ``term`` is another word."""
    said = NOT_SAID.sub(" ", message.id if isinstance(message.id, str) else message.id[-1])
    for phrase in OTHER_SENSES.get(term, ()):
        said = re.sub(re.escape(phrase), " ", said, flags=re.IGNORECASE)
    return said


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_a_term_is_translated_as_the_table_says(language: str) -> None:
    """UI-9."""
    messages = [message for message in catalogues.read_catalogue(language) if message.id]
    wrong = []
    for term, words in TERMS.items():
        finds = pattern_of(term)
        for message in messages:
            string = " ".join(catalogues.strings_of(message)).lower()
            if finds.search(english_of(message, term)) and not any(
                word.lower() in string for word in words[language]
            ):
                wrong.append((term, message.id, string))
    assert wrong == []


def test_phrases_of_other_senses_are_still_said() -> None:
    """None is left behind when its message or its term goes."""
    assert set(OTHER_SENSES) <= set(TERMS)
    said = "\n".join(str(message.id) for message in catalogues.read_catalogue("ja")).lower()
    assert [
        phrase for phrases in OTHER_SENSES.values() for phrase in phrases if phrase.lower() not in said
    ] == []


def test_a_word_that_the_glossary_rejects_tells_its_sense_on_pages() -> None:
    """What code may not call one thing may name another on pages only with a note that says which."""
    rejected = {
        word.strip() for row in rows("glossary.md", "## What users work with") for word in row[-1].split(",")
    }
    assert [english for english, *_ in rows("languages.md", "## Terms") if english in rejected] == []
