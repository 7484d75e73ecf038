"""Filters of RFC 7644 (3.4.2.2) as conditions on rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from scim2_models import InvalidFilterException, ScimFilter
from scim2_models.path import (
    AttrPath,
    CompareOperator,
    Comparison,
    FilterVisitor,
    LogicalExpr,
    LogicalOperator,
    Not,
    Present,
    ValuePath,
)

_MOST_CHARACTERS, _MOST_DEPTH = 4000, 20


@dataclass(frozen=True, slots=True)
class Column:
    """Where an attribute is in the database."""

    path: str
    kind: type = str
    case_exact: bool = False
    also: tuple[tuple[str, str], ...] = ()
    """What else the row must have on which the path leads."""
    other: "Column | None" = None
    """A second place where a value may be."""


_TEXT = {
    CompareOperator.eq: "iexact", CompareOperator.ne: "iexact", CompareOperator.co: "icontains",
    CompareOperator.sw: "istartswith", CompareOperator.ew: "iendswith",
}  # fmt: skip
_ORDER = {
    CompareOperator.gt: "gt",
    CompareOperator.ge: "gte",
    CompareOperator.lt: "lt",
    CompareOperator.le: "lte",
}
_SAME = {CompareOperator.eq: "exact", CompareOperator.ne: "exact"}
_EXACT = {
    "iexact": "exact", "icontains": "contains", "istartswith": "startswith", "iendswith": "endswith",
}  # fmt: skip


class _Conditions(FilterVisitor[Q]):
    def __init__(self, columns: Mapping[str, Column], before: str = "") -> None:
        self._columns, self._before, self._depth = columns, before, 0

    def visit(self, node: Any) -> Q:
        """Refuse what is nested so deeply that it is an attack."""
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise InvalidFilterException(detail="The filter is nested too deeply.")
        condition = super().visit(node)
        self._depth -= 1
        return condition

    def _column(self, path: AttrPath) -> Column:
        name = f"{self._before}{path.attr}" + (f".{path.sub_attr}" if path.sub_attr else "")
        column = self._columns.get(name.lower())
        if column is None:
            raise InvalidFilterException(detail=f"The attribute {name!r} cannot be filtered by.")
        return column

    def visit_comparison(self, node: Comparison) -> Q:
        """Compare a column with a value of its kind."""
        column = self._column(node.attr_path)
        ending = f"__{_lookup(column, node.op)}"
        condition = _anywhere(column, ending, _value(column, node.value))
        return ~condition if node.op is CompareOperator.ne else condition

    def visit_present(self, node: Present) -> Q:
        """Ask whether there is a value."""
        column = self._column(node.attr_path)
        there = _anywhere(column, "__isnull", value=False)
        return there & ~Q(**{column.path: ""}) if column.kind is str else there

    def visit_not(self, node: Not) -> Q:
        """Turn around."""
        return ~self.visit(node.expr)

    def visit_logical_expr(self, node: LogicalExpr) -> Q:
        """Join."""
        condition = self.visit(node.terms[0])
        for term in node.terms[1:]:
            other = self.visit(term)
            condition = condition & other if node.op is LogicalOperator.and_ else condition | other
        return condition

    def visit_value_path(self, node: ValuePath) -> Q:
        """Ask for one value of several: ``emails[value eq "x"]``; all columns are of the one that is shown."""
        inner = _Conditions(self._columns, f"{node.attr_path.attr}.")
        inner._depth = self._depth
        return inner.visit(node.val_filter)


def _anywhere(column: Column, ending: str, value: Any) -> Q:
    """Return a condition on each of the places of an attribute."""
    condition = Q(*column.also, **{f"{column.path}{ending}": value})
    return condition | _anywhere(column.other, ending, value) if column.other else condition


def _lookup(column: Column, operator: CompareOperator) -> str:
    known = {str: _TEXT, bool: _SAME, int: _SAME, datetime: _SAME | _ORDER}[column.kind]
    if operator not in known:
        raise InvalidFilterException(detail=f"The operator {operator.value!r} does not fit the attribute.")
    return _EXACT.get(known[operator], known[operator]) if column.case_exact else known[operator]


def _value(column: Column, value: Any) -> Any:
    try:
        if column.kind is datetime:
            return datetime.fromisoformat(str(value))
        if column.kind is int:
            return int(value) if len(str(value)) < 18 else -1
    except ValueError:
        value = None
    if not isinstance(value, column.kind) or "\x00" in str(value):
        raise InvalidFilterException(detail="A value does not fit its attribute.")
    return value


def condition_of(text: str, columns: Mapping[str, Column]) -> Q:
    """Return the condition of a filter.

    Raises:
        InvalidFilterException: it cannot be read, or names what cannot be filtered by.
    """
    if len(text) > _MOST_CHARACTERS:
        raise InvalidFilterException(detail=f"A filter has at most {_MOST_CHARACTERS} characters.")
    try:
        tree = ScimFilter(text).ast
    except RecursionError:
        raise InvalidFilterException(detail="The filter is nested too deeply.") from None
    return _Conditions(columns).visit(tree)
