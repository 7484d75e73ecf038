"""Limits that are near or reached, found by a beat and kept in the cache, so that pages ask no table about them.

What is lost with the cache is found again by the next beat.
"""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any

from django.core.cache import cache
from django.db.models import Q

from billing.limits.selectors import Limit, LimitKind, Limits, has_limits, limits_by_subscription
from billing.limits.storage_quota import record_storage
from billing.models import Subscription
from common.database.commits import after_commit
from usage.units import GB

KEPT_S = 900
"""Three beats."""
_BATCH = 500
_TERMS = frozenset({"plan", "plan_id", "extra_storage_gb"})


def refresh_all(now: datetime | None = None) -> int:
    """Look at every subscription that has a limit; returns how many are near one."""
    rows = Subscription.objects.filter(has_limits() | Q(over_storage_since__isnull=False))
    found = 0
    for batch in _batches(rows.select_related("plan").order_by("pk").iterator(chunk_size=_BATCH)):
        found += _refresh(batch, now)
    return found


def refresh_one(subscription_id: int) -> None:
    """Look at one, because its terms changed."""
    _refresh(list(Subscription.objects.select_related("plan").filter(pk=subscription_id)), None)


def on_subscription_saved(**sent: Any) -> None:
    """Look again once a change of plan or of bought storage is committed; a receiver of ``post_save``."""
    fields = sent["update_fields"]
    if not sent["created"] and (fields is None or _TERMS & fields):
        after_commit(refresh_one, sent["instance"].pk)


def near_limits(*, organization_id: int | None = None, team_id: int | None = None) -> list[Limit]:
    """Return the limits of a payer that are near or reached, as of the last look; no query."""
    cached = cache.get(_key(organization_id, team_id)) or []
    return [
        Limit(LimitKind(kind), unit, Decimal(used), Decimal(included), Decimal(price) if price else None)
        for kind, unit, used, included, price in cached
    ]


def _batches(rows: Iterator[Subscription]) -> Iterator[list[Subscription]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _key(organization_id: int | None, team_id: int | None) -> str:
    return (
        f"billing.near_limits.t{team_id}"
        if organization_id is None
        else f"billing.near_limits.o{organization_id}"
    )


def _refresh(rows: list[Subscription], now: datetime | None) -> int:
    states = limits_by_subscription(rows, now)
    near, within = {}, []
    for row in rows:
        state, key = states[row.pk], _key(row.organization_id, row.team_id)
        storage = state.of(LimitKind.STORAGE)
        if storage is not None:
            record_storage(row, int(storage.used * GB), now)
        if state.near:
            near[key] = _limits_to_lists(state)
        else:
            within.append(key)
    cache.set_many(near, KEPT_S)
    cache.delete_many(within)
    return len(near)


def _limits_to_lists(state: Limits) -> list[tuple[str, str, str, str, str]]:
    return [
        (
            limit.kind.value, limit.unit, str(limit.used), str(limit.included),
            "" if limit.price_usd is None else str(limit.price_usd),
        )
        for limit in state.near
    ]  # fmt: skip
