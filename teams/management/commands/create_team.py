"""``manage.py create_team NAME --organization O --admin USER``."""

from typing import Any

from access.actor import SYSTEM
from common.management.base import JsonCommand
from teams.management.commands._arguments import organization_named, user_named
from teams.models import Team
from teams.teams.services import create_team


class Command(JsonCommand):
    help = "Create a team in an organization with its first admin. An existing one is left unchanged."

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument("name")
        parser.add_argument("--organization", required=True)
        parser.add_argument("--admin", required=True, metavar="USER")

    def run(self, *, name: str, organization: str, admin: str, **_: Any) -> dict[str, Any]:
        """Create, or say that it exists."""
        existing = Team.objects.filter(name__iexact=name).first()
        if existing is not None:
            return {"team": existing.name, "created": False, "message": "This team exists; nothing changed."}
        team = create_team(
            actor=SYSTEM, name=name, organization=organization_named(organization), admin=user_named(admin)
        )
        return {"team": team.name, "organization": organization, "created": True}
