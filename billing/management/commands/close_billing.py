"""``manage.py close_billing [--until DAY]``."""

from datetime import UTC, date, datetime, time
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from billing.invoices import closing
from common.management.base import JsonCommand


class Command(JsonCommand):
    help = "Close billing periods that ended, and issue their invoices. Closed periods do not change."

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--until",
            type=date.fromisoformat,
            help="Close what ended before this day, UTC, without waiting for RUNYARD_BILLING_GRACE_H.",
        )

    def run(self, *, until: date | None = None, **_: Any) -> dict[str, Any]:
        """Close, and say how many periods; ends with status 1 where one could not be closed."""
        now = timezone.now()
        before = min(datetime.combine(until, time(), UTC), now) if until else closing.grace_before(now)
        outcome = closing.close_all(before)
        if outcome.failed:
            payers = ", ".join(outcome.failed)
            raise CommandError(f"{outcome.closed} closed; not those of {payers}: the log says why.")
        return {"closed": outcome.closed, "until": before.isoformat()}
