"""Saved views: who reads which, and what a spec is.

A spec is a JSON object of parts, each an object that its page owns and reads: ``runs`` (filter, search, order, group,
columns, crop, page_size), ``selector`` (hidden runs, colours), ``panels``. The server knows no more of a part than its
size, so that pages can add to theirs.
"""

import json
from typing import Any

from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from common.errors import Invalid, NotFound, TooLarge
from common.formats.lenient_json import check_nesting, clean_tree
from runs.access import ProjectAction
from runs.models import Project, SavedView
from runs.table.query import TableQuery

MAX_SPEC_BYTES = 256 * 1024
MAX_PARTS = 20
MAX_PART_NAME = 64

Spec = dict[str, Any]


def views_of(actor: Actor, project: Project | None = None) -> QuerySet[SavedView]:
    """Return the actor's own views and the shared ones, of projects the actor may see; working states are left out."""
    return _readable(actor, project).exclude(name="")


def _readable(actor: Actor, project: Project | None) -> QuerySet[SavedView]:
    projects = Project.objects.all() if project is None else Project.objects.filter(pk=project.pk)
    views = SavedView.objects.filter(project__in=visible(actor, ProjectAction.VIEW, projects))
    mine = Q(user__isnull=True) | Q(user_id=actor.lookup_id)
    return views.filter(mine).select_related("project__team", "user")


def get_view(actor: Actor, pk: int) -> SavedView:
    """Return a view of the actor's own, or a shared one.

    Raises:
        NotFound: there is none, or it is not the actor's to see.
    """
    view = _readable(actor, None).filter(pk=pk).first()
    if view is None:
        raise NotFound(_("This view doesn’t exist, or you don’t have access to it."))
    return view


def working_view(actor: Actor, project: Project) -> Spec:
    """Return the spec a page begins with: the actor's working state, and the shared default where it says nothing.

    The caller has the project from a visible query.
    """
    found = SavedView.objects.filter(
        Q(user__isnull=True) | Q(user_id=actor.lookup_id), project=project, name=""
    )
    spec: Spec = {}
    for view in sorted(found, key=lambda view: not view.is_shared):
        spec |= view.spec
    return spec


def listed_query(given: QueryDict, start: Spec) -> TableQuery:
    """Return which runs are listed: what an address says, else what the person last looked at in the table.

    Raises:
        Invalid: a part of it cannot be read.
    """
    given = given.copy()
    if not any(name in given for name in ("filter", "search", "order")):
        runs = start.get("runs", {})
        given.update({name: str(runs[name]) for name in ("filter", "search", "order") if runs.get(name)})
    return TableQuery.of(given)


def checked_spec(spec: Any) -> Spec:
    """Return a spec that can be stored.

    Raises:
        Invalid: not an object of objects, too many parts, or values that JSON cannot carry.
        TooLarge: over MAX_SPEC_BYTES.
    """
    if not isinstance(spec, dict) or not all(isinstance(part, dict) for part in spec.values()):
        raise Invalid("A view's `spec` is an object whose parts are objects: runs, selector, panels.")
    if len(spec) > MAX_PARTS or any(len(name) > MAX_PART_NAME for name in spec):
        raise Invalid(
            f"A view has at most {MAX_PARTS} parts with names of at most {MAX_PART_NAME} characters."
        )
    try:
        check_nesting(spec)
        size = len(json.dumps(spec, allow_nan=False).encode(errors="replace"))
    except ValueError as error:
        raise Invalid(f"A view's `spec` cannot be stored: {error}.") from None
    if size > MAX_SPEC_BYTES:
        raise TooLarge(
            _("A view can be at most %(most)s KiB; this one has %(size)s.")
            % {"most": MAX_SPEC_BYTES // 1024, "size": f"{size / 1024:.0f}"}
        )
    cleaned: Spec = clean_tree(spec)
    return cleaned
