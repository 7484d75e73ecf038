"""``manage.py backup PATH``."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from common.backups.writing import back_up
from common.management.base import JsonCommand


class Command(JsonCommand):
    help = (
        "Back up the database, files and secret key into one file, while Runyard runs; prints what it holds."
    )

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument("path", type=Path, help="A new file, or a folder to name one in.")

    def run(self, *, path: Path, **_: Any) -> dict[str, Any]:
        """Write it.

        Raises:
            CommandError: there is no room, or no right to write there.
        """
        try:
            return back_up(path.expanduser().absolute())
        except OSError as error:
            raise CommandError(f"Cannot write the backup {path}: {error}.") from error
