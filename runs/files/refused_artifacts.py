"""Artifacts that SDKs wanted to log: there are none here yet, so the run's page says what was not kept.

Goes when artifacts come, with its model, `wandb_api.unsupported.artifacts` and
`templates/runs/files/refused_artifacts.html`.
"""

from collections import Counter
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import ngettext

from access.actor import Actor
from access.engine import require
from common.formats.lenient_json import clean_text
from runs.access import RunAction
from runs.lifecycle.participants import TimelineMark
from runs.models import RefusedArtifact, Run

MOST = 500
"""So many are kept of a run; a script that logs a checkpoint each step writes no more rows than that."""
_LISTED = 20
_LENGTH = 128
TABLE = "run_table"
"""The type of a table's artifact; its file is a file of the run."""


def is_needless(type_: str) -> bool:
    """Whether nothing is lost with an artifact of this type: its content is here as a file, a series, or of no use.

    Not so of ``code``: what ``log_code`` collects is in its artifact alone.
    Source: ``RESERVED_ARTIFACT_TYPE_PREFIX`` and what stands below it in wandb/sdk/artifacts/_validators.py.
    """
    return type_ in {TABLE, "job"} or type_.startswith("wandb-")


@dataclass(frozen=True, slots=True)
class RefusedArtifactName:
    """Artifacts of one name."""

    type: str
    name: str
    versions: int


@dataclass(frozen=True, slots=True)
class RefusedArtifacts:
    """What of a run's artifacts was not kept."""

    count: int
    """Versions, without those whose loss takes nothing."""
    named: list[RefusedArtifactName]
    needless: int
    is_cut: bool
    """Whether there were more than are counted."""


@transaction.atomic
def record_refused_artifact(*, actor: Actor, run: Run, type_: str, name: str, digest: str) -> None:
    """Keep that an artifact was not stored, each content of a name once: SDKs ask again and again."""
    require(actor, RunAction.LOG, run)
    run = Run.objects.locked().get(pk=run.pk)
    if RefusedArtifact.objects.filter(run=run).count() < MOST:
        RefusedArtifact.objects.get_or_create(
            run=run,
            type=clean_text(type_)[:_LENGTH],
            name=clean_text(name)[:_LENGTH],
            digest="" if is_needless(type_) else clean_text(digest)[:_LENGTH],
        )


def refused_artifacts(run: Run) -> RefusedArtifacts:
    """Return what was not kept, in one query."""
    rows = list(RefusedArtifact.objects.filter(run=run).order_by("pk"))
    missed = Counter((row.type, row.name) for row in rows if not is_needless(row.type))
    named = [RefusedArtifactName(type_, name, versions) for (type_, name), versions in missed.items()]
    return RefusedArtifacts(
        missed.total(), named[:_LISTED], len(rows) - missed.total(), is_cut=len(rows) >= MOST
    )


def refused_artifact_marks(run: Run) -> list[TimelineMark]:
    """Return a mark where the first one was refused whose loss takes something."""
    rows = [
        row for row in RefusedArtifact.objects.filter(run=run).order_by("pk") if not is_needless(row.type)
    ]
    if not rows:
        return []
    text = ngettext("%(n)d artifact not kept", "%(n)d artifacts not kept", len(rows))
    return [TimelineMark(rows[0].at, text % {"n": len(rows)})]
