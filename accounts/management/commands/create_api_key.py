"""``manage.py create_api_key NAME [--label L]``."""

from typing import Any

from django.core.management.base import CommandError

from access.actor import SYSTEM
from accounts.api_keys import services
from accounts.models import ApiKey, User
from common.management.base import JsonCommand


class Command(JsonCommand):
    help = "Create an API key for a user or service account. An existing label is left unchanged."

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument("name")
        parser.add_argument("--label", default="", help="Create a key with this label only once.")

    def run(self, *, name: str, label: str, **_: Any) -> dict[str, Any]:
        """Create, or say that it exists."""
        owner = User.objects.filter(username__iexact=name).first()
        if owner is None:
            raise CommandError(f"User “{name}” doesn’t exist.")
        existing = ApiKey.objects.filter(user=owner, label=label).first() if label else None
        if existing is not None:
            message = "A key with this label exists; its secret cannot be shown again."
            return {
                "username": owner.username,
                "created": False,
                "prefix": existing.prefix,
                "message": message,
            }
        key, secret = services.create_api_key(actor=SYSTEM, owner=owner, label=label)
        return {"username": owner.username, "created": True, "prefix": key.prefix, "api_key": secret}
