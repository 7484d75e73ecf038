"""The SDK's filters and orders of registries (protocol 3.6)."""

import re

from django.db.models import QuerySet

from artifacts.models import Registry
from common.errors import Invalid
from runs.query.columns import Column, ColumnKind
from runs.query.conditions import to_q
from runs.query.mongo import read_filters
from runs.query.ordering import read_order

_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_COLUMNS = {
    "id": Column(ColumnKind.NUMBER, "project_id"),
    "name": Column(ColumnKind.TEXT, "project__name"),
    "entity_id": Column(ColumnKind.NUMBER, "project__team_id"),
    "description": Column(ColumnKind.TEXT, "project__description"),
    "created_at": Column(ColumnKind.TIME, "project__created_at"),
    "updated_at": Column(ColumnKind.TIME, "project__updated_at"),
}
"""``id`` is the number in ``internalId``; ``name`` has its prefix, which SDKs add to what people write."""


def filter_registries(
    rows: QuerySet[Registry], filters: str | None, order: str | None = None
) -> QuerySet[Registry]:
    """Return the registries that match, in order, by name by default.

    Raises:
        Invalid: a column, an operator or a value that cannot be.
    """
    matching = rows.filter(to_q(read_filters(filters), _column))
    return matching.order_by(*read_order(order, "+name", find=_column))


def _column(name: str) -> Column:
    column = _COLUMNS.get(_CAMEL.sub(r"_\1", name).lower())
    if column is None:
        raise Invalid(f"Registries have no column “{name}”. Available: {', '.join(sorted(_COLUMNS))}.")
    return column
