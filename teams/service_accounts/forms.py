"""Forms of the pages of service accounts."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from teams.models import Organization, Role, RoleLevel, ServiceAccount, Team
from teams.roles.builtin import roles_for, roles_of_service_accounts


class RoleChoice(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic when it runs
    """Roles by what pages call them."""

    def label_from_instance(self, obj: Any) -> str:
        """Name the role in the reader's language."""
        return str(obj if obj.level == RoleLevel.ORGANIZATION else obj.full_label)


class ServiceAccountForm(forms.Form):
    """What an account is called, what for, its role, and where an organization's logs by default."""

    label = forms.CharField(
        label=_("Name"), max_length=64,
        help_text=_("Letters, digits, “-”, “_” and “.”, for example “nightly-bot”."),
    )  # fmt: skip
    description = forms.CharField(
        label=_("Description"), max_length=200, required=False,
    )  # fmt: skip
    role = RoleChoice(
        Role.objects.none(), label=_("Role"), empty_label=None,
        help_text=_("Members can log and edit runs, which is enough for training jobs."),
    )  # fmt: skip
    default_team = forms.ModelChoiceField(
        Team.objects.none(), label=_("Default team"), required=False, empty_label=_("None"),
        help_text=_("Where runs go that do not specify a team (WANDB_ENTITY)."),
    )  # fmt: skip

    def __init__(
        self,
        *args: Any,
        organization: Organization,
        team: Team | None,
        account: ServiceAccount | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        role, default_team = self.fields["role"], self.fields["default_team"]
        assert isinstance(role, forms.ModelChoiceField)  # noqa: S101 - for the type checker
        assert isinstance(default_team, forms.ModelChoiceField)  # noqa: S101 - as above
        roles = (roles_of_service_accounts if team is None else roles_for)(organization.pk)
        role.queryset = roles
        if team is None:
            default_team.queryset = Team.objects.live().filter(organization=organization)
        else:
            del self.fields["default_team"]
        self.initial = {**self.initial, **_initial(account, roles)}


def _initial(account: ServiceAccount | None, roles: Any) -> dict[str, Any]:
    if account is None:
        return {"role": next((role.pk for role in roles if role.preset == "M"), None)}
    role = account.effective_role
    return {
        "label": account.label, "description": account.description, "role": role.pk if role else None,
        "default_team": account.default_team_id,
    }  # fmt: skip
