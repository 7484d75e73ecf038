"""The newest runs of many projects: found at the end of an index of each, however many runs they have."""

from django.db.models import OuterRef, QuerySet, Subquery

from access.actor import Actor
from access.engine import visible
from runs.access import RunAction
from runs.models import Project, Run


def newest_runs(actor: Actor, projects: QuerySet[Project], most: int) -> list[Run]:
    """Return the last created runs of some projects that the actor may see; monitored machines are no runs.

    They lie in the projects whose own last one is newest, of which as many are read as runs are wanted.
    """
    runs = Run.objects.listed().filter(is_host=False).order_by("-created_at", "-pk")
    last = runs.filter(project=OuterRef("pk")).values("created_at")[:1]
    latest = projects.annotate(newest=Subquery(last)).filter(newest__isnull=False).order_by("-newest", "-pk")
    each = runs.filter(project=OuterRef("pk")).values("pk")
    places = {f"run_{place}": Subquery(each[place : place + 1]) for place in range(most)}
    chosen = Project.objects.filter(pk__in=list(latest.values_list("pk", flat=True)[:most]))
    ends = chosen.order_by().annotate(**places).values_list(*places)
    related = runs.filter(pk__in=[pk for row in ends for pk in row if pk is not None])
    return list(
        visible(actor, RunAction.VIEW, related.select_related("project__team", "pulse", "user"))[:most]
    )
