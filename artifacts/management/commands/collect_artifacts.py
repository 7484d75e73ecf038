"""``manage.py collect_artifacts [--dry-run]``."""

from typing import Any

from artifacts.retention.collector import collect_contents, preview_collection
from common.management.base import JsonCommand

_BUDGET_S = 3600.0


class Command(JsonCommand):
    help = "Free the bytes of artifacts that no version and no draft needs. The worker does it every hour."

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument("--dry-run", action="store_true", help="Only say what would be freed.")

    def run(self, *, dry_run: bool = False, **_: Any) -> dict[str, Any]:
        """Collect, and say how many files and bytes went."""
        found = preview_collection() if dry_run else collect_contents(_BUDGET_S)
        return {"files": found.count, "bytes": found.size_bytes, "dry_run": dry_run}
