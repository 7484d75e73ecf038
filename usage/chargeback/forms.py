"""The form of an organization's own prices."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from usage.chargeback.services import MAX_PRICE, PRICES
from usage.models import InternalPrices

CURRENCIES = (
    "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "INR", "JPY", "KRW", "MXN", "NOK", "NZD",
    "PLN", "SEK", "SGD", "TWD", "USD",
)  # fmt: skip
"""Suggested; any three capitals are taken."""
_LARGEST = MAX_PRICE - Decimal("0.0001")


def _price(label: Any) -> forms.DecimalField:
    widget = forms.NumberInput(attrs={"inputmode": "decimal", "step": "any"})
    return forms.DecimalField(
        label=label, min_value=Decimal(0), max_value=_LARGEST, decimal_places=4, widget=widget
    )


class PricesForm(forms.Form):
    """Currency and three prices."""

    currency = forms.RegexField(
        "^[A-Z]{3}$",
        label=_("Currency"),
        error_messages={"invalid": _("A currency must be three capital letters, such as EUR.")},
        widget=forms.TextInput(
            attrs={
                "list": "currencies",
                "maxlength": 3,
                "autocapitalize": "characters",
                "spellcheck": "false",
            }
        ),
    )
    gpu_hour_price = _price(_("Per GPU hour"))
    storage_gb_price = _price(_("Per GB stored per month"))
    kwh_price = _price(_("Per kWh"))

    @classmethod
    def of(cls, prices: InternalPrices) -> "PricesForm":
        """Return the form with what is set, without the zeros that say nothing."""
        initial = {name: f"{getattr(prices, name).normalize():f}" for name in PRICES}
        return cls(initial={"currency": prices.currency, **initial})
