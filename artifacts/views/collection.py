"""The page of a collection: its versions, and what is changed about it."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.engine import require
from access.routes import declare
from access.web.requests import actor_of
from artifacts.access import ArtifactAction
from artifacts.collections.services import CollectionChanges, delete_some_of_collection, update_collection
from artifacts.models import Collection, Membership, Version
from artifacts.pages.addresses import collection_page, trash_page
from artifacts.pages.code import api_code
from artifacts.selectors import memberships_of, run_counts
from artifacts.versions.deletion import delete_some, link_some_again, restore_some
from artifacts.versions.links import AT_ONCE, unlink_some
from artifacts.versions.time_to_live import ends_of, inherited_ttl
from artifacts.views.refusals import show_refusal
from artifacts.views.rows import collection_of, rights_of
from artifacts.views.steps import (
    begun_at,
    do_steps,
    keep_links,
    links_of_undo,
    offer_undo,
    reply_to,
    sent_time,
    undo_offered,
)
from common.errors import Conflict, Forbidden, Invalid
from common.formats.numbers import parse_int

_A_PAGE = 50
_MOST_CHOSEN = 1000
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
    ends = ends_of(place.version for place in places)
    inherited_s = inherited_ttl(row)
    context = {
        "project": row.project,
        "team": row.project.team,
        "collection": row,
        "page": page,
        "rows": [(one, used.get(one.version_id, 0), ends.get(one.version_id)) for one in places],
        "code": api_code(places[0]) if places else "",
        "ttl_days": (row.ttl_s or 0) // DAY_S if row.ttl_s is not None else None,
        "inherited_days": inherited_s // DAY_S,
        "undo": undo_offered(request),
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
    """Delete the collection with its versions, in steps."""
    row, actor, at = collection_of(request, names), actor_of(request), begun_at(request)
    try:
        left = do_steps(request, lambda: delete_some_of_collection(actor=actor, collection=row, at=at))
    except (Conflict, Forbidden) as refusal:
        show_refusal(request, refusal)
        return reply_to(request, collection_page(row))
    if not left:
        messages.success(request, _("“%(name)s” deleted.") % {"name": row.name})
    return reply_to(request, trash_page(row.project), at=at, left=left)


def _chosen(request: HttpRequest, row: Collection) -> QuerySet[Membership]:
    """Return the places in a collection that a form names by ``version``, repeated, or all."""
    if request.POST.get("all"):
        return memberships_of(row)
    numbers = [parse_int(text) for text in request.POST.getlist("version")[:_MOST_CHOSEN]]
    return memberships_of(row).filter(index__in=[number for number in numbers if number is not None])


@declare(ArtifactAction.DELETE)
@require_POST
def versions_delete(request: HttpRequest, **names: str) -> HttpResponse:
    """Delete the chosen versions with their aliases, in steps; in a portfolio they are unlinked."""
    row, actor, at = collection_of(request, names), actor_of(request), begun_at(request)
    require(actor, ArtifactAction.DELETE, row)
    chosen = _chosen(request, row).order_by()
    versions = Version.objects.filter(pk__in=chosen.values("version"))

    def delete() -> int:
        before = versions.count()
        left = delete_some(actor=actor, collection=row, versions=versions, at=at)
        offer_undo(request, at, before - versions.count())
        return left

    def unlink() -> int:
        links = unlink_some(actor=actor, collection=row, memberships=chosen)
        offer_undo(request, at, len(links), links)
        return chosen.count()

    try:
        left = do_steps(request, delete if row.is_sequence else unlink)
    except Forbidden as refusal:
        show_refusal(request, refusal)
        return reply_to(request, collection_page(row))
    if not left and chosen.exists():
        messages.error(request, _("Protected versions were kept."))
    return reply_to(request, collection_page(row), at=at, left=left)


@declare(ArtifactAction.DELETE)
@require_POST
def versions_restore(request: HttpRequest, **names: str) -> HttpResponse:
    """Bring back the versions that were deleted, or unlinked, together a moment ago, in steps."""
    row, actor, at = collection_of(request, names), actor_of(request), sent_time(request)
    require(actor, ArtifactAction.DELETE, row)
    if at is None:
        messages.error(request, _("This doesn’t exist, or it can no longer be restored."))
        return redirect(collection_page(row))

    def restore() -> int:
        return restore_some(actor=actor, collection=row, at=at)

    def link() -> int:
        links = links_of_undo(request, at)
        link_some_again(actor=actor, collection=row, links=links[:AT_ONCE])
        return keep_links(request, at, links[AT_ONCE:])

    left = do_steps(request, restore if row.is_sequence else link)
    if not left:
        messages.success(request, _("Versions restored."))
    return reply_to(request, collection_page(row), at=at, left=left)
