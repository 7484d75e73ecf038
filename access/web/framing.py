"""Pages in frames of other sites: `?jupyter=true`, as the SDK asks for them where a notebook shows a run.

Such a page has no navigation and changes nothing, so that nobody is tricked into clicking in it. Only sites of
RUNYARD_FRAME_ANCESTORS may frame it; everything else answers as always that nobody may.

Source: wandb 0.31.0, wandb/sdk/wandb_run.py `Run.to_html`.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from common.errors import DomainError, NotFound

View = Callable[..., HttpResponse]


def is_framed(request: HttpRequest) -> bool:
    """Say whether the page for a frame is asked for."""
    return request.GET.get("jupyter") == "true"


def framable(view: View) -> View:
    """Let the sites of the setting frame a view's page for frames; a refusal is a page for frames, too.

    A frame of another site has no cookies (SameSite), so whoever is signed in may be nobody there: instead of a form to
    sign in, which has no place in a frame, there is a link that opens the page in a tab of its own.
    """

    @wraps(view)
    def framed(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not is_framed(request):
            return view(request, *args, **kwargs)
        try:
            reply = view(request, *args, **kwargs)
        except DomainError as error:
            known = request.user.is_authenticated or not isinstance(error, NotFound)
            context = {"message": error.message if known else "", "url": _alone(request)}
            reply = render(request, "frame_refused.html", context, status=error.status)
        if settings.FRAME_ANCESTORS:
            reply._csp_replace = {"frame-ancestors": settings.FRAME_ANCESTORS}  # type: ignore[attr-defined]  # as csp.decorators
            reply.xframe_options_exempt = True  # it cannot name sites
        return reply

    return framed


def name_ancestors(reply: HttpResponse, policy: str) -> None:
    """Set the policy of a page that stands in frames of ours, which may stand in frames of other sites.

    Every ancestor has to be named: a page in a notebook has charts that are frames themselves. They show nothing by
    themselves, and change nothing.
    """
    ancestors = " ".join(["'self'", *settings.FRAME_ANCESTORS])
    reply["Content-Security-Policy"] = f"frame-ancestors {ancestors}; {policy}"
    if settings.FRAME_ANCESTORS:
        reply.xframe_options_exempt = True  # it cannot name sites
    else:
        reply["X-Frame-Options"] = "SAMEORIGIN"


def _alone(request: HttpRequest) -> str:
    """Return the address of the whole page."""
    query = request.GET.copy()
    del query["jupyter"]
    return request.path + (f"?{query.urlencode()}" if query else "")
