"""The words of a filter expression, each with its place."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from django.utils.translation import gettext as _

from common.errors import Invalid
from runs.query.column_names import unquoted

MAX_TEXT = 20_000


class ExpressionError(Invalid):
    """An expression that cannot be read.

    ``position`` counts characters from 0; ``expected`` is "column", "operator", "value", "connective" or "".
    """

    def __init__(self, message: str, *, position: int, expected: str = "") -> None:
        super().__init__(message)
        self.position = position
        self.expected = expected
        self.detail = {"position": position, "expected": expected}


class TokenKind(Enum):
    """What a word is."""

    COLUMN = "column"
    STRING = "string"
    TIME = "time"
    SPAN = "span"
    NUMBER = "number"
    WORD = "word"
    OPERATOR = "operator"
    MARK = "mark"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """One word, from ``start`` up to ``end``; ``text`` as it was written."""

    kind: TokenKind
    text: str
    start: int
    end: int

    @property
    def keyword(self) -> str:
        """A word in small letters, a mark or operator as it is; else nothing."""
        return self.text.lower() if self.kind in {TokenKind.WORD, TokenKind.MARK, TokenKind.OPERATOR} else ""

    @property
    def described(self) -> str:
        """How errors call it."""
        if self.kind is TokenKind.END:
            return _("the end")
        return f"'{self.text[:40]}…'" if len(self.text) > 40 else f"'{self.text}'"


_TOKEN = re.compile(
    r"""
    \s+
    | (?P<column> (?:config|summary) \. ` (?:[^`\\]|\\.)* ` )
    | (?P<string> " (?:[^"\\]|\\.)* " | ' (?:[^'\\]|\\.)* ' )
    | (?P<time> [0-9]{4}-[0-9]{2}-[0-9]{2} (?: T [0-9:.]+ (?: Z | [+-][0-9]{2}:?[0-9]{2} )? )? (?![\w.]) )
    | (?P<span> [+-]? [0-9]+ (?:\.[0-9]+)? [smhdw] (?![\w.]) )
    | (?P<number> [+-]? (?: [0-9]+ (?:\.[0-9]*)? | \.[0-9]+ ) (?: e [+-]? [0-9]+ )? (?![\w.]) )
    | (?P<infinity> [+-] infinity (?![\w.]) )
    | (?P<word> [^\W\d] [\w./-]* )
    | (?P<operator> == | != | <> | <= | >= | [=<>≠≤≥] )
    | (?P<mark> [()\[\],] )
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


def tokens_of(text: str) -> Iterator[Token]:
    """Yield the words, and at last an empty one of kind END.

    Raises:
        ExpressionError: a character that begins no word, quotes that are not closed, or too long a text.
    """
    if len(text) > MAX_TEXT:
        raise ExpressionError(
            _("A filter can have at most %(most)s characters.") % {"most": MAX_TEXT}, position=MAX_TEXT
        )
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _no_word(text, at)
        at = found.end()
        if found.lastgroup:
            is_infinity = found.lastgroup == "infinity"
            kind = TokenKind.NUMBER if is_infinity else TokenKind(found.lastgroup)
            yield Token(kind, found[0], found.start(), at)
    yield Token(TokenKind.END, "", at, at)


def _no_word(text: str, at: int) -> ExpressionError:
    if text[at] in "\"'`":
        return ExpressionError(
            _("The quote at character %(place)s is not closed.") % {"place": at + 1}, position=at
        )
    return ExpressionError(
        _("Unexpected “%(text)s” at character %(place)s.") % {"text": text[at], "place": at + 1},
        position=at,
    )


def literal_of(token: Token) -> Any:
    """Return the value that a string, time, span or number stands for.

    Raises:
        ExpressionError: a number that no double holds.
    """
    if token.kind is TokenKind.STRING:
        return unquoted(token.text[1:-1])
    if token.kind is not TokenKind.NUMBER:
        return token.text
    value = float(token.text)
    if math.isinf(value) and token.text[1:].lower() != "infinity":
        message = _("The number at character %(place)s is too large.") % {"place": token.start + 1}
        raise ExpressionError(message, position=token.start, expected="value")
    return int(token.text) if token.text.lstrip("+-").isdigit() else value
