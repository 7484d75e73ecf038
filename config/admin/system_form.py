"""What operators change while the installation runs."""

from datetime import UTC
from typing import Any

from django import forms
from django.core.validators import URLValidator, validate_email

from common import installation_settings

SEVERITIES = [("info", "Information"), ("warning", "Warning"), ("danger", "Problem")]


class InstallationForm(forms.Form):
    """One field for each thing; those that the environment decides are shown and not taken."""

    signup = forms.ChoiceField(
        choices=[("open", "Open to everyone"), ("invitation", "By invitation only")],
        label="Sign-up",
    )
    signup_domains = forms.CharField(
        required=False,
        label="Sign-up domains",
        help_text="Only addresses of these domains may sign up, separated by commas; empty allows all.",
    )
    support_contact = forms.CharField(
        required=False,
        label="Support contact",
        help_text="Email address or URL, shown when something goes wrong.",
    )
    text = forms.CharField(
        required=False, max_length=500, label="Announcement", widget=forms.Textarea({"rows": 2}),
        help_text="Shown on every page; empty for none.",
    )  # fmt: skip
    severity = forms.ChoiceField(choices=SEVERITIES, required=False)
    until = forms.DateTimeField(
        required=False, label="Until (UTC)", widget=forms.DateTimeInput({"type": "datetime-local"}, "%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"], help_text="Empty: until it is removed.",
    )  # fmt: skip

    def __init__(self, data: Any = None) -> None:
        announced = installation_settings.announcement()
        initial = {
            "signup": installation_settings.signup(),
            "signup_domains": ", ".join(installation_settings.signup_domains()),
            "support_contact": installation_settings.support_contact(),
            "text": announced.text if announced else "",
            "severity": announced.severity if announced else "info",
            "until": announced.until if announced else None,
        }
        super().__init__(data, initial=initial)
        for name in ("signup", "signup_domains", "support_contact"):
            if installation_settings.is_given(name):
                variable = installation_settings.VARIABLES[name][0]
                self.fields[name].disabled = True
                self.fields[name].help_text = f"Set by {variable} in the environment."

    def clean_signup_domains(self) -> list[str]:
        """Return them in lower case."""
        text = self.cleaned_data["signup_domains"]
        domains = text if isinstance(text, list) else text.replace(",", " ").lower().split()
        for domain in domains:
            validate_email(f"somebody@{domain}")
        return list(domains)

    def clean_support_contact(self) -> str:
        """Take an address or a URL."""
        contact = str(self.cleaned_data["support_contact"]).strip()
        if contact:
            check = URLValidator(["https", "http"]) if "://" in contact else validate_email
            check(contact.removeprefix("mailto:"))
        return contact

    def values(self) -> dict[str, Any]:
        """Return what is to be stored, by name, leaving out what the environment decides."""
        typed = self.cleaned_data
        until = typed["until"].astimezone(UTC).isoformat() if typed["until"] else ""
        announced = {"text": typed["text"].strip(), "severity": typed["severity"] or "info", "until": until}
        values = {name: typed[name] for name in ("signup", "signup_domains", "support_contact")}
        values = {
            name: value
            for name, value in values.items()
            if not installation_settings.is_given(name) and name in self.changed_data
        }
        return values | ({"announcement": announced if announced["text"] else None})
