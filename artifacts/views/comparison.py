"""Two versions of a collection side by side."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from artifacts.access import ArtifactAction, require_for
from artifacts.models import Membership
from artifacts.pages.comparison import compare_places, pair_of
from artifacts.selectors import find_membership, memberships_of
from artifacts.views.rows import place_of
from artifacts.views.version import version_context
from common.budgets.heavy_work import heavy_work
from common.errors import NotFound

_LISTED = 200


@declare(ArtifactAction.DOWNLOAD)
@never_cache
@require_GET
@heavy_work()
def compare(request: HttpRequest, **names: str) -> HttpResponse:
    """Show what changed from the version in ``with``, by default the one before, to this one."""
    place, actor = place_of(request, names), actor_of(request)
    require_for(actor, ArtifactAction.DOWNLOAD, place.version)
    rows = memberships_of(place.collection).exclude(pk=place.pk)
    other = _other(request, place)
    context: dict[str, Any] = {
        **version_context(request, place, tab="compare"),
        "others": list(rows[:_LISTED]),
        "other": other,
    }
    if other is not None:
        context |= compare_places(other, place)
        path = request.GET.get("file", "")
        if path:
            context["pair"] = pair_of(actor, other, place, path, key=request.GET.get("key", ""))
    return render(request, "artifacts/version/compare.html", context)


def _other(request: HttpRequest, place: Membership) -> Membership | None:
    wanted = request.GET.get("with", "")
    if not wanted:
        rows = memberships_of(place.collection)
        return rows.filter(index__lt=place.index).first() or rows.filter(index__gt=place.index).last()
    found = find_membership(place.collection, wanted)
    if found is None:
        raise NotFound(_("The version %(label)s doesn’t exist, or was deleted.") % {"label": wanted})
    return found
