"""Which runs logged a version and which used it."""

from django.db import transaction

from access.actor import Actor
from access.engine import require, visible
from artifacts.access import ArtifactAction, require_for
from artifacts.models import Use, Version
from common.errors import Conflict
from common.formats.lenient_json import clean_text
from runs.access import RunAction
from runs.models import Run


@transaction.atomic
def use_version(*, actor: Actor, run: Run, version: Version, used_as: str = "") -> Use:
    """Record that a run uses a version; once, however often it is asked.

    Raises:
        Conflict: the version is a draft or deleted.
    """
    require(actor, RunAction.LOG, run)
    require_for(actor, ArtifactAction.VIEW, version)
    if not Version.objects.live().filter(pk=version.pk).exists():
        raise Conflict("Only a committed version can be used; this one is a draft or was deleted.")
    use, _ = Use.objects.get_or_create(
        run=run, version=version, defaults={"used_as": clean_text(used_as)[:128]}
    )
    return use


def runs_using(actor: Actor, version: Version) -> tuple[list[Run], int]:
    """Return the runs that used a version, those the actor may see, and how many they may not."""
    used = Run.objects.filter(artifact_uses__version=version)
    seen = visible(actor, RunAction.VIEW, used).select_related("project__team", "user", "pulse")
    found = list(seen.order_by("artifact_uses__pk"))
    return found, used.count() - len(found)


def run_that_logged(actor: Actor, version: Version) -> Run | None:
    """Return the run that logged a version, if there is one and the actor may see it."""
    if version.run_id is None:
        return None
    runs = Run.objects.filter(pk=version.run_id).select_related("project__team", "user", "pulse")
    return visible(actor, RunAction.VIEW, runs).first()
