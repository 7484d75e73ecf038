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

from billing.limits.selectors import Limit, LimitKind, Limits, limited, states_of
from billing.limits.storage_quota import note_storage
from billing.models import Subscription
from common.database.commits import after_commit
from usage.units import GB

KEPT_S = 900
"""Three beats."""
_BATCH = 500
_TERMS = frozenset({"plan", "plan_id", "extra_storage_gb"})


def note_all(now: datetime | None = None) -> int:
    """Look at every subscription that has a limit; returns how many are near one."""
    rows = Subscription.objects.filter(limited() | Q(over_storage_since__isnull=False))
    found = 0
    for batch in _batches(rows.select_related("plan").order_by("pk").iterator(chunk_size=_BATCH)):
        found += _note(batch, now)
    return found


def note_one(subscription_id: int) -> None:
    """Look at one, because its terms changed."""
    _note(list(Subscription.objects.select_related("plan").filter(pk=subscription_id)), None)


def on_subscription_saved(**sent: Any) -> None:
    """Look again once a change of plan or of bought storage is committed; a receiver of ``post_save``."""
    fields = sent["update_fields"]
    if not sent["created"] and (fields is None or _TERMS & fields):
        after_commit(note_one, sent["instance"].pk)


def pressing(*, organization_id: int | None = None, team_id: int | None = None) -> list[Limit]:
    """Return the limits of a payer that are near or reached, as of the last look; no query."""
    kept = cache.get(_key(organization_id, team_id)) or []
    return [
        Limit(LimitKind(kind), unit, Decimal(used), Decimal(included), Decimal(price) if price else None)
        for kind, unit, used, included, price in kept
    ]


def _batches(rows: Iterator[Subscription]) -> Iterator[list[Subscription]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _key(organization_id: int | None, team_id: int | None) -> str:
    return (
        f"billing.pressing.t{team_id}" if organization_id is None else f"billing.pressing.o{organization_id}"
    )


def _note(rows: list[Subscription], now: datetime | None) -> int:
    states = states_of(rows, now)
    told, silent = {}, []
    for row in rows:
        state, key = states[row.pk], _key(row.organization_id, row.team_id)
        storage = state.of(LimitKind.STORAGE)
        if storage is not None:
            note_storage(row, int(storage.used * GB), now)
        if state.pressing:
            told[key] = _plain(state)
        else:
            silent.append(key)
    cache.set_many(told, KEPT_S)
    cache.delete_many(silent)
    return len(told)


def _plain(state: Limits) -> list[tuple[str, str, str, str, str]]:
    return [
        (
            limit.kind.value, limit.unit, str(limit.used), str(limit.included),
            "" if limit.price_usd is None else str(limit.price_usd),
        )
        for limit in state.pressing
    ]  # fmt: skip
