r"""Filter expressions, as people type them and as REST and exports take them (RUN-22).

    state = "running" and (config.lr >= 0.001 or tags in ["a", "b"]) and not summary.loss is null

    any        = all { "or" all }
    all        = not { "and" not }
    not        = "not" not | "(" any ")" | comparison
    comparison = column ( ("=" | "!=" | "<" | "<=" | ">" | ">=" | "contains" | "matches") value
                        | ["not"] "in" "[" value { "," value } "]" | "is" ["not"] "null" )
    value      = string | number | time | span | "true" | "false" | "null" | "nan" | ["+" | "-"] "infinity"

They become the same conditions as the SDK's filters (`mongo`), so there is one way to SQL. Names are those of `names`.
"""

import math
from typing import Any

from django.utils.translation import gettext as _

from common.errors import Invalid
from common.formats.lenient_json import clean_text
from runs.query.cells import number_text
from runs.query.column_names import canonical, quoted, spelled
from runs.query.columns import ColumnKind, column_named
from runs.query.conditions import All, Compare, Condition, Not, Operator, Some, to_q
from runs.query.mongo import MAX_DEPTH, MAX_NODES
from runs.query.tokens import ExpressionError, Token, TokenKind, literal_of, tokens_of

_SIGNS = {
    "=": Operator.EQ, "==": Operator.EQ, "!=": Operator.NE, "<>": Operator.NE, "≠": Operator.NE, "<": Operator.LT,
    "<=": Operator.LTE, "≤": Operator.LTE, ">": Operator.GT, ">=": Operator.GTE, "≥": Operator.GTE,
    "contains": Operator.CONTAINS, "matches": Operator.MATCHES,
}  # fmt: skip
_CONSTANTS = {"true": True, "false": False, "null": None, "nan": math.nan, "infinity": math.inf}
_LITERALS = frozenset({TokenKind.STRING, TokenKind.TIME, TokenKind.SPAN, TokenKind.NUMBER})
_RESERVED = frozenset({"and", "or", "not", "in", "is", "contains", "matches", *_CONSTANTS})


def read_expression(text: str) -> Condition:
    """Return the condition that an expression means; an empty one is no condition.

    Raises:
        ExpressionError: the message names the character (from 1), ``position`` the same from 0.
    """
    reader = _Reader(text)
    return reader.whole()


def _placed(error: Invalid, token: Token, expected: str) -> ExpressionError:
    message = _("At character %(place)s: %(problem)s") % {"place": token.start + 1, "problem": error.message}
    return ExpressionError(message, position=token.start, expected=expected)


class _Reader:
    """One way through the words, without going back."""

    def __init__(self, text: str) -> None:
        self.tokens = list(tokens_of(clean_text(text)))
        self.at = 0
        self.nodes = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def ended(self) -> bool:
        return self.token.kind is TokenKind.END

    def whole(self) -> Condition:
        if self.ended():
            return All(())
        found = self.any(1)
        if not self.ended():
            raise self.error_expecting(_("'and', 'or' or the end"), "connective")
        return found

    def error_expecting(self, what: str, expected: str, hint: str = "") -> ExpressionError:
        position, found = self.token.start, self.token.described
        message = _("Expected %(what)s at character %(place)s, found %(found)s.")
        text = message % {"what": what, "place": position + 1, "found": found}
        return ExpressionError(f"{text} {hint}".rstrip(), position=position, expected=expected)

    def took(self, keyword: str) -> bool:
        """Go on if the word is the one named."""
        found = self.token.keyword == keyword
        self.at += found
        return found

    def need(self, keyword: str, expected: str = "") -> None:
        if not self.took(keyword):
            raise self.error_expecting(f"'{keyword}'", expected)

    def any(self, depth: int) -> Condition:
        parts = [self.all(depth)]
        while self.took("or"):
            parts.append(self.all(depth))
        return parts[0] if len(parts) == 1 else Some(tuple(parts))

    def all(self, depth: int) -> Condition:
        parts = [self.negation(depth)]
        while self.took("and"):
            parts.append(self.negation(depth))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def negation(self, depth: int) -> Condition:
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            position = self.token.start
            message = _(
                "A filter can have at most %(conditions)s conditions and %(levels)s levels; one more "
                "begins at character %(place)s."
            )
            numbers = {"conditions": MAX_NODES, "levels": MAX_DEPTH, "place": position + 1}
            raise ExpressionError(message % numbers, position=position)
        if self.took("not"):
            return Not(self.negation(depth + 1))
        if self.took("("):
            found = self.any(depth + 1)
            self.need(")", "connective")
            return found
        return self.comparison()

    def comparison(self) -> Condition:
        column, first = self.column(), self.token
        operator = self.operator()
        begin = self.token
        if operator is Operator.EXISTS:
            value: Any = self.took("not")
            self.need("null")
        elif operator in {Operator.IN, Operator.NOT_IN}:
            value = self.values()
        else:
            value = self.value()
            if value is None and operator not in {Operator.EQ, Operator.NE}:
                message = _("null at character %(place)s can only be compared with =, != and is.")
                at = begin.start
                raise ExpressionError(message % {"place": at + 1}, position=at, expected="value")
        compare = Compare(column, operator, value)
        self._check(compare, first if operator is Operator.EXISTS else begin)
        return compare

    def _check(self, compare: Compare, token: Token) -> None:
        """Let the way to SQL refuse what it cannot compare, while the place is known."""
        try:
            to_q(compare)
        except Invalid as error:
            raise _placed(error, token, "value") from None

    def column(self) -> str:
        token = self.token
        if token.kind not in {TokenKind.WORD, TokenKind.COLUMN} or token.keyword in _RESERVED:
            raise self.error_expecting(_("a column"), "column")
        try:
            found = canonical(token.text)
        except Invalid as error:
            raise _placed(error, token, "column") from None
        self.at += 1
        return found

    def operator(self) -> Operator:
        keyword = self.token.keyword
        if keyword in _SIGNS:
            self.at += 1
            return _SIGNS[keyword]
        if self.took("is"):
            return Operator.EXISTS
        if self.took("in"):
            return Operator.IN
        if self.took("not"):
            self.need("in", "operator")
            return Operator.NOT_IN
        raise self.error_expecting(
            _("an operator"), "operator", _("Available: = != < <= > >= in, contains, matches and is null.")
        )

    def values(self) -> list[Any]:
        self.need("[", "value")
        if self.took("]"):
            return []
        found = [self.value()]
        while self.took(","):
            found.append(self.value())
        if len(found) > MAX_NODES:
            position = self.token.start
            raise ExpressionError(
                _("A list can have at most %(most)s values.") % {"most": MAX_NODES}, position=position
            )
        self.need("]", "value")
        return found

    def value(self) -> Any:
        token = self.token
        if token.kind in _LITERALS:
            self.at += 1
            return literal_of(token)
        if token.keyword in _CONSTANTS:
            self.at += 1
            return _CONSTANTS[token.keyword]
        is_word = token.kind is TokenKind.WORD and token.keyword not in _RESERVED
        raise self.error_expecting(_("a value"), "value", _("Put text in quotes.") if is_word else "")


def tree_of(condition: Condition) -> dict[str, Any]:
    """Return the condition as the tree that the filter builder edits.

    ``{"all": [...]}``, ``{"any": [...]}``, ``{"not": {...}}``, ``{"column": "config.lr", "operator": ">=", "value":
    0.001}``; the operators ``is null`` and ``is not null`` have the value null. No condition is ``{"all": []}``.
    """
    if isinstance(condition, All):
        return {"all": [tree_of(part) for part in condition.parts]}
    if isinstance(condition, Some):
        return {"any": [tree_of(part) for part in condition.parts]}
    if isinstance(condition, Not):
        return {"not": tree_of(condition.part)}
    column, operator, value = spelled(condition.column), condition.operator.value, condition.value
    if condition.operator is Operator.EXISTS:
        operator, value = "is not null" if value else "is null", None
    return {"column": column, "operator": operator, "value": value}


def write_expression(condition: Condition) -> str:
    """Return the text that `read_expression` reads as this condition, which it must be able to make."""
    if isinstance(condition, All) and not condition.parts:
        return ""
    return _written(condition, within=0)


_STRENGTH = {Some: 1, All: 2, Not: 3, Compare: 3}


def _written(condition: Condition, *, within: int) -> str:
    """Write a part of something that binds as strongly as ``within``, in brackets if it binds no stronger."""
    if isinstance(condition, Compare):
        return _written_comparison(condition)
    if isinstance(condition, Not):
        return f"not {_written(condition.part, within=2)}"
    if not condition.parts:
        raise ValueError("expressions cannot have empty brackets")
    if len(condition.parts) == 1:
        return _written(condition.parts[0], within=within)
    strength = _STRENGTH[type(condition)]
    word = " and " if isinstance(condition, All) else " or "
    text = word.join(_written(part, within=strength) for part in condition.parts)
    return f"({text})" if within >= strength else text


def _written_comparison(compare: Compare) -> str:
    column, value = spelled(compare.column), compare.value
    if compare.operator is Operator.EXISTS:
        return f"{column} is {'not ' if value else ''}null"
    if isinstance(value, list):
        items = ", ".join(_written_value(compare.column, item) for item in value)
        return f"{column} {compare.operator.value} [{items}]"
    return f"{column} {compare.operator.value} {_written_value(compare.column, value)}"


def _written_value(column: str, value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    is_bare = column_named(column).kind in {ColumnKind.TIME, ColumnKind.SPAN} and _is_bare(value)
    return value if is_bare else quoted(value, '"')


def _is_bare(value: str) -> bool:
    """Say whether a time or span needs no quotes."""
    try:
        first, end = tokens_of(value)
    except (ValueError, ExpressionError):
        return False
    return (
        first.kind in {TokenKind.TIME, TokenKind.SPAN} and first.text == value and end.kind is TokenKind.END
    )
