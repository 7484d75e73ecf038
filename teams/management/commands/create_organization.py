"""``manage.py create_organization NAME --admin USER``."""

from typing import Any

from access.actor import SYSTEM
from common.management.base import JsonCommand
from teams.management.commands._arguments import user_named
from teams.models import Organization
from teams.organizations.services import create_organization


class Command(JsonCommand):
    help = "Create an organization with its first admin. An existing one is left unchanged."

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument("name")
        parser.add_argument("--admin", required=True, metavar="USER")

    def run(self, *, name: str, admin: str, **_: Any) -> dict[str, Any]:
        """Create, or say that it exists."""
        existing = Organization.objects.filter(name__iexact=name).first()
        if existing is not None:
            message = "This organization exists; nothing changed."
            return {"organization": existing.name, "created": False, "message": message}
        organization = create_organization(actor=SYSTEM, name=name, admin=user_named(admin))
        return {"organization": organization.name, "created": True}
