"""What the audit log says of usage."""

from django.utils.translation import gettext_lazy as _

from access.audit.values import register_fields
from access.audit.words import register_kind, register_words

PRICES = {"internal_prices.change": _("Changed chargeback prices")}


def register() -> None:
    """Tell the audit log."""
    register_fields(
        {
            "currency": _("Currency"), "gpu_hour_price": _("Per GPU hour"),
            "storage_gb_price": _("Per GB stored per month"), "kwh_price": _("Per kWh"),
        }
    )  # fmt: skip
    register_words("internal_prices", _("Chargeback prices"), PRICES)
    register_kind("usage.InternalPrices", _("Chargeback prices"))
