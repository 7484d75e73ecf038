"""The form that adds a way of alerts."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from alerts.models import Destination
from alerts.preferences import selectors
from alerts.preferences.services import MAX_TAG
from common.errors import Invalid
from runs.models import Project
from teams.models import Team


class RouteForm(forms.Form):
    """Where to, and of which runs; without project and tag, of all."""

    destination = forms.ModelChoiceField(
        queryset=Destination.objects.none(),
        label=_("Send to"),
        empty_label=None,
        widget=forms.Select(attrs={}),
    )
    project = forms.CharField(
        label=_("Project"),
        required=False,
        widget=forms.TextInput(
            attrs={"list": "alert-projects", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    tag = forms.CharField(
        label=_("Run tag"),
        required=False,
        max_length=MAX_TAG,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, actor: Actor, team: Team, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._actor, self._team = actor, team
        self.fields["destination"].queryset = selectors.team_destinations(team)  # type: ignore[attr-defined]
        self.fields["project"].widget.attrs["placeholder"] = _("all projects")
        self.fields["tag"].widget.attrs["placeholder"] = _("any")

    def clean_project(self) -> Project | None:
        """Find the project that was typed."""
        typed = self.cleaned_data["project"].strip()
        if not typed:
            return None
        try:
            return selectors.find_project(self._actor, self._team, typed)
        except Invalid as error:
            raise forms.ValidationError(error.message) from error
