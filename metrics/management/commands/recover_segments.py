"""``manage.py recover_segments``."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from common.errors import DomainError
from common.management.base import JsonCommand
from metrics.store import sweeping
from metrics.store.segment_storage import all_places, storage_at


class Command(JsonCommand):
    help = "Recover lost rows of segments from the footers of their contents; existing rows are kept."

    def run(self, **_: Any) -> dict[str, Any]:
        """Try every content, wherever it lies; what was merged into another, moved or deleted is left alone."""
        recovered = 0
        unreadable: list[dict[str, Any]] = []
        for place in all_places():
            try:
                storage = storage_at(*place)
                for name in storage.names(timezone.now() + timedelta(days=1)):
                    try:
                        recovered += sweeping.recover_segment(storage, name)
                    except ValueError as error:
                        unreadable.append({"name": name, "error": str(error)})
            except DomainError as error:
                unreadable.append({"bucket": place[1], "error": error.message})
        return {"recovered": recovered, "unreadable": unreadable}
