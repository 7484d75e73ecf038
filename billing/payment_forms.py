"""Forms of payment: what stands on invoices, and how much storage is bought."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from billing.changes import MOST_EXTRA_GB
from billing.models import Subscription
from billing.services.payment_methods import DETAILS


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


class StorageForm(forms.Form):
    """How much extra storage there is to be in all."""

    gb = forms.IntegerField(
        label=_("Extra storage, GB in all"), min_value=0, max_value=MOST_EXTRA_GB,
        widget=forms.NumberInput({"step": "1", "inputmode": "numeric"}),
    )  # fmt: skip
