"""``manage.py create_first_operator``: what ``make run`` calls on an empty database."""

from typing import Any

from django.core.management.base import BaseCommand

from access.actor import SYSTEM
from accounts.lifecycle import services
from accounts.models import User
from common.crypto import random_text

NAME = "operator"


class Command(BaseCommand):
    help = "Create the first operator and print its password once; does nothing when any user exists."

    def handle(self, *args: Any, **options: Any) -> None:
        """Create on an empty database only."""
        if User.objects.exists():
            return
        password = random_text(16)
        services.create_user(
            actor=SYSTEM,
            username=NAME,
            email=f"{NAME}@localhost.localdomain",
            password=password,
            is_operator=True,
        )
        self.stdout.write(
            "\n  A first operator was created. Sign in with\n\n"
            f"      username  {NAME}\n      password  {password}\n\n"
            "  The password is not shown again.\n"
        )
