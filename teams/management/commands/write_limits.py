"""``manage.py write_limits``: write the tables of docs/use/limits.md."""

from typing import Any

from django.core.management.base import BaseCommand

from teams.management.limits_document import FILE, limits_page


class Command(BaseCommand):
    help = "Rewrites the tables of docs/use/limits.md."

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file."""
        FILE.write_text(limits_page())
        self.stdout.write(f"{FILE} written.")
