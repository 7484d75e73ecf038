"""The form of the page of secrets."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from alerts.models import Secret
from alerts.secrets.services import MAX_LENGTH, check_name
from common.errors import DomainError
from teams.models import Team


class SecretForm(forms.Form):
    """A new secret, or another value for one there is."""

    name = forms.CharField(
        label=_("Name"), max_length=64, widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("Letters, digits and “_”, for example DEPLOY_TOKEN. Payloads use it as ${DEPLOY_TOKEN}."),
    )  # fmt: skip
    value = forms.CharField(
        label=_("Value"), max_length=MAX_LENGTH,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
        help_text=_("It is stored encrypted and never shown again."),
    )  # fmt: skip

    def __init__(self, *args: Any, team: Team, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.team = team

    def clean_name(self) -> str:
        """Take a name that payloads can hold and that is new."""
        try:
            name = check_name(str(self.cleaned_data["name"]).strip())
        except DomainError as error:
            raise forms.ValidationError(error.message) from None
        if Secret.objects.filter(team=self.team, name=name).exists():
            raise forms.ValidationError(
                gettext("A secret with this name already exists; replace its value below.")
            )
        return name
