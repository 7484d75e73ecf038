"""The SDK's filters: MongoDB's query language, as far as `wandb.Api()` produces it (protocol 3.1)."""

from typing import Any

from common.errors import Invalid
from common.formats.lenient_json import clean_tree, read_lenient
from runs.query.conditions import All, Compare, Condition, Not, Operator, Some

MAX_NODES = 1000
MAX_DEPTH = 20

_SIMPLE = {
    "$eq": Operator.EQ, "$ne": Operator.NE, "$gt": Operator.GT, "$gte": Operator.GTE, "$lt": Operator.LT,
    "$lte": Operator.LTE, "$in": Operator.IN, "$nin": Operator.NOT_IN, "$exists": Operator.EXISTS,
    "$regex": Operator.MATCHES, "$contains": Operator.CONTAINS,
}  # fmt: skip
_SPELLED = {operator: spelling for spelling, operator in _SIMPLE.items()}


def read_filters(text: str | None) -> Condition:
    """Return the condition that a filter text means; nothing given is no condition.

    Raises:
        Invalid: not JSON, an unknown operator, or too large; the message names the place.
    """
    if not text or text.strip() in {"", "null"}:
        return All(())
    try:
        tree = read_lenient(text)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"`filters` isn’t valid JSON: {error}") from None
    return _Reader().document(clean_tree(tree), 0)


def as_filters(condition: Condition) -> dict[str, Any]:
    """Return the filter that `read_filters` reads as this condition; no condition is an empty object."""
    if isinstance(condition, All | Some) and len(condition.parts) == 1:
        return as_filters(condition.parts[0])
    if isinstance(condition, All):
        return {"$and": [as_filters(part) for part in condition.parts]} if condition.parts else {}
    if isinstance(condition, Some):
        return {"$or": [as_filters(part) for part in condition.parts]}
    if isinstance(condition, Not):
        return {"$not": as_filters(condition.part)}
    return {condition.column: {_SPELLED[condition.operator]: condition.value}}


def _with_options(operators: dict[str, Any]) -> dict[str, Any]:
    """Return operators in which a pattern has its options, of which only that of case is there.

    Raises:
        Invalid: another option, or options of nothing.
    """
    if "$options" not in operators:
        return operators
    left = {operator: operand for operator, operand in operators.items() if operator != "$options"}
    options = operators["$options"]
    if "$regex" not in left or options not in {"", "i"}:
        raise Invalid(f"$options can only be “i”, beside $regex, not {options!r}.")
    return left | {"$regex": f"(?i){left['$regex']}" if options else left["$regex"]}


class _Reader:
    def __init__(self) -> None:
        self.nodes = 0

    def _count(self, depth: int) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            raise Invalid(f"`filters` has more than {MAX_NODES} conditions or {MAX_DEPTH} levels.")

    def document(self, tree: Any, depth: int) -> Condition:
        """Read ``{"a": …, "$or": […]}``: all of its entries."""
        self._count(depth)
        if not isinstance(tree, dict):
            raise Invalid(f"`filters` needs an object here, not {tree!r}.")
        parts = [self._entry(key, value, depth + 1) for key, value in tree.items()]
        return parts[0] if len(parts) == 1 else All(parts)

    def _many(self, key: str, value: Any, depth: int) -> list[Condition]:
        if not isinstance(value, list):
            raise Invalid(f"{key} needs a list of objects, not {value!r}.")
        return [self.document(item, depth) for item in value]

    def _entry(self, key: str, value: Any, depth: int) -> Condition:
        self._count(depth)
        if key == "$and":
            return All(self._many(key, value, depth))
        if key == "$or":
            return Some(self._many(key, value, depth))
        if key == "$nor":
            return Not(Some(self._many(key, value, depth)))
        if key == "$not":
            return Not(self.document(value, depth))
        if key.startswith("$"):
            raise Invalid(f"`filters` doesn’t support the operator {key} here.")
        if isinstance(value, dict) and any(operator.startswith("$") for operator in value):
            return All([self._operator(key, *one, depth) for one in _with_options(value).items()])
        return Compare(key, Operator.EQ, value)

    def _operator(self, column: str, operator: str, operand: Any, depth: int) -> Condition:
        self._count(depth)
        if operator in _SIMPLE:
            return Compare(column, _SIMPLE[operator], operand)
        if operator == "$size" and operand == 0:
            return Compare(column, Operator.EQ, [])
        if operator == "$not":
            return Not(self._entry(column, operand, depth + 1))
        if operator == "$all":
            if not isinstance(operand, list):
                raise Invalid(f"$all needs a list, not {operand!r}.")
            return All([Compare(column, Operator.EQ, item) for item in operand])
        known = ", ".join(sorted([*_SIMPLE, "$not", "$all", "$options", "$size: 0"]))
        raise Invalid(f"`filters` doesn’t support the operator {operator}: {known}.")
