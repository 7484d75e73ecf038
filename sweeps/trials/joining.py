"""A run that says that it is part of a sweep."""

from dataclasses import replace

from common.errors import Invalid
from runs.lifecycle.fields import RunFields
from runs.models import Project, Run
from runs.names.display_names import random_sweep_name
from sweeps.models import Sweep, Trial


def fields_in_sweep(project: Project | None, run_uid: str, sweep_uid: str, fields: RunFields) -> RunFields:
    """Return the fields of a run with its sweep, and for a new one a name that says so.

    A run of a sweep that was deleted meanwhile is logged without one: what it found is not lost.

    Raises:
        Invalid: the project never had such a sweep.
    """
    sweep = Sweep.objects.filter(project=project, uid=sweep_uid).first() if project is not None else None
    if sweep is None:
        raise Invalid(
            f"The project has no sweep “{sweep_uid}”. Log the run to the sweep’s project, or unset WANDB_SWEEP_ID."
        )
    if sweep.deleted_at is not None:
        return fields
    if fields.display_name is None and not Run.objects.filter(project=project, uid=run_uid).exists():
        number = Trial.objects.filter(sweep=sweep, run_uid=run_uid).values_list("number", flat=True).first()
        name = random_sweep_name(number or sweep.trial_count + 1)
        fields = replace(fields, display_name=name)
    return replace(fields, sweep=sweep.uid)
