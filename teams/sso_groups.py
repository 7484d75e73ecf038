"""Teams from the groups that a sign-in provider names (ACC-21)."""

from django.db import transaction

from access.actor import SYSTEM
from accounts.models import User
from common.errors import DomainError
from teams.models import Membership
from teams.services import add_member, change_role, remove_member
from teams.sso_models import GroupMapping, GroupMembership


@transaction.atomic
def join_teams_of_groups(user: User, provider: str, groups: frozenset[str]) -> None:
    """Bring the memberships that this provider gave in line with the groups; all others are left alone.

    Of several groups that lead to one team the mapping made last counts.
    """
    mappings = GroupMapping.objects.filter(provider=provider).select_related("team", "role")
    wanted = {mapping.team_id: mapping for mapping in mappings if mapping.group in groups}
    for mapping in wanted.values():
        _join(user, mapping)
    given = GroupMembership.objects.filter(provider=provider, membership__user=user)
    for mark in given.exclude(membership__team__in=wanted).select_related(
        "membership__team", "membership__user"
    ):
        _leave(mark)


def _join(user: User, mapping: GroupMapping) -> None:
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
