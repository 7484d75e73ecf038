"""``manage.py move_database --to URL``."""

import time
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from common.database.moving import services
from common.management.base import JsonCommand
from common.server.start_checks import StartError, only_one

_TOLD_EVERY_S = 1.0


class Command(JsonCommand):
    _told_at = 0.0
    help = (
        "Copy the SQLite database into an empty PostgreSQL one, while Runyard is stopped, and compare them."
    )

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--to", required=True, metavar="URL", help="postgres://user:password@host:5432/name"
        )
        parser.add_argument(
            "--check", action="store_true", help="Only compare what was moved; change nothing."
        )

    def run(self, *, to: str, check: bool, **_: Any) -> dict[str, Any]:
        """Move or compare; says what was found, table by table."""
        begin = time.monotonic()
        try:
            with only_one(settings.DATA_FOLDER):
                found = (services.compare if check else services.move)(to, self._tell)
        except StartError as error:
            raise CommandError(str(error)) from None
        return found | {"seconds": round(time.monotonic() - begin, 1)}

    def _tell(self, line: str) -> None:
        """Say now and then how far it is, apart from the result."""
        if time.monotonic() - self._told_at >= _TOLD_EVERY_S:
            self._told_at = time.monotonic()
            self.stderr.write(line)
