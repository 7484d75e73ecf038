"""``manage.py check_storage``: whether the bucket of the settings does all that is asked of it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from storage.buckets.services import check_default_bucket, default_bucket


class Command(BaseCommand):
    help = "Write, read, list and delete a probe in the bucket of RUNYARD_STORAGE_URL."

    def handle(self, *args: Any, **options: Any) -> None:
        """Check, and say so.

        Raises:
            CommandError: it cannot be used; says why.
        """
        bucket = default_bucket()
        if bucket is None:
            self.stdout.write("New files go to the data folder: RUNYARD_STORAGE_URL is not set.")
            return
        if error := check_default_bucket():
            raise CommandError(f"The bucket {bucket} cannot be used: {error}")
        self.stdout.write(f"New files go to the bucket {bucket}, which was tried.")
