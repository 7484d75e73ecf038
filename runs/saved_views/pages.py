"""What pages that show saved views tell their templates and scripts of them."""

from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from runs.models import Project
from runs.saved_views.selectors import Shown


def working_url(project: Project, **more: Any) -> str:
    """Return where the viewer's working state is kept; with ``view``, what the viewer changed of that one."""
    names = {"entity": project.team.name, "project": project.name} | more
    return f"{reverse('api-view-working')}?{urlencode(names)}"


def views_context(project: Project, shown: Shown, *, can_share: bool) -> dict[str, Any]:
    """Return the context of ``runs/saved_views``, for somebody who is signed in."""
    names = urlencode({"entity": project.team.name, "project": project.name})
    view = shown.view
    named = {"view": view.pk, "base": shown.version} if view else {}
    may_change = view is not None and (can_share or not view.is_shared)
    return {
        "shown": shown,
        "can_share": can_share,
        "may_change": may_change,
        "may_offer": can_share and view is not None and view.is_shared,
        "query": f"?view={view.pk}" if view else "",
        "state": {
            "id": view.pk if view else 0,
            "name": view.name if view else "",
            "version": shown.version,
            "edited": shown.is_edited,
            "bare": shown.is_bare,
            "mayChange": may_change,
            "template": view.is_template if view else False,
            "default": shown.default,
            "urls": {
                "views": f"{reverse('api-view-list')}?{names}",
                "working": working_url(project, **named),
                "default": working_url(project, shared=1),
            },
        },
    }
