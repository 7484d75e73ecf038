"""What a change of plan or of bought storage means, before anybody confirms it (BIL-8). Computes; changes nothing.

What only gives more begins at once and costs the days that are left of the period, today included; all else begins when
the period ends, because it is paid until then, and can be undone until then. What is gained and lost says which it is,
whatever the order of plans on pages.
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from billing.formatting import plain
from billing.invoices.drafts import CREDIT, EXTRA_STORAGE, PLAN, LineDraft, days_of
from billing.limits.selectors import Limit, LimitKind, limits_of
from billing.models import Plan, Subscription
from billing.plans.pricing import terms_usd
from billing.plans.selectors import SWITCHES, has_prices, switch_words
from usage.formatting import unit_price
from usage.periods import Period, period_at
from usage.units import ZERO, to_cents


class ChangeKind(StrEnum):
    """What is changed."""

    UPGRADE = "upgrade"
    """Something is gained and nothing lost."""
    DOWNGRADE = "downgrade"
    """Something is lost and nothing gained."""
    SWITCH = "switch"
    """Both, or neither."""
    CANCEL = "cancel"
    MORE_STORAGE = "more_storage"
    LESS_STORAGE = "less_storage"


IMMEDIATE = frozenset({ChangeKind.UPGRADE, ChangeKind.MORE_STORAGE})


@dataclass(frozen=True, slots=True)
class Terms:
    """A plan, and the storage that is bought on top of it."""

    plan: Plan
    extra_gb: int

    @property
    def regular_usd(self) -> Decimal:
        """What a period costs in advance."""
        return terms_usd(self.plan, self.extra_gb)


@dataclass(frozen=True, slots=True)
class LimitLine:
    """How one limit changes, in words."""

    label: str
    before: str
    after: str
    is_less: bool
    is_more: bool = False
    """Of amounts; prices are neither."""


@dataclass(frozen=True, slots=True)
class PricedLine:
    """One line of the invoice that a change makes."""

    what: str
    """The plan's name, or how much storage."""
    draft: LineDraft


@dataclass(frozen=True, slots=True)
class ChangeSummary:
    """All that is to be read before a change is confirmed."""

    kind: ChangeKind
    before: Terms
    after: Terms
    period: Period
    """The one that runs."""
    days_left: int
    """Of it, today included."""
    lines: tuple[PricedLine, ...]
    """What the invoice says that is made at once; empty where the change comes later."""
    limits: tuple[LimitLine, ...]
    """Those that change."""
    gains: tuple[str, ...]
    """Features."""
    losses: tuple[str, ...]
    """Features, and limits that become lower."""
    warnings: tuple[str, ...]
    by_days: bool
    """What is included counts by days: the new amounts for those that are left."""
    needs_method: bool
    """There is no way to pay on file, and this costs something."""

    @property
    def is_immediate(self) -> bool:
        """Whether it begins now, not when the period ends."""
        return self.kind in IMMEDIATE

    @property
    def now_usd(self) -> Decimal:
        """What is charged now. A credit is at most what the same invoice charges."""
        return max(ZERO, sum((line.draft.amount_usd for line in self.lines), ZERO))

    @property
    def starts(self) -> date:
        """The first day of the new terms."""
        return self.period.end - timedelta(days=self.days_left if self.is_immediate else 0)

    @property
    def confirm(self) -> str:
        """What a confirmation sends back: all that matters. Another day or another price makes it another one."""
        before, after = self.before, self.after
        return (
            f"{self.kind}:{before.plan.key}+{before.extra_gb}:{after.plan.key}+{after.extra_gb}"
            f":{self.starts}:{self.now_usd}:{after.regular_usd}"
        )


def as_of(subscription: Subscription, now: datetime) -> Subscription:
    """Return the subscription as it is once periods that have ended are closed: what was chosen for later has begun."""
    row = copy.copy(subscription)
    if row.is_behind(period_at(now, row.anchor_day)):
        row.apply_next_terms()
    return row


def summarize(
    subscription: Subscription,
    kind: ChangeKind,
    after: Terms,
    now: datetime,
    *,
    has_method: bool,
    unused_usd: Decimal,
) -> ChangeSummary:
    """Return what a change means.

    Args:
        subscription: As of now (`as_of`).
        kind: Of change.
        after: The terms that are planned.
        now: When it would be confirmed.
        has_method: Whether there is a way to pay on file.
        unused_usd: What was paid in advance for the days that are left (`billing.invoices.advance`).
    """
    before = Terms(subscription.plan, subscription.extra_storage_gb)
    period = period_at(now, subscription.anchor_day)
    days_left = (period.end - now.date()).days
    at_once = kind in IMMEDIATE
    lines = (
        [line for line in _lines(before, after, period, days_left, unused_usd) if line.draft.amount_usd]
        if at_once
        else []
    )
    begins_to_cost = _costs(after) and (at_once or not _costs(before))
    amounts = list(_amounts(before, after))
    gains, losses = _features(before.plan, after.plan)
    less = [f"{line.label}: {line.before} → {line.after}" for line in amounts if line.is_less]
    return ChangeSummary(
        kind=kind,
        before=before,
        after=after,
        period=period,
        days_left=days_left,
        lines=tuple(lines),
        limits=(*amounts, *_prices(before.plan, after.plan)),
        gains=gains,
        losses=(*losses, *less),
        warnings=tuple(_warnings(subscription, kind, after, now)),
        by_days=at_once and days_left < period.days and _counts_by_days(before, after),
        needs_method=begins_to_cost and not has_method,
    )


def kind_of(before: Terms, after: Terms) -> ChangeKind:
    """Say what going from one plan to another is, by what is gained and lost; prices say nothing of that."""
    gained, lost = map(bool, _features(before.plan, after.plan))
    amounts = list(_amounts(before, after))
    gained |= any(line.is_more for line in amounts)
    lost |= any(line.is_less for line in amounts)
    if gained == lost:
        return ChangeKind.SWITCH
    return ChangeKind.UPGRADE if gained else ChangeKind.DOWNGRADE


def _costs(terms: Terms) -> bool:
    return terms.regular_usd > ZERO or has_prices(terms.plan)


def _lines(
    before: Terms, after: Terms, period: Period, days_left: int, unused_usd: Decimal
) -> Iterator[PricedLine]:
    """Yield a credit for what was paid and is not used, then what the new terms cost until the period ends."""
    rest = Period(period.end - timedelta(days=days_left), period.end)
    part = f"{days_of(rest)} ({days_left} of {period.days} days)"

    def line(category: str, what: str, message: str, quantity: Decimal | int, price: Decimal) -> PricedLine:
        unit = "GB" if category == EXTRA_STORAGE else "period"
        usd = to_cents(quantity * price * days_left / period.days)  # divided last: half cents stay exact
        share = Decimal(quantity * days_left) / period.days
        draft = LineDraft(category, f"{message}, {part}", share, unit, price, usd, days_left, period.days)
        return PricedLine(what, draft)

    old, new = before.plan, after.plan
    price, has = new.extra_storage_price_usd or ZERO, f"{after.extra_gb:,} GB"
    if old.pk == new.pk:
        more = after.extra_gb - before.extra_gb
        yield line(EXTRA_STORAGE, f"{more:,} GB", f"{more:,} GB of extra storage", more, price)
        return
    had = f"{old.name} + {before.extra_gb:,} GB" if before.extra_gb else old.name
    yield PricedLine(
        had, LineDraft(CREDIT, f"Unused: {had}, {part}", Decimal(1), "period", -unused_usd, -unused_usd)
    )
    yield line(PLAN, new.name, f"{new.name} plan", 1, new.price_usd)
    yield line(EXTRA_STORAGE, has, f"{has} of extra storage", after.extra_gb, price)


def _features(before: Plan, after: Plan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what the switches of one plan have that the other has not: what is gained, and what is lost."""
    had, has = ({name for name in SWITCHES if getattr(plan, f"has_{name}")} for plan in (before, after))
    return _switch_labels(has - had), _switch_labels(had - has)


def _switch_labels(switches: set[str]) -> tuple[str, ...]:
    return tuple(switch_words(name)[0] for name in SWITCHES if name in switches)


def _amounts(before: Terms, after: Terms) -> Iterator[LimitLine]:
    old, new = before.plan, after.plan
    yield from _limit(_("Seats"), old.seats, new.seats, "")
    if old.has_view_only_role and new.has_view_only_role:
        yield from _limit(_("View-only seats"), old.view_only_seats, new.view_only_seats, "")
    yield from _limit(_("Tracked hours per period"), old.included_hours, new.included_hours, "h")
    yield from _limit(_("Storage"), _storage(before), _storage(after), "GB")
    yield from _limit(_("Trace data per period"), old.included_ingestion_gb, new.included_ingestion_gb, "GB")


def _prices(old: Plan, new: Plan) -> Iterator[LimitLine]:
    prices = (
        (_("Additional tracked hour"), old.hour_price_usd, new.hour_price_usd),
        (_("Additional GB of storage per period"), old.storage_price_usd, new.storage_price_usd),
        (_("Additional GB of trace data"), old.ingestion_price_usd, new.ingestion_price_usd),
    )
    for label, paid, price in prices:
        if paid != price:
            yield LimitLine(label, _price(paid), _price(price), is_less=bool(paid and price and price > paid))


def _limit(label: str, before: int | None, after: int | None, unit: str) -> Iterator[LimitLine]:
    if before != after:
        is_less = after is not None and (before is None or after < before)
        yield LimitLine(label, _amount(before, unit), _amount(after, unit), is_less, is_more=not is_less)


def _amount(value: int | None, unit: str) -> str:
    if value is None:
        return _("Unlimited")
    return f"{number_format(value, force_grouping=True)} {unit}".strip()


def _storage(terms: Terms) -> int | None:
    included = terms.plan.included_storage_gb
    return None if included is None else included + terms.extra_gb


def _price(price: Decimal | None) -> str:
    return "–" if price is None else unit_price(price)


def _counts_by_days(before: Terms, after: Terms) -> bool:
    """Say whether a limit changes that counts by days (`billing.plans.pricing.included_in`)."""
    old, new = before.plan, after.plan
    pairs = (
        (old.included_hours, new.included_hours),
        (_storage(before), _storage(after)),
        (old.included_ingestion_gb, new.included_ingestion_gb),
    )
    return any(had is not None and has is not None and had != has for had, has in pairs)


def _warnings(subscription: Subscription, kind: ChangeKind, after: Terms, now: datetime) -> Iterator[str]:
    """Say what would not fit any more, judged by what is used now."""
    planned = copy.copy(subscription)
    planned.plan, planned.extra_storage_gb, planned.earlier_terms = after.plan, after.extra_gb, []
    if kind not in IMMEDIATE:
        for limit in limits_of(planned, now).all:
            if limit.is_exceeded and (message := _exceeded(limit, after.plan)):
                yield message


def _exceeded(limit: Limit, plan: Plan) -> str:
    names = {
        "plan": plan.name,
        "used": plain(limit.used.quantize(Decimal("0.1"))),
        "limit": plain(limit.included or ZERO),
    }
    if limit.kind is LimitKind.SEATS:
        text = ngettext(
            "%(used)s people have a seat, but %(plan)s includes only %(limit)s. No one can be added "
            "until the number is lower.",
            "%(used)s people have a seat, but %(plan)s includes only %(limit)s. No one can be added "
            "until the number is lower.",
            int(limit.used),
        )
        return text % names
    if limit.kind is LimitKind.VIEW_ONLY_SEATS:
        return _("%(used)s people have a view-only seat, but %(plan)s includes only %(limit)s.") % names
    if limit.kind is LimitKind.STORAGE:
        message = _("%(used)s GB are stored, but only %(limit)s GB are included.") % names
        if limit.price_usd is not None:
            return f"{message} " + _("Each additional GB costs %(price)s per period.") % {
                "price": _price(limit.price_usd)
            }
        days = ngettext(
            "File uploads can be blocked after %(n)d day; metrics are still accepted.",
            "File uploads can be blocked after %(n)d days; metrics are still accepted.",
            plan.grace_days,
        )
        return f"{message} {days % {'n': plan.grace_days}}"
    return ""
