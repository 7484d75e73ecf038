"""Forms of sign-up and of the key pages."""

from datetime import datetime, timedelta
from typing import Any

from allauth.account.forms import SignupForm
from allauth.core import context
from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.signals import invited_address


class SignUpForm(SignupForm):  # type: ignore[misc]  # allauth has no type stubs
    """Allauth's form, which begins with the address that was invited."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.invited = invited_address(context.request)
        kwargs["initial"] = {"email": self.invited} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)

    def clean_email(self) -> str:
        """Take no other than the invited address where sign-up is by invitation only (ACC-22)."""
        email = str(super().clean_email())
        if not settings.SIGNUP_OPEN and email.lower() != self.invited:
            message = _("Sign up with the invited address, %(email)s.")
            raise forms.ValidationError(message, params={"email": self.invited})
        return email


class ApiKeyForm(forms.Form):
    """Name and lifetime of a new key."""

    label = forms.CharField(
        label=_("Name"),
        max_length=120,
        help_text=_("Where the key will be used, for example “lab workstation”."),
    )
    lifetime = forms.TypedChoiceField(
        label=_("Expires"),
        choices=[
            ("0", _("Never")),
            ("30", _("In 30 days")),
            ("90", _("In 90 days")),
            ("365", _("In a year")),
        ],
        coerce=int,
        initial="0",
    )

    def expires_at(self) -> datetime | None:
        """Return the chosen end, UTC, or None."""
        days = self.cleaned_data["lifetime"]
        return timezone.now() + timedelta(days=days) if days else None
