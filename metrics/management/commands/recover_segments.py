"""``manage.py recover_segments``."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from common.management.base import JsonCommand
from metrics.store import compaction
from metrics.store.segment_storage import configured_storage


class Command(JsonCommand):
    help = "Recover lost rows of segments from the footers of their contents; existing rows are kept."

    def run(self, **_: Any) -> dict[str, Any]:
        """Try every content; what was merged into another or deleted is left alone."""
        recovered, unreadable = 0, []
        for name in configured_storage().names(timezone.now() + timedelta(days=1)):
            try:
                recovered += compaction.recover_segment(name)
            except ValueError as error:
                unreadable.append({"name": name, "error": str(error)})
        return {"recovered": recovered, "unreadable": unreadable}
