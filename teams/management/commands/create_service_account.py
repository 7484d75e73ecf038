"""``manage.py create_service_account TEAM NAME``."""

from typing import Any

from access.actor import SYSTEM
from accounts.api_keys.services import create_api_key
from common.management.base import JsonCommand
from teams.management.commands._arguments import team_named
from teams.models import ServiceAccount
from teams.service_accounts.services import create_service_account


class Command(JsonCommand):
    help = "Create a service account for a team and a first API key. An existing one is left unchanged."

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument("team")
        parser.add_argument("name")

    def run(self, *, team: str, name: str, **_: Any) -> dict[str, Any]:
        """Create, or say that it exists."""
        row = team_named(team)
        existing = ServiceAccount.objects.filter(team=row, label=name).select_related("user").first()
        if existing is not None:
            message = "This service account exists; nothing changed."
            answer = {"team": row.name, "name": name, "username": existing.user.username}
            return {**answer, "created": False, "message": message}
        account = create_service_account(actor=SYSTEM, team=row, label=name)
        _key, secret = create_api_key(actor=SYSTEM, owner=account.user, label="create_service_account")
        username = account.user.username
        return {"team": row.name, "name": name, "username": username, "created": True, "api_key": secret}
