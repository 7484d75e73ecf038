"""Pages at the addresses that W&B gives them: what its SDK prints, and what READMEs and papers link to.

Most lead to the page of ours that shows the same. What is not part of Runyard yet has a page that says so; it is the
same for everybody, and so tells nobody what there is.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from access.routes import Open, declare
from access.web.requests import redirect_with_query
from common.errors import NotFound
from metrics.views.workspace import workspace
from runs.access import ProjectAction
from runs.query.column_names import quoted


@declare(Open.SIGNED_IN)
@require_safe
def own_page(request: HttpRequest) -> HttpResponse:
    """Lead to the page of who is signed in."""
    return redirect_with_query(request, "runs:entity", request.user.get_username())


@declare(ProjectAction.VIEW)
@require_safe
def projects(request: HttpRequest, entity: str) -> HttpResponse:
    """Lead to the page that lists an entity's projects; show the project of this name, where there is one."""
    try:
        return workspace(request, entity, "projects")
    except NotFound:
        return redirect_with_query(request, "runs:entity", entity)


@declare(Open.ANYONE)
@require_safe
def group(request: HttpRequest, entity: str, project: str, group: str) -> HttpResponse:
    """Lead to the workspace with the runs of one group."""
    query = request.GET.copy()
    query["filter"] = "group = " + quoted(group, '"')
    return redirect(f"{reverse('metrics:workspace', args=[entity, project])}?{query.urlencode()}")


@dataclass(frozen=True, slots=True)
class MissingFeature:
    """What W&B has and Runyard has not yet: what a page says of it."""

    heading: str | Promise
    meanwhile: str | Promise
    button: str | Promise = ""
    route: str = ""
    """Where the button leads; a page of the project."""


def _missing(what: MissingFeature) -> Callable[..., HttpResponse]:
    @declare(Open.ANYONE)
    @require_safe
    def view(request: HttpRequest, entity: str = "", project: str = "", **_rest: str) -> HttpResponse:
        url = reverse(what.route, args=[entity, project]) if what.route else ""
        return render(request, "wandb_api/missing.html", {"what": what, "url": url}, status=404)

    return view


reports = _missing(
    MissingFeature(
        _("Reports are not part of Runyard yet"),
        _("Use the project overview (Markdown) and run notes instead."),
        _("Open the overview"),
        "runs:project_overview",
    )
)
weave = _missing(
    MissingFeature(
        _("Weave is not part of Runyard"),
        _(
            "Set WEAVE_DISABLED=true where programs run. They then run without Weave, and their metrics "
            "are still logged."
        ),
        _("Open the workspace"),
        "metrics:workspace",
    )
)
