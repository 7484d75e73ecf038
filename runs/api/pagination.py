"""REST: pages of runs in any order."""

from typing import Any

from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from common.errors import Invalid
from common.formats.numbers import parse_int
from common.rest.responses import NewestFirstPagination
from runs.query.ordering import page_order


class RunPages(NewestFirstPagination):
    """Newest first by cursor, as everywhere; with ``order``, the pages of that order.

    Then a cursor names the last run before its page and how many there were, so that runs that come or go elsewhere
    move nothing; where that run itself is gone, its place counts.
    """

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        """Return the runs of a page."""
        given = request.query_params
        self._links: tuple[str | None, str | None] | None = None
        if not given.get("order"):
            return super().paginate_queryset(queryset, request, view)
        if not given.get("entity") or not given.get("project"):
            raise Invalid("`order` sorts the runs of one project: set `entity` and `project`.")
        ids = list(queryset.order_by(*page_order(given["order"])).values_list("pk", flat=True))
        size = self.get_page_size(request) or self.max_page_size
        start = _start(given.get(self.cursor_query_param, ""), ids)
        self._links = (
            self._link(request, ids, start + size) if start + size < len(ids) else None,
            self._link(request, ids, max(0, start - size)) if start else None,
        )
        page = ids[start : start + size]
        found = {run.pk: run for run in queryset.filter(pk__in=page)}
        return [found[pk] for pk in page if pk in found]

    def _link(self, request: Request, ids: list[int], start: int) -> str:
        cursor = f"{start}-{ids[start - 1] if start else 0}"
        return replace_query_param(request.build_absolute_uri(), self.cursor_query_param, cursor)

    def get_next_link(self) -> str | None:
        """Return the next page's address."""
        return super().get_next_link() if self._links is None else self._links[0]

    def get_previous_link(self) -> str | None:
        """Return the page's before this one."""
        return super().get_previous_link() if self._links is None else self._links[1]


def _start(cursor: str, ids: list[int]) -> int:
    if not cursor:
        return 0
    start_text, _, named = cursor.partition("-")
    start, before = parse_int(start_text), parse_int(named)
    if start is None or before is None:
        raise Invalid("`cursor` isn’t valid for this list.")
    return ids.index(before) + 1 if before in ids else min(start, len(ids))
