"""``manage.py backup PATH``."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from common.backups.encryption import read_recipients
from common.backups.writing import back_up
from common.management.base import JsonCommand


class Command(JsonCommand):
    help = (
        "Back up the database, files and secret key into one file, while Runyard runs; prints what it holds."
    )

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument("path", type=Path, help="A new file, or a folder to name one in.")
        parser.add_argument(
            "--incremental", action="store_true", help="Leave out files that the last full backup holds."
        )
        parser.add_argument(
            "--encrypt-to", action="append", default=[], metavar="KEY",
            help="Encrypt it for a public key of age or SSH, or for those of a file; repeatable.",
        )  # fmt: skip

    def run(self, *, path: Path, incremental: bool, encrypt_to: list[str], **_: Any) -> dict[str, Any]:
        """Write it.

        Raises:
            CommandError: there is no room, or no right to write there.
        """
        recipients = read_recipients(encrypt_to)
        try:
            return back_up(path.expanduser().absolute(), recipients=recipients, is_incremental=incremental)
        except OSError as error:
            raise CommandError(f"Cannot write the backup {path}: {error}.") from error
