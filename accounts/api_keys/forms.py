"""Forms of API keys: name, lifetime, reach."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.api_keys.scopes import CHOSEN, Choice, Reach, action_groups, reaches, with_views


class ReachForm(forms.Form):
    """What a key may do: one of the ready-made reaches, or single actions of the registry."""

    reach = forms.ChoiceField(label=_("Permissions"), widget=forms.RadioSelect)
    actions = forms.MultipleChoiceField(label=_("Actions"), required=False)

    def __init__(self, *args: Any, within: Collection[str] | None = None, **kwargs: Any) -> None:
        """Offer what lies ``within``; all for None."""
        super().__init__(*args, **kwargs)
        self.within = None if within is None else frozenset(within)
        self.offered: list[Reach] = [reach for reach in reaches() if self._is_within(reach)]
        self.groups: list[tuple[str, list[Choice]]] = action_groups(self.within)
        field, actions = self.fields["reach"], self.fields["actions"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for the type checker
        assert isinstance(actions, forms.MultipleChoiceField)  # noqa: S101 - as above
        field.choices = [
            *((reach.key, str(reach.label)) for reach in self.offered),
            (CHOSEN, _("Selected permissions")),
        ]
        actions.choices = [(choice.action, choice.label) for _name, group in self.groups for choice in group]
        self.initial.setdefault("reach", self.offered[0].key if self.offered else CHOSEN)

    def _is_within(self, reach: Reach) -> bool:
        return self.within is None or (reach.actions is not None and reach.actions < self.within)

    @property
    def chosen_reach(self) -> str:
        """The ticked reach."""
        return str(self["reach"].value() or "")

    @property
    def chosen_actions(self) -> list[str]:
        """The ticked actions."""
        return list(self["actions"].value() or [])

    def clean(self) -> dict[str, Any]:
        """Want an action where single ones are chosen."""
        data = super().clean() or self.cleaned_data
        if data.get("reach") == CHOSEN and not data.get("actions") and "actions" not in self.errors:
            self.add_error("actions", _("Choose at least one permission."))
        return data

    def scopes(self) -> frozenset[str] | None:
        """Return the actions of a valid form; seeing what they are done to is among them."""
        if self.cleaned_data["reach"] == CHOSEN:
            chosen = with_views(self.cleaned_data["actions"])
            return chosen if self.within is None else chosen & self.within
        return next(reach.actions for reach in self.offered if reach.key == self.cleaned_data["reach"])


class ApiKeyForm(ReachForm):
    """Name, lifetime and reach of a new key."""

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
