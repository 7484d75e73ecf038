"""What a run's page shows to its author: their notifications about it, else how to get some."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from alerts.outbox.history import run_notifications
from alerts.preferences.selectors import has_chosen
from runs.access import RunAction
from runs.selectors import get_run


@declare(RunAction.VIEW)
@never_cache
@require_GET
def notifications_of_run(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Return the part of a run's overview that is its author's alone; nothing for everybody else."""
    actor = actor_of(request)
    run = get_run(actor, entity, project, uid)
    is_author = run.user_id is not None and run.user_id == actor.user_id
    context = {
        "notifications": run_notifications(actor, run),
        "is_hinted": is_author and run.is_active and not has_chosen(actor),
    }
    return render(request, "alerts/history/run_notifications.html", context)
