"""Notices of limits that are near or reached: how much is used, and what that leads to (BIL-2)."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from access.actor import Actor
from billing.limits.selectors import SEATS, Limit, LimitKind, LimitStatus, refused_from
from billing.models import NoticeDismissal, Subscription
from billing.subscriptions.billed import is_billed
from usage.formatting import unit_price, with_unit
from usage.periods import period_at

REFUSED = "refused"
STAGES = (LimitStatus.NEAR.value, LimitStatus.FULL.value, REFUSED)
_KINDS = frozenset(kind.value for kind in LimitKind)


@dataclass(frozen=True, slots=True)
class LimitNotice:
    """What a page says about one limit."""

    kind: LimitKind
    stage: str
    """near, full or refused: each is a notice of its own, and can be closed (`billing.limits.services`)."""
    what: str
    consequence: str
    is_critical: bool
    """Whether something is refused, or would be where limits are enforced."""

    @property
    def key(self) -> str:
        """What a form that closes it sends."""
        return f"{self.kind.value}:{self.stage}"

    @property
    def affects_logging(self) -> bool:
        """Whether runs are refused something: of that members read, too."""
        return self.is_critical and self.kind not in SEATS


def notices_of(subscription: Subscription, limits: Iterable[Limit]) -> list[LimitNotice]:
    """Put limits into words, those that are reached first."""
    near = (
        limit for limit in limits if limit.status is not LimitStatus.WITHIN and limit.included is not None
    )
    return sorted((_notice(subscription, limit) for limit in near), key=lambda words: not words.is_critical)


def parse_stages(sent: Iterable[str]) -> set[tuple[str, str]]:
    """Read limits and stages as forms send them ("storage:near"); anything else is left out."""
    pairs = (tuple(text.split(":")) for text in sent)
    return {
        (kind, stage)
        for kind, stage in (pair for pair in pairs if len(pair) == 2)
        if stage in STAGES and kind in _KINDS
    }


def dismissed_notices(actor: Actor, subscription: Subscription) -> set[tuple[str, str]]:
    """Return which notices the actor closed in the period that runs; one query."""
    start = period_at(timezone.now(), subscription.anchor_day).start
    rows = NoticeDismissal.objects.filter(user=actor.lookup_id, subscription=subscription, period_start=start)
    return set(rows.values_list("limit", "stage"))


def _notice(subscription: Subscription, limit: Limit) -> LimitNotice:
    is_critical = _is_critical(subscription, limit)
    stage = REFUSED if is_critical else limit.status.value
    return LimitNotice(
        limit.kind, stage, _usage_message(limit), _consequence_message(subscription, limit), is_critical
    )


def _usage_message(limit: Limit) -> str:
    used, included = with_unit(limit.used, limit.unit), with_unit(limit.included or 0, limit.unit)
    names = {"used": used, "included": included}
    return {
        LimitKind.SEATS: _("%(used)s of %(included)s seats are taken."),
        LimitKind.VIEW_ONLY_SEATS: _("%(used)s of %(included)s view-only seats are taken."),
        LimitKind.HOURS: _("Tracked hours: %(used)s of %(included)s in this period."),
        LimitKind.STORAGE: _("Storage: %(used)s of %(included)s."),
        LimitKind.INGESTION: _("Trace data: %(used)s of %(included)s in this period."),
    }[limit.kind] % names


def _is_critical(subscription: Subscription, limit: Limit) -> bool:
    if limit.kind is LimitKind.STORAGE and limit.is_exceeded:
        since = refused_from(subscription)
        return since is not None and since <= timezone.now()
    if limit.kind is LimitKind.INGESTION and limit.price_usd is None:
        return limit.status is LimitStatus.FULL and settings.ENFORCE_LIMITS
    return limit.kind in SEATS and limit.is_exceeded and settings.ENFORCE_LIMITS


def _consequence_message(subscription: Subscription, limit: Limit) -> str:
    if limit.kind in SEATS:
        return _seats_message(limit)
    if limit.price_usd is not None:
        names = {"price": unit_price(limit.price_usd), "unit": limit.unit}
        return _("Usage above the plan costs %(price)s per %(unit)s. Logging isn’t blocked.") % names
    if limit.kind is LimitKind.STORAGE and settings.ENFORCE_LIMITS:
        return _storage_message(subscription, limit)
    if limit.kind is LimitKind.INGESTION and settings.ENFORCE_LIMITS:
        return _("Trace data above the limit is rejected. Metrics and logs still work.")
    if is_billed(subscription):
        return _("Nothing is blocked, and usage above the plan is free.")
    return _("Nothing is blocked.")


def _seats_message(limit: Limit) -> str:
    if not settings.ENFORCE_LIMITS:
        return _("No one is blocked.")
    if limit.status is LimitStatus.FULL:
        return _("No one new can join until a seat is free.")
    return ""


def _storage_message(subscription: Subscription, limit: Limit) -> str:
    since, days = refused_from(subscription), subscription.plan.grace_days
    if since is None or not limit.is_exceeded:
        return _("After %(days)d days above the limit, file uploads are blocked.") % {"days": days}
    if since > timezone.now():
        day = date_format(timezone.localtime(since), "DATE_FORMAT")
        return _("From %(day)s, file uploads are blocked unless you free up storage.") % {"day": day}
    return _("File uploads are blocked until you free up storage. Metrics and logs still work.")
