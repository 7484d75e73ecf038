"""The form of a new project."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from runs.projects.services import MAX_DESCRIPTION, MAX_NAME
from teams.models import Team
from teams.teams.visibility import visibility_choices


class NewProjectForm(forms.Form):
    """Name, description and visibility; the service checks what a name may be."""

    name = forms.CharField(label=_("Project name"), max_length=MAX_NAME)
    description = forms.CharField(
        label=_("Description"), max_length=MAX_DESCRIPTION, required=False,
        help_text=_("Markdown: headings, lists, tables, links, code"), widget=forms.Textarea({"rows": 5}),
    )  # fmt: skip
    visibility = forms.ChoiceField(label=_("Visibility"))

    def __init__(self, *args: Any, team: Team, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choices = visibility_choices(team)
        field = self.fields["visibility"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for the type checker
        field.choices = [(one.value, one.label) for one in self.choices]
        self.initial.setdefault("visibility", team.default_visibility)
