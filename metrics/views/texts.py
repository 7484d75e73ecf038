"""Text that people write into panels of a workspace (RUN-26)."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from access.routes import declare
from access.web.requests import actor_of
from common.errors import Invalid
from common.markdown import render_markdown
from runs.access import ProjectAction
from runs.selectors import get_project

MAX_LENGTH = 50_000
"""Characters of one panel."""


@declare(ProjectAction.VIEW)
@require_POST
@never_cache
def markdown(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Return the HTML of the Markdown in ``text``, cleaned as everywhere; nothing is kept."""
    get_project(actor_of(request), entity, project)
    text = request.POST.get("text", "")
    if len(text) > MAX_LENGTH:
        raise Invalid(_("A text can have at most %(most)s characters.") % {"most": MAX_LENGTH})
    return HttpResponse(render_markdown(text))
