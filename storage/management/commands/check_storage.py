"""``manage.py check_storage``: whether the bucket of the settings does all that is asked of it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from common.errors import DomainError
from storage.buckets.services import check_default_bucket, create_default_bucket, default_bucket


class Command(BaseCommand):
    help = "Write, read, list and delete a probe in the bucket of RUNYARD_STORAGE_URL."

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--create", action="store_true", help="Create the bucket where there is none (S3)."
        )

    def handle(self, *args: Any, create: bool = False, **options: Any) -> None:
        """Check, and say so.

        Raises:
            CommandError: it cannot be used; says why.
        """
        if create:
            self.create()
        bucket = default_bucket()
        if bucket is None:
            self.stdout.write("New files go to the data folder: RUNYARD_STORAGE_URL is not set.")
            return
        if error := check_default_bucket():
            raise CommandError(f"The bucket {bucket} cannot be used: {error}")
        self.stdout.write(f"New files go to the bucket {bucket}, which was tried.")

    def create(self) -> None:
        """Create the bucket where there is none.

        Raises:
            CommandError: it cannot be created; says why.
        """
        try:
            if create_default_bucket():
                self.stdout.write(f"The bucket {default_bucket()} was created.")
        except DomainError as error:
            raise CommandError(f"The bucket cannot be created: {error.message}") from error
