"""The form of a new registry, and what forms say of visibility and types."""

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from artifacts.models import RegistryRole
from artifacts.registries.services import MAX_NAME
from artifacts.versions.texts import MAX_DESCRIPTION

EVERYONE: tuple[tuple[str, Promise, Promise], ...] = (
    (RegistryRole.VIEWER, _("Everyone in the organization can view and download"),
     _("Recommended: everyone can find and use versions; members publish them.")),
    (RegistryRole.MEMBER, _("Everyone in the organization can publish"),
     _("Everyone can also link versions and set aliases and tags.")),
    (RegistryRole.RESTRICTED_VIEWER, _("Everyone in the organization can view"),
     _("Everyone can browse; only members can download files.")),
    ("", _("Members only"), _("Only its members and the organization’s admins can see it.")),
)  # fmt: skip
"""What everybody may be: the value, what it is called, and what it means."""


def words_of(text: str) -> list[str]:
    """Return the names in a text, which commas or ends of lines part."""
    return [word.strip() for word in text.replace("\n", ",").split(",") if word.strip()]


class NewRegistryForm(forms.Form):
    """Name, description, visibility and types; the service checks what they may be."""

    name = forms.CharField(
        label=_("Name"), max_length=MAX_NAME,
        help_text=_("In code, its name begins with wandb-registry-, for example wandb-registry-vision."),
    )  # fmt: skip
    description = forms.CharField(
        label=_("Description"), max_length=MAX_DESCRIPTION, required=False,
        help_text=_("Markdown: headings, lists, tables, links, code"), widget=forms.Textarea({"rows": 4}),
    )  # fmt: skip
    everyone_role = forms.ChoiceField(
        label=_("Visibility"), required=False, initial=RegistryRole.VIEWER.value,
        choices=[(value, name) for value, name, _help in EVERYONE],
    )  # fmt: skip
    types = forms.CharField(
        label=_("Artifact types"), max_length=4000, required=False,
        help_text=_("The types that can be linked, separated by commas. Leave empty for all types."),
    )  # fmt: skip
    everyone = EVERYONE

    def given(self) -> dict[str, Any]:
        """Return what `create_registry` takes."""
        return {**self.cleaned_data, "types": words_of(self.cleaned_data["types"])}
