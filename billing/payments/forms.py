"""Forms of payment: what stands on invoices, and how much storage is bought."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from billing.models import Subscription
from billing.payments.services import DETAILS


class DetailsForm(forms.Form):
    """Name and address on invoices; both are needed where invoices are paid by bank transfer."""

    billing_name = forms.CharField(
        label=_("Name on invoices"), max_length=200, required=False,
        widget=forms.TextInput({"autocomplete": "organization"}),
    )  # fmt: skip
    billing_address = forms.CharField(
        label=_("Address"), max_length=1000, required=False,
        widget=forms.Textarea({"rows": 4, "autocomplete": "street-address"}),
    )  # fmt: skip
    tax_id = forms.CharField(
        label=_("Tax ID"), max_length=60, required=False, widget=forms.TextInput({"autocomplete": "off"})
    )
    purchase_order = forms.CharField(
        label=_("Purchase order"), max_length=60, required=False,
        widget=forms.TextInput({"autocomplete": "off"}),
    )  # fmt: skip

    def __init__(
        self, *args: Any, subscription: Subscription, is_needed: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.initial = {name: getattr(subscription, name) for name in DETAILS}
        for name in ("billing_name", "billing_address"):
            self.fields[name].required = is_needed
