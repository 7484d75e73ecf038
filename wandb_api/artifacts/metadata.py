"""Conditions on the metadata of versions, which the database holds as the text that came: they are looked at here.

Everybody is answered as from the masked text, or filters could tell secrets piece by piece.
"""

from collections.abc import Callable, Mapping
from typing import Any

import re2
from django.db.models import QuerySet, Value

from artifacts.models import Membership
from common.errors import Invalid
from common.formats.lenient_json import read_lenient
from runs.config.flatten import flatten
from runs.query.conditions import All, Compare, Condition, Not, Operator, Some
from runs.query.regex import Matches
from runs.secrets.documents import masked_json
from wandb_api.graphql.limit_values import MAX_COMPARED_METADATA as MOST

PREFIX = "metadata."


def is_of_metadata(compare: Compare) -> bool:
    """Say whether a comparison is of metadata."""
    return compare.column == "metadata" or compare.column.startswith(PREFIX)


def comparisons_in(condition: Condition) -> list[Compare]:
    """Return the comparisons of metadata in a condition.

    Raises:
        Invalid: one names no key, or compares with what has no order or is no pattern.
    """
    if isinstance(condition, All | Some):
        return [compare for part in condition.parts for compare in comparisons_in(part)]
    if isinstance(condition, Not):
        return comparisons_in(condition.part)
    if not is_of_metadata(condition):
        return []
    _check(condition)
    return [condition]


def _check(compare: Compare) -> None:
    operator, value = compare.operator, compare.value
    if not compare.column.removeprefix(PREFIX) or compare.column == "metadata":
        raise Invalid("Compare one key of the metadata: metadata.<key>.")
    needs: dict[Operator, tuple[type | tuple[type, ...], str]] = {
        Operator.IN: (list, "a list"), Operator.NOT_IN: (list, "a list"), Operator.MATCHES: (str, "a text"),
        Operator.CONTAINS: (str, "a text"), **dict.fromkeys(_ORDERED, ((int, float, str), "a number or a text")),
    }  # fmt: skip
    kind, words = needs.get(operator, (object, ""))
    if not isinstance(value, kind) or (operator in _ORDERED and isinstance(value, bool)):
        raise Invalid(f"{compare.column!r} needs {words}, not {value!r}.")
    if operator is Operator.MATCHES:
        Matches(Value(""), str(value))  # says what is wrong with a pattern


def places_meeting(
    places: QuerySet[Membership], compares: list[Compare], read: Callable[[int], None]
) -> dict[int, list[int]]:
    """Return the keys of the places that meet each comparison, by its identity: one with a list has no hash.

    Args:
        places: Those that are asked about.
        compares: Comparisons of metadata.
        read: Is told how many characters are read.

    Raises:
        Invalid: more than `MOST` versions are to be compared.
    """
    met: dict[int, list[int]] = {id(compare): [] for compare in compares}
    rows = places.order_by().values_list("pk", "version__metadata_text")[: MOST + 1]
    for count, (pk, text) in enumerate(rows.iterator(chunk_size=100)):
        if count == MOST:
            raise Invalid(
                f"The metadata of at most {MOST} versions can be compared at once; filter collections, too."
            )
        read(len(text))
        flat = _flat(text)
        for compare in compares:
            if meets(compare, flat):
                met[id(compare)].append(pk)
    return met


def _flat(text: str) -> dict[str, Any]:
    tree = read_lenient(masked_json(text))
    return flatten(tree) if isinstance(tree, dict) else {}


def meets(compare: Compare, flat: Mapping[str, Any]) -> bool:
    """Say whether flat metadata meets a comparison; what is missing equals nothing."""
    operator, wanted = compare.operator, compare.value
    value = flat.get(compare.column.removeprefix(PREFIX))
    if operator is Operator.EXISTS:
        return (value is not None) == bool(wanted)
    if operator is Operator.NE:
        return not _equal(value, wanted)
    if operator is Operator.NOT_IN:
        return not any(_equal(value, one) for one in wanted)
    return value is not None and _compared(operator, value, wanted)


def _compared(operator: Operator, value: Any, wanted: Any) -> bool:
    if operator is Operator.EQ:
        return _equal(value, wanted)
    if operator is Operator.IN:
        return any(_equal(value, one) for one in wanted)
    if operator in _ORDERED:
        return _kind(value) == _kind(wanted) and _ORDERED[operator](value, wanted)
    if operator is Operator.CONTAINS:
        return isinstance(value, str) and wanted.lower() in value.lower()
    return isinstance(value, str) and re2.search(wanted, value) is not None


_ORDERED: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.GT: lambda value, wanted: value > wanted,
    Operator.GTE: lambda value, wanted: value >= wanted,
    Operator.LT: lambda value, wanted: value < wanted,
    Operator.LTE: lambda value, wanted: value <= wanted,
}


def _kind(value: Any) -> str:
    """Return what values are compared as: true is no number, and no text is one."""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _equal(value: Any, wanted: Any) -> bool:
    return _kind(value) == _kind(wanted) and value == wanted
