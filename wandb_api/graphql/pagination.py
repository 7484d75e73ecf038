"""Pages of lists, as GraphQL connections: a cursor is the number of rows up to and with its own."""

from collections.abc import Callable, Iterable, Sequence
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
) -> dict[str, Any]:
    """Return the connection of one page; one row more is read, to know whether there is a next one.

    ``weigh`` is called with each row as it is read.

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
    )


def page_at_once(
    rows: QuerySet[Any],
    nodes: Callable[[Sequence[Any]], list[dict[str, Any]]],
    *,
    after: str | None,
    first: int | None,
    most: int,
    weigh: Callable[[Any], None] = lambda _row: None,
) -> dict[str, Any]:
    """As `page_of`, for rows whose nodes are made together."""
    start, size = _range(after, first, most)
    page = []
    for row in rows[start : start + size + 1].iterator(chunk_size=_AT_ONCE):
        weigh(row)
        page.append(row)
    return _connection(nodes(page[:size]), start, has_next=len(page) > size)


def page_of_keys(
    pks: Sequence[int],
    read: Callable[[Sequence[int]], Iterable[Any]],
    node: Callable[[Any], dict[str, Any]],
    *,
    after: str | None,
    first: int | None,
    most: int,
    weigh: Callable[[Any], None],
) -> dict[str, Any]:
    """As `page_of`, where the keys of all rows are known, in order; ``read`` returns the rows of some, in any order."""
    start, size = _range(after, first, most)
    wanted, rows = pks[start : start + size], {}
    for at in range(0, len(wanted), _AT_ONCE):
        for row in read(wanted[at : at + _AT_ONCE]):
            weigh(row)
            rows[row.pk] = row
    nodes = [node(rows[pk]) for pk in wanted if pk in rows]
    return _connection(nodes, start, has_next=start + size < len(pks))


def _range(after: str | None, first: int | None, most: int) -> tuple[int, int]:
    """Return how many rows come before the page, and how many it has."""
    return number_of(after) or 0, max(1, min(first or DEFAULT_SIZE, most))


def _connection(nodes: Sequence[dict[str, Any]], start: int, *, has_next: bool) -> dict[str, Any]:
    edges = [{"node": node, "cursor": str(start + n)} for n, node in enumerate(nodes, 1)]
    end = edges[-1]["cursor"] if edges else None
    return {"edges": edges, "pageInfo": {"endCursor": end, "hasNextPage": has_next}}
