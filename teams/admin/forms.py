"""What acts on organizations and teams ask operators for."""

from typing import Any

from django import forms
from django.db.models import Q

from accounts.operators.admin_actions import AdminActionForm
from accounts.operators.admin_forms import UserField
from teams.models import ProductAccess, Role, RoleLevel, TeamKind
from teams.organizations.services import MAX_KEY_DAYS
from teams.teams.privacy import SWITCHES

_KINDS = [(kind.value, kind.label) for kind in (TeamKind.WORK, TeamKind.ACADEMIC)]
_EACH = [("", "Each team decides"), ("yes", "On in all teams"), ("no", "Off in all teams")]


def _team_roles(organization_id: int | None) -> Any:
    own = Q(organization_id=organization_id) if organization_id else Q()
    return Role.objects.filter(~Q(preset="") | own, level=RoleLevel.TEAM)


class NewOrganizationForm(AdminActionForm):
    """A name and who leads it."""

    name = forms.CharField(
        max_length=64, help_text="Unique among users, teams and organizations; it never changes."
    )
    admin = UserField(label="First admin", help_text="Username or verified address.")


class OrganizationSettingsForm(AdminActionForm):
    """What its admins set on its settings page."""

    display_name = forms.CharField(max_length=120, required=False)
    api_keys_allowed = forms.BooleanField(required=False, label="Members may create API keys")
    api_key_max_days = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_KEY_DAYS,
        label="API key lifetime (days)",
        help_text="At most, of new keys; empty means no limit.",
    )

    def prepare(self) -> None:
        """Fill in what there is."""
        self.initial.update({name: getattr(self.row, name) for name in self.fields})


class EnforcedPrivacyForm(AdminActionForm):
    """One choice per switch."""

    def prepare(self) -> None:
        """Fill in what is enforced."""
        for switch in SWITCHES:
            enforced = self.row.enforced_privacy.get(switch.name)
            initial = "" if enforced is None else "yes" if enforced else "no"
            self.fields[switch.name] = forms.ChoiceField(
                choices=_EACH,
                required=False,
                label=str(switch.label),
                help_text=str(switch.help),
                initial=initial,
            )


class PrivacyForm(AdminActionForm):
    """The switches of one team."""

    def prepare(self) -> None:
        """Fill in what there is."""
        for switch in SWITCHES:
            self.fields[switch.name] = forms.BooleanField(
                required=False,
                label=str(switch.label),
                help_text=str(switch.help),
                initial=getattr(self.row, switch.name),
            )


class NewTeamForm(AdminActionForm):
    """A team of the organization."""

    name = forms.CharField(
        max_length=64, help_text="Unique among users, teams and organizations; it never changes."
    )
    kind = forms.ChoiceField(choices=_KINDS)
    admin = UserField(label="First admin", help_text="Username or verified address.")


class TeamSettingsForm(AdminActionForm):
    """What its admins set on its settings page."""

    display_name = forms.CharField(max_length=120, required=False)
    kind = forms.ChoiceField(choices=_KINDS)

    def prepare(self) -> None:
        """Fill in what there is."""
        self.initial.update(display_name=self.row.display_name, kind=self.row.kind)


class TypedNameForm(AdminActionForm):
    """The name, so that nobody deletes by mistake."""

    typed = forms.CharField(label="Name", help_text="Type the team’s name to confirm.")


class RoleForm(AdminActionForm):
    """A role in a team: a built-in one, or one of its organization."""

    role = forms.ModelChoiceField(Role.objects.none())

    def prepare(self) -> None:
        """Offer the roles of the row's team."""
        team = getattr(self.row, "team", self.row)
        field: Any = self.fields["role"]
        field.queryset = _team_roles(team.organization_id)
        if hasattr(self.row, "role_id"):
            self.initial["role"] = self.row.role_id


class MemberForm(RoleForm):
    """Who joins, with which role."""

    user = UserField(help_text="Username or verified address.")
    field_order = ("user", "role")


class InviteForm(RoleForm):
    """Who is asked, with which role."""

    who = forms.CharField(max_length=254, label="Person", help_text="Email address or username.")
    field_order = ("who", "role")


class OrganizationMemberForm(AdminActionForm):
    """A role in an organization, and how far somebody reaches into its products."""

    role = forms.ModelChoiceField(Role.objects.filter(level=RoleLevel.ORGANIZATION))
    models_access = forms.ChoiceField(choices=ProductAccess.choices)
    weave_access = forms.ChoiceField(choices=ProductAccess.choices)

    def prepare(self) -> None:
        """Fill in what there is."""
        self.initial.update(
            role=self.row.role_id, models_access=self.row.models_access, weave_access=self.row.weave_access
        )
