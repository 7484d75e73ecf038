"""`/styleguide`: every token and component in every state, for whoever builds pages."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from access.routes import Open, declare

STATES = ("running", "pending", "finished", "failed", "crashed", "killed")
COLORS = 8


@declare(Open.OPERATOR)
@require_safe
def styleguide(request: HttpRequest) -> HttpResponse:
    """Show it in the theme of the page; the rules are in docs/develop/design.md."""
    context = {"states": STATES, "colors": range(COLORS), "sample": 'wandb.init(project="vision")'}
    return render(request, "styleguide/page.html", context)
