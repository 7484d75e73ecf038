"""The page behind the link of every mail, and the one click of mail programs (RFC 8058)."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from access.routes import Open, declare
from alerts.preferences import unsubscribe as services
from alerts.preferences.unsubscribe_links import read_token
from common.errors import Gone, NotFound

ONE_CLICK = "List-Unsubscribe"
"""What mail programs post, with the value ``One-Click``."""


@declare(Open.ANYONE)  # the link is the credential, and only ever switches its own person's mail off
@csrf_exempt
@never_cache
@require_http_methods(["GET", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Say what would be switched off; a POST does it, one with ``undo`` brings back what it did."""
    try:
        subscription = read_token(token)
        person = services.person_of(subscription)
    except NotFound as error:  # told here: elsewhere a stranger is sent to sign in, which would not help
        return render(
            request, "alerts/preferences/unsubscribe.html", {"step": "broken", "error": error}, status=404
        )
    context = {
        "person": person,
        "is_own": subscription.is_own,
        "teams": services.teams_of(subscription),
        "token": token,
    }
    if request.method != "POST":  # programs that look at links must not switch anything off
        step = "off" if services.is_off(subscription) else "ask"  # a mail program may have been faster
        return render(request, "alerts/preferences/unsubscribe.html", context | {"step": step})
    if "undo" in request.POST:
        try:
            services.resubscribe(token=request.POST["undo"])
        except Gone as error:
            broken = {"step": "broken", "error": error}
            return render(request, "alerts/preferences/unsubscribe.html", broken, status=error.status)
        return render(request, "alerts/preferences/unsubscribe.html", context | {"step": "undone"})
    done = services.unsubscribe(subscription=subscription)
    if ONE_CLICK in request.POST:
        return HttpResponse(status=204)
    undo = services.undo_token(done)
    return render(request, "alerts/preferences/unsubscribe.html", context | {"step": "done", "undo": undo})
