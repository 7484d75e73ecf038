"""``manage.py restore FILE``."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from common.backups.encryption import read_identities
from common.backups.reading import Source, restore, verify
from common.management.base import JsonCommand
from common.server.start_checks import StartError, only_one


class Command(JsonCommand):
    help = "Put an installation back from a backup, while Runyard is stopped; prints what it did."

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument("path", type=Path, help="The file that `backup` wrote.")
        parser.add_argument("--check", action="store_true", help="Only verify the backup; change nothing.")
        parser.add_argument("--force", action="store_true", help="Replace an installation that is not empty.")
        parser.add_argument(
            "--identity", action="append", default=[], type=Path, metavar="FILE",
            help="A private key of age or SSH that opens it; repeatable.",
        )  # fmt: skip
        parser.add_argument(
            "--base",
            type=Path,
            help="The full backup that an incremental one needs, unless it lies beside it.",
        )

    def run(
        self, *, path: Path, check: bool, force: bool, identity: list[Path], base: Path | None, **_: Any
    ) -> dict[str, Any]:
        """Verify or restore.

        Raises:
            CommandError: the file cannot be read, or the data folder not written.
        """
        path = path.expanduser().absolute()
        base = base.expanduser().absolute() if base else None
        try:
            source = Source(path, base, read_identities(identity))
            if check:
                return verify(source)
            with only_one(settings.DATA_FOLDER):
                return restore(source, replace=force)
        except StartError as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"Cannot restore {path}: {error}.") from error
