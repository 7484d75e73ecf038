"""Django's command by this name knows nothing of names and personal teams; point to ours."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Use `create_user NAME --email E --operator` instead."

    def handle(self, *args: Any, **options: Any) -> None:
        """Say what to use."""
        raise CommandError(self.help)
