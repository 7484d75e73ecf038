"""Forms of the profile section."""

from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import Profile
from accounts.profile.pictures import Crop
from accounts.profile.services import MAX_LINKS, Link, Named, ProfileFields


class ProfileForm(forms.Form):
    """Name, institution, location, a sentence, links; a blank row for a link is left out."""

    display_name = forms.CharField(label=_("Display name"), max_length=120, required=False)
    bio = forms.CharField(
        label=_("Bio"),
        max_length=200,
        required=False,
        help_text=_("Shown under your name. There is more room in the intro."),
    )
    institution = forms.CharField(label=_("Institution"), max_length=120, required=False)
    location = forms.CharField(label=_("Location"), max_length=120, required=False)

    def __init__(self, row: Named, profile: Profile, data: Any = None) -> None:
        initial = {name: getattr(profile, name) for name in ("bio", "institution", "location")}
        initial["display_name"] = row.display_name
        for number, link in enumerate(profile.links, 1):
            initial |= {f"label_{number}": link["label"], f"url_{number}": link["url"]}
        super().__init__(data, initial=initial)
        for number in range(1, MAX_LINKS + 1):
            self.fields[f"label_{number}"] = forms.CharField(
                label=_("Text for link %(n)s") % {"n": number}, max_length=60, required=False
            )
            self.fields[f"url_{number}"] = forms.URLField(
                label=_("Address for link %(n)s") % {"n": number},
                max_length=400,
                required=False,
                assume_scheme="https",
            )
        self.shown = min(MAX_LINKS, len(profile.links) + 1)

    def short_fields(self) -> list[forms.BoundField]:
        """Return what is not a link."""
        return [bound for bound in self if not bound.name.startswith(("label_", "url_"))]

    def link_rows(self) -> list[dict[str, forms.BoundField]]:
        """Return the rows with a link, and one more; without a script that is how one is added."""
        numbers = range(1, MAX_LINKS + 1)
        rows = [{"label": self[f"label_{n}"], "url": self[f"url_{n}"]} for n in numbers]
        filled = [n for n in numbers if any(self[f"{part}_{n}"].value() for part in ("label", "url"))]
        return rows[: max(self.shown, *filled, 0)]

    def words(self) -> ProfileFields:
        """Return what was filled in."""
        given = self.cleaned_data
        links = [
            Link(label=given[f"label_{n}"].strip() or _host(given[f"url_{n}"]), url=given[f"url_{n}"])
            for n in range(1, MAX_LINKS + 1)
            if given[f"url_{n}"]
        ]
        return ProfileFields(given["bio"], given["institution"], given["location"], links)


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].removeprefix("www.")


class NameForm(forms.Form):
    """What pages call a row that tells no more about itself than its name and picture."""

    display_name = forms.CharField(label=_("Display name"), max_length=120, required=False)


class CropForm(forms.Form):
    """The square that the crop tool chose; all or none."""

    left = forms.FloatField(required=False)
    top = forms.FloatField(required=False)
    side = forms.FloatField(required=False, min_value=1)

    def crop(self) -> Crop | None:
        """Return the square, None for the middle of the picture."""
        if not self.is_valid() or None in self.cleaned_data.values():
            return None
        given = cast("dict[str, float]", self.cleaned_data)
        return Crop(given["left"], given["top"], given["side"])
