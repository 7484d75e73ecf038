"""What an organization charges its own teams; no money moves by it."""

import re
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit import log
from access.engine import require
from common.errors import Invalid
from teams.models import Organization
from usage.access import BillingAction
from usage.models import InternalPrices

MAX_PRICE = Decimal(10**8)
PRICES = ("gpu_hour_price", "storage_gb_price", "kwh_price")


@transaction.atomic
def set_prices(
    *, actor: Actor, organization: Organization, currency: str, gpu_hour_price: Decimal, storage_gb_price: Decimal,
    kwh_price: Decimal,
) -> InternalPrices:  # fmt: skip
    """Set what a GPU hour, a GB stored for a month and a kWh cost within the organization.

    Args:
        actor: Who manages its billing.
        organization: Whose.
        currency: Three capitals, as ISO 4217 has them.
        gpu_hour_price: For an hour of one GPU.
        storage_gb_price: For a GB (10⁹ bytes) stored for a month.
        kwh_price: For a kWh that GPUs drew.

    Raises:
        Invalid: a price is negative, 100,000,000 or more, or finer than four decimals; or it is no currency.
    """
    require(actor, BillingAction.MANAGE, organization)
    if not re.fullmatch("[A-Z]{3}", currency):
        raise Invalid(_("A currency must be three capital letters, such as EUR."))
    given = {"gpu_hour_price": gpu_hour_price, "storage_gb_price": storage_gb_price, "kwh_price": kwh_price}
    for price in given.values():
        _check(price)
    Organization.objects.select_for_update(no_key=True).get(
        pk=organization.pk
    )  # the first two at once make one row
    row = InternalPrices.objects.filter(organization=organization).first()
    before = _audit_snapshot(row) if row else {}
    row = row or InternalPrices(organization=organization)
    row.currency = currency
    for name, price in given.items():
        setattr(row, name, price)
    row.save()
    if before != _audit_snapshot(row):
        log.record(
            actor,
            "internal_prices.change",
            row,
            before=before,
            after=_audit_snapshot(row),
            organization_id=organization.pk,
        )
    return row


def _check(price: Decimal) -> None:
    if not (price.is_finite() and 0 <= price < MAX_PRICE and price == round(price, 4)):
        raise Invalid(_("A price must be a number from 0 to 99,999,999.9999 with at most four decimals."))


def _audit_snapshot(row: InternalPrices) -> dict[str, str]:
    return {"currency": row.currency} | {name: f"{getattr(row, name):.4f}" for name in PRICES}
