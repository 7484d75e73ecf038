"""The page of a collection: its versions, and what is changed about it."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.engine import require
from access.routes import declare
from access.web.requests import actor_of
from artifacts.access import ArtifactAction
from artifacts.collections.services import CollectionChanges, delete_collection, update_collection
from artifacts.models import Collection, Membership
from artifacts.pages.addresses import collection_page
from artifacts.pages.code import api_code
from artifacts.selectors import memberships_of, run_counts
from artifacts.versions.deletion import delete_version, restore_version
from artifacts.versions.time_to_live import inherited_ttl
from artifacts.views.rows import collection_of, rights_of
from common.errors import Conflict, DomainError, Invalid
from common.formats.numbers import parse_int

_A_PAGE = 50
_MOST_CHOSEN = 1000
UNDO = "artifacts_deleted"
"""In the session: the versions that were deleted just now, which the next page offers to restore."""
DAY_S = 86_400


@declare(ArtifactAction.VIEW)
@never_cache
@require_GET
def collection(request: HttpRequest, **names: str) -> HttpResponse:
    """List the versions of a collection, newest first."""
    row = collection_of(request, names)
    page = Paginator(memberships_of(row), _A_PAGE).get_page(request.GET.get("page"))
    places = list(page.object_list)
    _logged, used = run_counts(place.version_id for place in places)
    inherited_s = inherited_ttl(row)
    context = {
        "project": row.project,
        "team": row.project.team,
        "collection": row,
        "page": page,
        "rows": [(place, used.get(place.version_id, 0)) for place in places],
        "code": api_code(places[0]) if places else "",
        "ttl_days": (row.ttl_s or 0) // DAY_S if row.ttl_s is not None else None,
        "inherited_days": inherited_s // DAY_S,
        "deleted_now": request.session.pop(UNDO, []),
        **rights_of(request, row),
    }
    return render(request, "artifacts/collection/page.html", context)


@declare(ArtifactAction.UPDATE)
@require_POST
def collection_update(request: HttpRequest, **names: str) -> HttpResponse:
    """Change name, description, tags, time to live or protection: whatever the form sends."""
    row, given = collection_of(request, names), request.POST
    try:
        changes = CollectionChanges(
            name=given.get("name"),
            description=given.get("description"),
            tags_to_add=_words(given.get("add_tag", "")),
            tags_to_remove=_words(given.get("remove_tag", "")),
            has_ttl="ttl" in given,
            ttl_s=ttl_of_form(given.get("ttl", ""), given.get("ttl_days", "")),
            is_protected=given["protected"] == "on" if "protected" in given else None,
        )
        row = update_collection(actor=actor_of(request), collection=row, changes=changes)
    except (Conflict, Invalid) as refusal:
        messages.error(request, refusal.message)
    return redirect(collection_page(collection_of(request, {**names, "name": row.name})))


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def ttl_of_form(choice: str, days: str) -> int | None:
    """Return the time to live that a form sends: ``inherit``, ``never``, or a number of days; in seconds.

    Raises:
        Invalid: no number of days.
    """
    if choice in {"", "inherit"}:
        return None
    if choice == "never":
        return 0
    number = parse_int(days.strip())
    if not number:
        raise Invalid(_("Enter the number of days, from 1."))
    return number * DAY_S


@declare(ArtifactAction.DELETE)
@require_POST
def collection_delete(request: HttpRequest, **names: str) -> HttpResponse:
    """Delete the collection with its versions."""
    row = collection_of(request, names)
    try:
        delete_collection(actor=actor_of(request), collection=row)
    except Conflict as refusal:
        messages.error(request, refusal.message)
        return redirect(collection_page(row))
    messages.success(request, _("“%(name)s” deleted.") % {"name": row.name})
    return redirect("artifacts:deleted", row.project.team.name, row.project.name)


def _chosen(request: HttpRequest, row: Collection) -> list[Membership]:
    numbers = [parse_int(text) for text in request.POST.getlist("version")[:_MOST_CHOSEN]]
    wanted = [number for number in numbers if number is not None]
    return list(memberships_of(row).filter(index__in=wanted))


@declare(ArtifactAction.DELETE)
@require_POST
def versions_delete(request: HttpRequest, **names: str) -> HttpResponse:
    """Delete the chosen versions, with their aliases; those that may not be deleted stay and are named."""
    row, actor = collection_of(request, names), actor_of(request)
    require(actor, ArtifactAction.DELETE, row)
    done, refused = [], []
    for place in _chosen(request, row):
        try:
            delete_version(actor=actor, version=place.version, with_aliases=True)
        except DomainError as refusal:
            refused.append(f"{place.label}: {refusal.message}")
        else:
            done.append(place)
    for text in refused[:5]:
        messages.error(request, text)
    if done:
        request.session[UNDO] = [place.version_id for place in done]
    return redirect(collection_page(row))


@declare(ArtifactAction.DELETE)
@require_POST
def versions_restore(request: HttpRequest, **names: str) -> HttpResponse:
    """Restore the versions that were deleted together a moment ago."""
    row, actor = collection_of(request, names), actor_of(request)
    require(actor, ArtifactAction.DELETE, row)
    wanted = [parse_int(text) for text in request.POST.getlist("version")[:_MOST_CHOSEN]]
    done = 0
    for version in row.versions.deleted().filter(pk__in=[pk for pk in wanted if pk is not None]):
        try:
            restore_version(actor=actor, version=version)
            done += 1
        except DomainError as refusal:
            messages.error(request, refusal.message)
    if done:
        text = ngettext("%(n)d version restored.", "%(n)d versions restored.", done)
        messages.success(request, text % {"n": done})
    return redirect(collection_page(row))
