"""Runs that watch a machine: they send nothing but its system metrics, and their time is no training's.

A run is one if it began with the job type that the agent gives (`runyard-agent host`), and only until it says anything
else: history, values of a summary, console output, or another job type. From then on it is a training like any other,
with all its time from its beginning on, so that a job type alone hides no training from what is counted. It is never
one again.
"""

import json

from runs.lifecycle import participants
from runs.models import HOST_JOB_TYPE, Run


def is_host_monitor(run: Run) -> bool:
    """Say whether a run that begins now watches a machine."""
    return run.job_type == HOST_JOB_TYPE


def has_values(summary_flat: str | dict[str, object]) -> bool:
    """Say whether a summary's projection has more than the client's own notes, such as its running time."""
    flat = json.loads(summary_flat) if isinstance(summary_flat, str) else summary_flat
    return any(not name.startswith("_") for name in flat)


def reclassify_by_job_type(run: Run) -> None:
    """Take a locked run for a training if its job type is another one now."""
    if run.is_host and run.job_type != HOST_JOB_TYPE:
        mark_as_training(run)


def mark_as_training(run: Run) -> None:
    """Take a locked run for a training, which it is from its beginning on; part of the caller's transaction."""
    if not run.is_host:
        return
    run.is_host = False
    run.save(update_fields=["is_host", "updated_at"])
    participants.training_found(run)
