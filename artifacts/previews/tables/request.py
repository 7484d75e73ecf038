"""What somebody asks of a table: a part of it, filtered and sorted."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

import re2
from django.utils.translation import gettext as _

from artifacts.previews.cells import Column, identity, is_number, text_of
from common.errors import Invalid

MOST_ROWS_A_PAGE = 500
MOST_SORTED_BY = 5
MOST_FILTERS = 20
MAX_TEXT = 1000
MOST_OFFSET = 10_000_000
"""Rows that are passed over to come to a page: most kinds of tables are read from their beginning."""


class CellOperator(StrEnum):
    """How a cell is compared."""

    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="
    CONTAINS = "contains"
    """Whatever the case."""
    MATCHES = "matches"
    """A regular expression (RE2), which takes time in proportion to the text."""
    EMPTY = "empty"
    """Null or an empty text."""
    NOT_EMPTY = "not empty"


@dataclass(frozen=True, slots=True)
class CellFilter:
    """A condition for the cells of a column. A text that is a number is compared with numbers as one."""

    column: str
    operator: CellOperator
    value: str = ""

    def matches(self, cell: Any) -> bool:
        """Say whether a cell meets it; numbers and texts are never greater or less than each other."""
        if self.operator is CellOperator.EMPTY:
            return cell is None or cell == ""
        if self.operator is CellOperator.NOT_EMPTY:
            return cell is not None and cell != ""
        if self.operator is CellOperator.CONTAINS:
            return contains(cell, self.value)
        if self.operator is CellOperator.MATCHES:
            return _pattern(self.value).search(text_of(cell)) is not None
        if self.operator is CellOperator.UNEQUAL:
            return not self._is_equal(cell)
        return self._is_equal(cell) if self.operator is CellOperator.EQUAL else self._is_in_order(cell)

    def _is_equal(self, cell: Any) -> bool:
        if is_number(cell):
            return identity(cell) == identity(_number(self.value))
        return cell is not None and text_of(cell) == self.value

    def _is_in_order(self, cell: Any) -> bool:
        wanted: Any = _number(self.value) if is_number(cell) else self.value
        if wanted is None or not (is_number(cell) or isinstance(cell, str)):
            return False
        if self.operator is CellOperator.LESS:
            return bool(cell < wanted)
        if self.operator is CellOperator.AT_MOST:
            return bool(cell <= wanted)
        return bool(cell > wanted if self.operator is CellOperator.GREATER else cell >= wanted)


def contains(cell: Any, text: str) -> bool:
    """Say whether a cell has a text in it, whatever its case."""
    return text.casefold() in text_of(cell).casefold()


_QUIET = re2.Options()
_QUIET.log_errors = False


@lru_cache(maxsize=64)
def _pattern(text: str) -> Any:
    """Compile an expression once for all cells.

    Raises:
        Invalid: it is none.
    """
    try:
        return re2.compile(text, _QUIET)
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        refusal = _("“%(pattern)s” isn’t a valid RE2 regular expression: %(reason)s.")
        raise Invalid(refusal % {"pattern": text, "reason": reason}) from None


def _number(text: str) -> float | None:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return None


@dataclass(frozen=True, slots=True)
class TableRequest:
    """Which rows of a table, in which order."""

    offset: int = 0
    limit: int = 50
    sort: tuple[tuple[str, bool], ...] = ()
    """Columns, each with whether it falls; what is null is last both ways."""
    filters: tuple[CellFilter, ...] = ()
    """All have to be met."""
    search: str = ""
    """Some cell has to have this text."""

    def check(self) -> None:
        """Let a request pass that can be answered.

        Raises:
            Invalid: over a limit, which the message states.
        """
        if self.offset < 0 or not 1 <= self.limit <= MOST_ROWS_A_PAGE:
            raise Invalid(_("A page of a table must have 1 to %(most)s rows.") % {"most": MOST_ROWS_A_PAGE})
        if self.offset > MOST_OFFSET:
            raise Invalid(
                _("Only the first %(most)s rows can be shown; filter the table.")
                % {"most": f"{MOST_OFFSET:,}"}
            )
        if len(self.sort) > MOST_SORTED_BY:
            raise Invalid(_("A table can be sorted by at most %(most)s columns.") % {"most": MOST_SORTED_BY})
        if len(self.filters) > MOST_FILTERS:
            raise Invalid(
                _("A table can be filtered by at most %(most)s conditions.") % {"most": MOST_FILTERS}
            )
        if any(len(text) > MAX_TEXT for text in [self.search, *(one.value for one in self.filters)]):
            raise Invalid(_("A search can have at most %(most)s characters.") % {"most": MAX_TEXT})
        for one in self.filters:
            if one.operator is CellOperator.MATCHES:
                _pattern(one.value)


def place_of(columns: Sequence[Column], name: str) -> int:
    """Return where a column is.

    Raises:
        Invalid: there is none of this name.
    """
    for place, column in enumerate(columns):
        if column.name == name:
            return place
    raise Invalid(_("The table has no column %(name)s.") % {"name": name})
