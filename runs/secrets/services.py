"""Showing what was masked as a secret to somebody who may change the run."""

from django.db import transaction

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from runs.access import RunAction
from runs.models import Run


@transaction.atomic
def reveal_secrets(*, actor: Actor, run: Run) -> None:
    """Note in the audit log that the actor looks at a run's secrets; ``run`` has its project and team loaded."""
    require(actor, RunAction.UPDATE, run)
    team = run.project.team
    record(actor, "run.reveal_secrets", run, organization_id=team.organization_id, team_id=team.pk)
