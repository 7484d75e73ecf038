"""The part of `alerts` in the life of a run: what happens to it becomes events, which are purged with it."""

from datetime import datetime

from alerts import events
from alerts.outbox import retention
from runs.lifecycle.participants import RunParticipant
from runs.models import Run, RunAlert


class AlertsRunParticipant(RunParticipant):
    """Its events, and what was sent of them."""

    def state_changed(self, run: Run, before: str, at: datetime) -> None:
        """Write an event."""
        events.record_state_change(run, before, at)

    def alert_sent(self, alert: RunAlert) -> None:
        """Write an event."""
        events.record_alert(alert)

    def delete_batch(self, run: Run, limit: int) -> int:
        """Delete events and deliveries."""
        return retention.delete_batch_of_run(run, limit)
