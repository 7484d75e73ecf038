"""The form for extra storage."""

from django import forms
from django.utils.translation import gettext_lazy as _

from billing.plans.pricing import MOST_EXTRA_GB


class StorageForm(forms.Form):
    """How much extra storage there is to be in all."""

    gb = forms.IntegerField(
        label=_("Total extra storage, GB"), min_value=0, max_value=MOST_EXTRA_GB,
        widget=forms.NumberInput({"step": "1", "inputmode": "numeric"}),
    )  # fmt: skip
