"""Where Slack leads back to after a channel was chosen (ALR-4)."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from access.routes import Open, declare
from access.web.requests import actor_of
from alerts.destinations import slack
from alerts.views.scope import scope_of_team
from common.errors import Conflict, Invalid, Unavailable


def callback_url() -> str:
    """Return the address that the app of Slack has to know."""
    return str(settings.BASE_URL) + reverse("alerts:slack_callback")


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET"])
def callback(request: HttpRequest) -> HttpResponse:
    """Keep the channel that was chosen, and lead to its page."""
    actor, state = actor_of(request), request.GET.get("state", "")
    try:
        team, _redirect = slack.team_of_state(actor, state)
    except Invalid as error:
        messages.error(request, error.message)
        return redirect("alerts:own_destinations")
    scope = scope_of_team(team)
    if request.GET.get("error") or not request.GET.get("code"):
        messages.info(request, _("No channel connected."))
        return redirect(scope.url("destinations"))
    try:
        row = slack.finish_install(actor=actor, code=request.GET["code"], state=state)
    except (Conflict, Invalid, Unavailable) as error:
        messages.error(request, error.message)
        return redirect(scope.url("destinations"))
    messages.success(request, _("%(name)s connected. Send a test to check that it arrives.") % {"name": row})
    return redirect(scope.url("destination", row.pk))
