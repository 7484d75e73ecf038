"""What of a team is open to whom (TEAM-8), and what an organization wants alike in all its teams."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from common.errors import Conflict
from teams.access import OrganizationAction, TeamAction
from teams.models import SHARED_KINDS, Organization, Team
from teams.roles.signals import send_rights_changed
from teams.teams.participants import PublicProject, team_participants


@dataclass(frozen=True, slots=True)
class Switch:
    """One setting: a column of teams that is true or false."""

    name: str
    label: str | Promise
    help: str | Promise


SWITCHES = (
    Switch(
        "public_projects_allowed",
        gettext_lazy("Allow public projects"),
        gettext_lazy(
            "When off, no project can be made Public or Open. Existing ones stay as they are until you "
            "close them."
        ),
    ),
    Switch(
        "is_hidden",
        gettext_lazy("Hide this team from non-members"),
        gettext_lazy(
            "Its page and name do not appear to them or in search. Public projects stay available by link."
        ),
    ),
    Switch(
        "members_may_invite",
        gettext_lazy("Every member can invite"),
        gettext_lazy("Not only team admins. No one can assign a role above their own."),
    ),
    Switch(
        "code_saving_default",
        gettext_lazy("Save code by default"),
        gettext_lazy("Members’ SDKs upload the program that logs, unless they opt out."),
    ),
    Switch(
        "code_saving_allowed",
        gettext_lazy("Allow code saving"),
        gettext_lazy(
            "When off, the program and its diff are never stored, regardless of the script or its author’s "
            "settings."
        ),
    ),
)


def public_projects(teams: Iterable[Team]) -> list[PublicProject]:
    """Return the public projects of teams whose privacy the caller may see."""
    return [project for participant in team_participants() for project in participant.public_projects(teams)]


def close_projects(*, actor: Actor, teams: Iterable[Team], keys: Iterable[int] | None) -> int:
    """Close public projects, all of them for None; return how many."""
    return sum(participant.close_projects(actor, teams, keys) for participant in team_participants())


def enforced(team: Team) -> dict[str, bool]:
    """Return the switches that the team's organization decides."""
    return dict(team.organization.enforced_privacy) if team.organization else {}


@transaction.atomic
def set_privacy(*, actor: Actor, team: Team, values: Mapping[str, bool]) -> Team:
    """Turn switches of a team; those not named stay.

    Raises:
        Conflict: the organization decides one of them for all its teams.
    """
    require(actor, TeamAction.MANAGE_PRIVACY, team)
    # locked first: its organization, read only then, may be enforcing at this very moment
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    changed = {name: value for name, value in values.items() if getattr(team, name) != value}
    for name in changed:
        if name in enforced(team):
            label = next(switch.label for switch in SWITCHES if switch.name == name)
            names = {"organization": team.organization, "switch": label}
            raise Conflict(_("%(organization)s sets “%(switch)s” for all its teams.") % names)
    before = {name: getattr(team, name) for name in changed}
    for name, value in changed.items():
        setattr(team, name, value)
    if changed:
        team.save(update_fields=[*changed, "updated_at"])
        record(
            actor, TeamAction.MANAGE_PRIVACY, team, organization_id=team.organization_id, team_id=team.pk,
            before=before, after=changed,
        )  # fmt: skip
        send_rights_changed()
    return team


@transaction.atomic
def enforce_privacy(*, actor: Actor, organization: Organization, values: Mapping[str, bool | None]) -> None:
    """Decide switches for all teams of the organization, those it will have included; None leaves them to each.

    The value is written into every team, so that who reads a team's switch need not know of organizations.
    """
    require(actor, OrganizationAction.MANAGE_SETTINGS, organization)
    row = Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    before = dict(row.enforced_privacy)
    after = {name: value for name, value in {**before, **values}.items() if value is not None}
    if after == before:
        return
    row.enforced_privacy = after
    row.save(update_fields=["enforced_privacy", "updated_at"])
    if after:
        row.teams.filter(kind__in=SHARED_KINDS).update(**after)
    record(actor, "organization.enforce_privacy", row, organization_id=row.pk, before=before, after=after)
    send_rights_changed()
