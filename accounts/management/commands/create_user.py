"""``manage.py create_user NAME --email E [--password P] [--operator]``."""

from typing import Any

from access.actor import SYSTEM
from accounts.api_keys import services as key_services
from accounts.lifecycle import services
from accounts.models import User
from common.crypto import random_text
from common.management.base import JsonCommand


class Command(JsonCommand):
    help = "Create a person and a first API key; prints both as JSON. An existing user is left unchanged."

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument("name")
        parser.add_argument("--email", required=True)
        parser.add_argument("--password", help="Generated and printed if not given.")
        parser.add_argument("--operator", action="store_true", help="Can run the installation.")

    def run(self, *, name: str, email: str, password: str | None, operator: bool, **_: Any) -> dict[str, Any]:
        """Create, or say that it exists."""
        existing = User.objects.filter(username__iexact=name).first()
        if existing is not None:
            return {
                "username": existing.username,
                "created": False,
                "message": "This user exists; nothing changed.",
            }
        secret = password or random_text(20)
        user = services.create_user(
            actor=SYSTEM, username=name, email=email, password=secret, is_operator=operator
        )
        _key, api_key = key_services.create_api_key(actor=SYSTEM, owner=user, label="create_user")
        result = {
            "username": user.username,
            "created": True,
            "email": email,
            "operator": operator,
            "api_key": api_key,
        }
        return result if password else {**result, "password": secret}
