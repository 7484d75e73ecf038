"""Inviting several people at once, each answered on their own."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import require
from common.errors import DomainError, Invalid
from teams.access import OrganizationAction, TeamAction
from teams.invitations.services import invite, invite_to_organization
from teams.models import Organization, Role, Team

MOST = 100


@dataclass(slots=True)
class InvitationResults:
    """What became of a list of people."""

    invited: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Who, and why not."""

    @property
    def left(self) -> str:
        """Those to correct and try again, a line each."""
        return "\n".join(dict.fromkeys(who for who, _why in self.refused))


def people_in(text: str) -> list[str]:
    """Take addresses and usernames out of what was typed: by line, comma, semicolon or blank, each once.

    Raises:
        Invalid: nobody is named, or too many are.
    """
    people = list(
        {who.lower(): who for who in re.split(r"[\s,;]+", text.replace("\x00", "")) if who}.values()
    )
    if not people:
        raise Invalid(_("Enter an email address or username."))
    if len(people) > MOST:
        raise Invalid(_("You can invite at most %(most)d people at once.") % {"most": MOST})
    return people


def _try(results: InvitationResults, who: str, act: Callable[[], object]) -> None:
    try:
        act()
    except DomainError as error:
        results.refused.append((who, error.message))
    else:
        results.invited.append(who)


def _named(who: str) -> dict[str, str]:
    return {"email": who} if "@" in who else {"username": who}


def invite_people(*, actor: Actor, team: Team, role: Role, people: Iterable[str]) -> InvitationResults:
    """Invite each of them to a team; a refusal of one stops no other."""
    require(actor, TeamAction.INVITE, team)
    return _invite(actor, [(team, role)], people)


def invite_within(
    *,
    actor: Actor,
    organization: Organization,
    role: Role,
    people: Iterable[str],
    teams: Iterable[tuple[Team, Role]] = (),
) -> InvitationResults:
    """Invite each of them to teams of an organization, with a role in each, or, without teams, to itself alone.

    Args:
        actor: An admin of the organization.
        organization: Which one; whoever accepts belongs to it.
        role: In the organization, for who is invited to it alone; who joins by a team is a member.
        people: Addresses and usernames.
        teams: With the role in each.
    """
    require(actor, OrganizationAction.MANAGE_MEMBERS, organization)
    if chosen := list(teams):
        return _invite(actor, chosen, people)
    results = InvitationResults()
    alone = partial(invite_to_organization, actor=actor, organization=organization, role=role)
    for who in people:
        _try(results, who, partial(alone, **_named(who)))
    return results


def _invite(actor: Actor, roles: list[tuple[Team, Role]], people: Iterable[str]) -> InvitationResults:
    results = InvitationResults()
    for who in people:
        for team, role in roles:
            _try(results, who, partial(invite, actor=actor, team=team, role=role, **_named(who)))
    results.invited = list(dict.fromkeys(results.invited))
    return results
