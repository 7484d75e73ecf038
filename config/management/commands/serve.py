"""``manage.py serve``, for `manage.py help` and callers within a process that has Django: `config.serve` does it."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from config.serve import main


class Command(BaseCommand):
    help = (
        "Migrate the database, then run web, worker, beat and (without RUNYARD_REDIS_URL) Redis until Ctrl-C."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve."""
        sys.exit(main())
