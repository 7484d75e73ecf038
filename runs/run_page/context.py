"""What every tab of a run's page shows, whichever app owns the tab."""

from typing import Any

from django.conf import settings

from access.actor import Actor
from access.engine import can
from common.templatetags.runyard import color_index
from runs.access import RunAction
from runs.lifecycle.timeline import silent_for_s
from runs.models import Run
from runs.names.authors import author_of
from runs.run_page.overview import git_facts, origin_of
from runs.saved_views.selectors import working_view
from runs.table.run_colors import color_class, run_colors


def run_context(actor: Actor, run: Run, *, tab: str, read_only: bool = False) -> dict[str, Any]:
    """Return the context of ``runs/run_page/base.html``; ``read_only`` offers no changes, whoever looks."""
    working = working_view(actor, run.project)
    color = run_colors(working).picked.get(run.uid, color_index(run.number))
    can_stop = run.is_active and run.stop_requested_at is None and can(actor, RunAction.STOP, run)
    return {
        "run": run,
        "project": run.project,
        "team": run.project.team,
        "tab": tab,
        "working": working,
        "run_color": color,
        "run_color_class": color_class(color),
        "can_update": not read_only and can(actor, RunAction.UPDATE, run),
        "can_delete": not read_only and can(actor, RunAction.DELETE, run),
        "deleted_kept_days": settings.DELETED_KEPT_DAYS,
        "silent_s": silent_for_s(run),
        "can_stop": not read_only and can_stop,
        "author": author_of(run),
        "forked_from": origin_of(run),
        **git_facts(run),
    }
