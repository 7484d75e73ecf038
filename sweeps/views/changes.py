"""What is done to a sweep from its page: its state, its deletion."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from access.routes import declare
from access.web.requests import actor_of
from common.errors import Conflict, Invalid
from runs.selectors import get_project
from sweeps.access import SweepAction
from sweeps.lifecycle.deletion import delete_sweep
from sweeps.lifecycle.services import change_state
from sweeps.models import Sweep, SweepState
from sweeps.selectors import get_sweep
from sweeps.views.lists import DELETED


def _sweep(request: HttpRequest, entity: str, project: str, uid: str) -> Sweep:
    actor = actor_of(request)
    return get_sweep(actor, get_project(actor, entity, project), uid)


@declare(SweepAction.STOP)
@require_POST
def sweep_state(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Pause, resume, stop or cancel a sweep, by ``state``."""
    row = _sweep(request, entity, project, uid)
    try:
        row = change_state(actor=actor_of(request), sweep=row, state=request.POST.get("state", ""))
    except (Conflict, Invalid) as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _confirmation(row))
    return redirect("sweeps:sweep", entity, project, uid)


def _confirmation(sweep: Sweep) -> str:
    return {
        SweepState.PAUSED: _("Sweep paused. Running runs continue; agents wait."),
        SweepState.FINISHED: _("Sweep stopped. Running runs finish on their own."),
        SweepState.CANCELED: _("Sweep canceled. Agents stop their runs."),
    }.get(SweepState(sweep.state), _("Sweep resumed. Agents get new runs."))


@declare(SweepAction.DELETE)
@require_POST
def sweep_delete(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Delete a sweep, with its runs if ``runs`` is ticked; the list of sweeps then offers to undo it."""
    row = _sweep(request, entity, project, uid)
    result = delete_sweep(actor=actor_of(request), sweep=row, with_runs=bool(request.POST.get("runs")))
    for reason in list(dict.fromkeys(result.refused.values()))[:3] if result else []:
        messages.error(request, reason)
    request.session[DELETED] = row.uid
    return redirect("sweeps:sweeps", entity, project)
