"""Forms of the pages of teams and organizations."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.lifecycle.names import check_name
from accounts.lifecycle.services import is_taken
from common.errors import DomainError
from teams.models import Organization, Team, TeamKind
from teams.organizations.services import MAX_KEY_DAYS
from teams.teams.visibility import visibility_choices

KINDS = [(TeamKind.WORK, TeamKind.WORK.label), (TeamKind.ACADEMIC, TeamKind.ACADEMIC.label)]


def check_free(name: str) -> None:
    """Let pass a name that a new team or organization can have.

    Raises:
        ValidationError: it is taken, reserved, or has other characters.
    """
    try:
        check_name(name)
    except DomainError as error:
        raise ValidationError(error.message) from error
    if is_taken(name):
        message = _("The name “%(name)s” is taken by another user, team or organization.")
        raise ValidationError(message, params={"name": name})


class NewTeamForm(forms.Form):
    """Name, type and home of a new team (TEAM-2)."""

    name = forms.CharField(
        label=_("Team name"), max_length=64, validators=[check_free],
        help_text=_("Used in URLs and scripts, so it cannot be changed later. Letters, digits, “-”, “_” and “.”."),
    )  # fmt: skip
    kind = forms.ChoiceField(label=_("Team type"), choices=KINDS, initial=TeamKind.WORK)
    organization = forms.ModelChoiceField(
        Organization.objects.none(), label=_("Organization"), required=False, to_field_name="name",
        empty_label=_("A new organization…"),
    )  # fmt: skip
    new_organization = forms.CharField(
        label=_("Name of the new organization"), max_length=64, required=False,
        help_text=_("Your company, institute or lab. You will be its first admin."),
    )  # fmt: skip

    def __init__(self, *args: Any, organizations: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["organization"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 - for the type checker
        field.queryset = organizations
        self.initial.setdefault("organization", organizations.first())

    def clean(self) -> dict[str, Any]:
        """Want a name for a new organization, another one than the team's."""
        data = super().clean() or self.cleaned_data
        if data.get("organization"):
            return data
        new = data.get("new_organization", "")
        if not new:
            self.add_error("new_organization", _("Choose an organization or enter a name for a new one."))
        elif new.lower() == str(data.get("name", "")).lower():
            self.add_error("new_organization", _("The team and the organization need different names."))
        else:
            try:
                check_free(new)
            except ValidationError as error:
                self.add_error("new_organization", error)
        return data


class NewOrganizationForm(forms.Form):
    """The name of a new organization."""

    name = forms.CharField(
        label=_("Organization name"), max_length=64, validators=[check_free],
        help_text=_("Used in URLs, so it cannot be changed later. Letters, digits, “-”, “_” and “.”."),
    )  # fmt: skip


class TeamForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic when it runs
    """What of a team can change."""

    kind = forms.ChoiceField(label=_("Team type"), choices=KINDS)
    project_visibility = forms.ChoiceField(
        label=_("Visibility of new projects"),
        help_text=_(
            "Also applies to projects created by scripts. When creating a project on its page, you can "
            "choose another."
        ),
    )

    class Meta:
        model = Team
        fields = ["kind", "project_visibility"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field, chosen = self.fields["project_visibility"], self.instance.default_visibility
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for the type checker
        field.choices = [(one.value, one.label) for one in visibility_choices(self.instance)]
        self.initial["project_visibility"] = chosen


class OrganizationForm(forms.ModelForm):  # type: ignore[type-arg]  # as above
    """What of an organization can change."""

    api_key_max_days = forms.IntegerField(
        label=_("API keys expire within, days"), required=False, min_value=1, max_value=MAX_KEY_DAYS,
        help_text=_("Leave empty for no limit."),
    )  # fmt: skip

    class Meta:
        model = Organization
        fields = ["api_keys_allowed", "api_keys_limited", "api_key_max_days"]
        labels = {
            "api_keys_allowed": _("Members can create API keys"),
            "api_keys_limited": _("API keys are limited"),
        }
        help_texts = {
            "api_keys_allowed": _("When off, only service accounts get new keys."),
            "api_keys_limited": _("Members choose permissions for each new key; no key has full access."),
        }
