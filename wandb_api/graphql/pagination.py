"""Pages of lists, as GraphQL connections: a cursor is the number of rows up to and with its own."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import QuerySet

from common.errors import Invalid
from common.formats.numbers import parse_int

DEFAULT_SIZE = 50
_AT_ONCE = 50
"""Rows that are read before they are weighed."""
_MOST_ROWS = 10**15
"""More than any list has; some are added to it, which a database must be able to count to."""


def number_of(cursor: str | None) -> int | None:
    """Return the number that a cursor is; None for none.

    Raises:
        Invalid: it is no cursor of ours.
    """
    if not cursor:
        return None
    number = parse_int(cursor, _MOST_ROWS)
    if number is None:
        raise Invalid(f"“{cursor[:100]}” isn’t a valid cursor of this list.")
    return number


def page_of(
    rows: QuerySet[Any],
    node: Callable[[Any], dict[str, Any]],
    *,
    after: str | None,
    first: int | None,
    most: int,
    weigh: Callable[[Any], None] = lambda _row: None,
    pks: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Return the connection of one page; one row more is read, to know whether there is a next one.

    ``weigh`` is called with each row as it is read; ``pks`` are the keys of all rows in order, where they are known.

    Raises:
        Invalid: ``after`` is no cursor of such a list.
    """
    return page_at_once(
        rows,
        lambda page: [node(row) for row in page],
        after=after,
        first=first,
        most=most,
        weigh=weigh,
        pks=pks,
    )


def page_at_once(
    rows: QuerySet[Any],
    nodes: Callable[[Sequence[Any]], list[dict[str, Any]]],
    *,
    after: str | None,
    first: int | None,
    most: int,
    weigh: Callable[[Any], None] = lambda _row: None,
    pks: Sequence[int] | None = None,
) -> dict[str, Any]:
    """As `page_of`, for rows whose nodes are made together."""
    start, size = number_of(after) or 0, max(1, min(first or DEFAULT_SIZE, most))
    wanted = None if pks is None else pks[start : start + size]
    some = rows[start : start + size + 1] if wanted is None else rows.filter(pk__in=wanted).order_by()
    page = []
    for row in some.iterator(chunk_size=_AT_ONCE):
        weigh(row)
        page.append(row)
    has_next = len(page) > size if pks is None else start + size < len(pks)
    if wanted is not None:
        by_pk = {row.pk: row for row in page}
        page = [by_pk[pk] for pk in wanted if pk in by_pk]
    edges = [{"node": node, "cursor": str(start + n)} for n, node in enumerate(nodes(page[:size]), 1)]
    end = edges[-1]["cursor"] if edges else None
    return {"edges": edges, "pageInfo": {"endCursor": end, "hasNextPage": has_next}}
