"""Which visibility a team's projects may have, and what each means (TEAM-24)."""

from typing import NamedTuple

from django.utils.translation import gettext as _

from common.errors import Conflict, Invalid
from teams.models import Team, Visibility


class Choice(NamedTuple):
    """A visibility as pages offer it."""

    value: str
    label: str
    says: str


def visibility_choices(team: Team, current: str = "") -> list[Choice]:
    """Return the visibilities that a project of the team may have, and the one it has; the team's comes first."""
    says = {
        Visibility.TEAM: _("Only you.") if team.is_personal else _("Everyone in the team."),
        Visibility.RESTRICTED: _("Only invited members of the team."),
        Visibility.PUBLIC: _("Anyone can view; only the team can log runs."),
        Visibility.OPEN: _("Anyone can view, and anyone signed in can log runs."),
    }
    return [
        Choice(one.value, visibility_label(team, one), words)
        for one, words in says.items()
        if one == current or _fits(team, one)
    ]


def visibility_label(team: Team, visibility: str) -> str:
    """Return what pages call a visibility in the team; in a personal entity, Team means Private."""
    if visibility == Visibility.TEAM and team.is_personal:
        return str(_("Private"))
    return str(Visibility(visibility).label)


def _fits(team: Team, visibility: Visibility) -> bool:
    if visibility == Visibility.RESTRICTED:
        return not team.is_personal
    return team.public_projects_allowed or not visibility.is_public


def check_visibility(team: Team, visibility: str) -> None:
    """Refuse what the team's projects cannot have.

    Raises:
        Invalid: no such visibility, or Restricted in a personal entity.
        Conflict: the team's privacy forbids public projects.
    """
    if visibility not in Visibility.values:
        raise Invalid(f"“{visibility}” isn’t a valid visibility: {', '.join(Visibility.values)}.")
    if _fits(team, Visibility(visibility)):
        return
    if visibility == Visibility.RESTRICTED:
        raise Invalid(_("A personal project must be Private, Public or Open."))
    raise Conflict(
        _("The privacy settings of %(team)s do not allow public projects; an organization admin sets them.")
        % {"team": team}
    )
