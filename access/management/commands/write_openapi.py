"""``manage.py write_openapi``: write the description of the REST API into docs/openapi.json."""

from typing import Any

from django.core.management.base import BaseCommand

from access.openapi.schema import FILE, document_text


class Command(BaseCommand):
    help = "Rewrites docs/openapi.json."

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file."""
        FILE.write_text(document_text())
        self.stdout.write(f"{FILE} is written.")
