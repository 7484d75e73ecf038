"""``manage.py create_backup_key FILE``."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from common.backups.encryption import create_identity
from common.management.base import JsonCommand


class Command(JsonCommand):
    help = "Write a new private key for encrypted backups; prints the public key that `backup --encrypt-to` takes."

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument("path", type=Path, help="A new file; keep it away from the backups.")

    def run(self, *, path: Path, **_: Any) -> dict[str, Any]:
        """Write it.

        Raises:
            CommandError: the file cannot be written.
        """
        path = path.expanduser().absolute()
        try:
            return {"identity": str(path), "public_key": create_identity(path)}
        except OSError as error:
            raise CommandError(f"Cannot write {path}: {error}.") from error
