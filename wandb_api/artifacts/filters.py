"""The SDK's filters and orders of collections and of their versions (protocol 3.5, 3.6)."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from django.db.models import Model, Q, QuerySet, Value

from artifacts.models import Alias, Collection, CollectionTag, Membership, VersionTag
from common.errors import Invalid
from runs.query.columns import Column, ColumnKind
from runs.query.conditions import All, Compare, Condition, Not, Operator, Some, to_q
from runs.query.mongo import read_filters
from runs.query.ordering import read_order
from wandb_api.artifacts.metadata import comparisons_in, places_meeting

_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_NAME = Column(ColumnKind.TEXT, "name")
_OTHER_NAMES = {
    "tags": "tag", "aliases": "alias", "artifact_collection_name": "name", "artifact_collection_id": "id",
    "collection_id": "id",
}  # fmt: skip
_POSITIVE = {Operator.NE: Operator.EQ, Operator.NOT_IN: Operator.IN}

_OF_COLLECTIONS = {
    "id": Column(ColumnKind.NUMBER, "pk"),
    "name": _NAME,
    "description": Column(ColumnKind.TEXT, "description"),
    "type": Column(ColumnKind.TEXT, "type__name"),
    "created_at": Column(ColumnKind.TIME, "created_at"),
    "updated_at": Column(ColumnKind.TIME, "updated_at"),
}
_OF_VERSIONS = {
    "id": Column(ColumnKind.NUMBER, "version_id"),
    "state": Column(ColumnKind.TEXT, "state_on_wire"),
    "version": Column(ColumnKind.NUMBER, "index"),
    "version_index": Column(ColumnKind.NUMBER, "index"),
    "digest": Column(ColumnKind.TEXT, "version__digest"),
    "description": Column(ColumnKind.TEXT, "version__description"),
    "size": Column(ColumnKind.NUMBER, "version__size_bytes"),
    "created_at": Column(ColumnKind.TIME, "version__committed_at"),
    "updated_at": Column(ColumnKind.TIME, "version__updated_at"),
    "linked_at": Column(ColumnKind.TIME, "created_at"),
    "collection": Column(ColumnKind.TEXT, "collection__name"),
}
_Relations = Mapping[str, tuple[type[Model], str, str]]
"""Column to the rows that say it, their key of the filtered row, and that row's field."""
_TAGS_OF_COLLECTIONS: _Relations = {"tag": (CollectionTag, "collection_id", "pk")}
_NAMES_OF_VERSIONS: _Relations = {
    "alias": (Alias, "membership_id", "pk"),
    "tag": (VersionTag, "version_id", "version_id"),
}


def filter_collections(
    rows: QuerySet[Collection], filters: str | None, order: str | None
) -> QuerySet[Collection]:
    """Return the collections that match, in order.

    Raises:
        Invalid: a column, an operator or a value that cannot be.
    """
    find = _finder("Collections", _OF_COLLECTIONS)
    matching = rows.filter(_meaning(read_filters(filters), find, _TAGS_OF_COLLECTIONS))
    return matching.order_by(*read_order(order, "+name", find=find))


def filter_versions(
    rows: QuerySet[Membership],
    filters: str | None,
    order: str | None,
    *,
    read: Callable[[int], None] = lambda _size: None,
) -> QuerySet[Membership]:
    """Return the places of versions that match, in order, newest first by default.

    ``read`` is told how many characters of metadata are read to compare them.

    Raises:
        Invalid: a column, an operator or a value that cannot be.
    """
    find = _finder("Versions", _OF_VERSIONS)
    marked = rows.annotate(state_on_wire=Value("COMMITTED"))
    condition = read_filters(filters)
    compared = comparisons_in(condition)
    met = places_meeting(rows, compared, read) if compared else {}
    matching = marked.filter(_meaning(condition, find, _NAMES_OF_VERSIONS, met))
    return matching.order_by(*read_order(order, "-version", find=find))


def _key(name: str) -> str:
    key = _CAMEL.sub(r"_\1", name).lower()
    return _OTHER_NAMES.get(key, key)


def _finder(what: str, columns: Mapping[str, Column]) -> Callable[[str], Column]:
    def find(name: str) -> Column:
        column = columns.get(_key(name))
        if column is None:
            raise Invalid(
                f"{what} of artifacts have no column “{name}”. Available: {', '.join(sorted(columns))}."
            )
        return column

    return find


def _meaning(
    condition: Condition,
    find: Callable[[str], Column],
    relations: _Relations,
    met: Mapping[int, list[int]] = MappingProxyType({}),
) -> Q:
    """Return the filter; of aliases and tags it asks whether there is one that compares so.

    ``met`` has the rows that meet a comparison which the database does not make, by its identity.
    """
    if isinstance(condition, All | Some):
        parts = [_meaning(part, find, relations, met) for part in condition.parts]
        return _joined(parts, every=isinstance(condition, All))
    if isinstance(condition, Not):
        return ~_meaning(condition.part, find, relations, met)
    if id(condition) in met:
        return Q(pk__in=met[id(condition)])
    relation = relations.get(_key(condition.column))
    return to_q(condition, find) if relation is None else _related(condition, *relation)


def _joined(parts: list[Q], *, every: bool) -> Q:
    whole = Q() if every else Q(pk__in=())
    for part in parts:
        whole = whole & part if every else whole | part
    return whole


def _related(compare: Compare, model: type[Model], to_row: str, field: str) -> Q:
    operator, rows = compare.operator, model._default_manager.all()
    if operator is Operator.EXISTS:
        found = Q(**{f"{field}__in": rows.values(to_row)})
        return found if compare.value else ~found
    positive: Any = Compare("name", _POSITIVE.get(operator, operator), compare.value)
    found = Q(**{f"{field}__in": rows.filter(to_q(positive, lambda _name: _NAME)).values(to_row)})
    return ~found if operator in _POSITIVE else found
