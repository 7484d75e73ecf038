"""Whether a person has asked to see a run's secrets: for some minutes, in this session only."""

import time

from django.http import HttpRequest

from access.engine import can
from access.web.requests import actor_of
from runs.access import RunAction
from runs.models import Run

SHOWN_FOR_S = 600
_KEY = "revealed_runs"


def reveal(request: HttpRequest, run: Run) -> None:
    """Show them from now on."""
    until = {pk: end for pk, end in request.session.get(_KEY, {}).items() if end > time.time()}
    request.session[_KEY] = {**until, str(run.pk): time.time() + SHOWN_FOR_S}


def conceal(request: HttpRequest, run: Run) -> None:
    """Mask them again."""
    request.session[_KEY] = {
        pk: end for pk, end in request.session.get(_KEY, {}).items() if pk != str(run.pk)
    }


def is_revealed(request: HttpRequest, run: Run) -> bool:
    """Say whether they are shown; who may no longer change the run sees them masked again."""
    end = request.session.get(_KEY, {}).get(str(run.pk), 0)
    return bool(end > time.time() and can(actor_of(request), RunAction.UPDATE, run))
