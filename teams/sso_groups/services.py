"""Teams from the groups that a sign-in provider names (ACC-21), for organizations whose plan includes it."""

import logging

from django.db import transaction

from access.actor import SYSTEM
from access.audit.log import record
from accounts.models import User
from common.errors import DomainError
from teams.members.services import add_member, change_role, remove_member
from teams.models import GroupMapping, GroupMembership, Membership
from teams.plan_policy import organizations_with

logger = logging.getLogger(__name__)

FEATURE = "sso"


@transaction.atomic
def join_teams_of_groups(user: User, provider: str, groups: frozenset[str]) -> None:
    """Bring the memberships that this provider gave in line with the groups; all others are left alone.

    Of several groups that lead to one team the mapping made last counts. Where the plan does not include teams by
    groups, nobody comes in by them; who no longer is in a group goes all the same.
    """
    mappings = GroupMapping.objects.filter(provider=provider).select_related("team__organization", "role")
    wanted = {mapping.team_id: mapping for mapping in mappings if mapping.group in groups}
    have = organizations_with({mapping.team.organization_id or 0 for mapping in wanted.values()}, FEATURE)
    for mapping in wanted.values():
        if mapping.team.organization_id in have:
            _join(user, mapping)
    given = GroupMembership.objects.filter(provider=provider, membership__user=user)
    for mark in given.exclude(membership__team__in=wanted).select_related(
        "membership__team", "membership__user"
    ):
        _leave(mark)


def _join(user: User, mapping: GroupMapping) -> None:
    """Put somebody into a team; a refusal (no seat is left) ends no sign-in, it is written down for the admins."""
    try:
        with transaction.atomic():
            _put(user, mapping)
    except DomainError as error:
        names = (user, mapping.team, mapping.group, error.message)
        logger.warning("%s does not join the team %s by the group %s: %s", *names)
        record(
            SYSTEM, "group_mapping.refuse", mapping.team, organization_id=mapping.team.organization_id,
            team_id=mapping.team_id, after={"user": user.username, "group": mapping.group, "why": error.message},
        )  # fmt: skip


def _put(user: User, mapping: GroupMapping) -> None:
    membership = (
        Membership.objects.filter(team=mapping.team, user=user).select_related("role", "team").first()
    )
    if membership is None:
        membership = add_member(actor=SYSTEM, team=mapping.team, user=user, role=mapping.role)
        GroupMembership.objects.create(membership=membership, provider=mapping.provider)
    elif membership.role_id != mapping.role_id and hasattr(membership, "from_group"):
        change_role(actor=SYSTEM, membership=membership, role=mapping.role)


def _leave(mark: GroupMembership) -> None:
    try:
        with transaction.atomic():
            remove_member(actor=SYSTEM, membership=mark.membership)
    except DomainError:  # a team keeps its last admin, whatever the provider says
        return
