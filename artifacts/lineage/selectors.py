"""Which runs logged a version and which used it."""

from django.db.models import QuerySet

from access.actor import Actor
from access.engine import visible
from artifacts.models import Version
from runs.access import RunAction
from runs.models import Run


def runs_logging(actor: Actor, version: Version) -> QuerySet[Run]:
    """Return the runs that logged a version, of those that the actor may see."""
    return _seen(actor, Run.objects.filter(artifact_outputs__version=version))


def uses_seen(actor: Actor, version: Version) -> QuerySet[Run]:
    """Return the runs that used a version, of those that the actor may see."""
    return _seen(actor, Run.objects.filter(artifact_uses__version=version))


def _seen(actor: Actor, runs: QuerySet[Run]) -> QuerySet[Run]:
    return visible(actor, RunAction.VIEW, runs).select_related("project__team", "user", "logged_by", "pulse")


def runs_using(actor: Actor, version: Version) -> tuple[list[Run], int]:
    """Return the runs that used a version, those the actor may see, and how many they may not."""
    used = Run.objects.filter(artifact_uses__version=version)
    found = list(uses_seen(actor, version).order_by("artifact_uses__pk"))
    return found, used.count() - len(found)


def run_that_logged(actor: Actor, version: Version) -> Run | None:
    """Return the run that logged a version, if there is one and the actor may see it."""
    if version.run_id is None:
        return None
    runs = Run.objects.filter(pk=version.run_id).select_related("project__team", "user", "pulse")
    return visible(actor, RunAction.VIEW, runs).first()
