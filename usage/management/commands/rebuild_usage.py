"""``manage.py rebuild_usage``."""

from typing import Any

from common.management.base import JsonCommand
from usage.metering.backfill import backfill
from usage.metering.meter import rebuild, run_meter


class Command(JsonCommand):
    help = (
        "Rebuild the numbers of usage pages and invoices from the ledgers; they are unchanged unless something was"
        " wrong. May run while the server does."
    )

    def run(self, **_: Any) -> dict[str, Any]:
        """Complete the ledgers, count what is new, then make everything anew, telling how far it is."""
        found = backfill()
        self.stderr.write(f"{found} runs had no hours yet. Counting what is new ...")
        metered_at = run_meter()
        teams = rebuild(lambda done, total: self.stderr.write(f"{done} of {total} teams rebuilt."))
        return {"backfilled_runs": found, "teams": teams, "metered_at": metered_at.isoformat()}
