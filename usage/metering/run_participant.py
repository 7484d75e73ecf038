"""The part of metering in the life of a run: its time and hardware are counted where it is."""

from datetime import datetime

from runs.lifecycle.participants import RunParticipant, guarded
from runs.models import Run
from usage.metering import backfill, gpu_claims, hardware, intervals


class MeteringRunParticipant(RunParticipant):
    """Its tracked time, and what hardware it used."""

    def state_changed(self, run: Run, before: str, at: datetime) -> None:
        """Begin or end its time."""
        intervals.record_state(run, before, at)

    def moved(self, run: Run, at: datetime) -> None:
        """Count its time where it is from now on."""
        intervals.record_move(run, at)

    def training_found(self, run: Run) -> None:
        """Count its time from its beginning on, and as a training's; either without the other if that fails."""
        guarded(backfill.backfill_run, run)
        guarded(gpu_claims.record_training, run)

    def rewound(self, run: Run, archive: Run) -> None:
        """Let what was measured go with the rows."""
        hardware.move_to_archive(run, archive)

    def before_purge(self, run_id: int) -> None:
        """Measure what is left."""
        hardware.measure_run(run_id)
