"""``manage.py add_member TEAM USER --role ROLE``."""

from typing import Any

from django.core.management.base import CommandError

from access.actor import SYSTEM
from common.management.base import JsonCommand
from teams.management.commands._arguments import team_named, user_named
from teams.members import services
from teams.models import Membership, Role, Team
from teams.roles.builtin import team_role_named


def _role_named(team: Team, name: str) -> Role:
    role = team_role_named(name)
    if role is None and team.organization_id is not None:
        role = Role.objects.filter(organization_id=team.organization_id, name__iexact=name).first()
    if role is None:
        raise CommandError(
            f"Unknown role “{name}”. Use view-only, member, admin, or a custom role of the organization."
        )
    return role


class Command(JsonCommand):
    help = "Add a user to a team with a role. Existing members keep their role."

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument("team")
        parser.add_argument("user")
        parser.add_argument("--role", required=True)

    def run(self, *, team: str, user: str, role: str, **_: Any) -> dict[str, Any]:
        """Add, or say that they are in it."""
        row, person = team_named(team), user_named(user)
        chosen = _role_named(row, role)
        existing = Membership.objects.filter(team=row, user=person).select_related("role").first()
        answer = {"team": row.name, "username": person.username}
        if existing is not None:
            message = "This user is already a member; nothing changed."
            return {**answer, "role": existing.role.name, "created": False, "message": message}
        services.add_member(actor=SYSTEM, team=row, user=person, role=chosen)
        return {**answer, "role": chosen.name, "created": True}
