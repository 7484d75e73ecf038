"""Saved views: who reads which, and what a spec is.

A spec is a JSON object of parts, each an object that its page owns and reads: ``runs`` (filter, search, order, group,
columns, crop, page_size), ``selector`` (hidden runs, colours), ``panels``. The server knows no more of a part than its
size, so that pages can add to theirs.
"""

import json
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from common.errors import Invalid, NotFound, TooLarge
from common.formats.lenient_json import check_nesting, clean_tree
from common.formats.numbers import parse_int
from runs.access import ProjectAction
from runs.models import Project, SavedView, ViewDraft, ViewVersion
from runs.table.query import TableQuery

MAX_SPEC_BYTES = 256 * 1024
MAX_PARTS = 20
MAX_PART_NAME = 64
NO_VIEW = "none"
"""In an address as `view`: neither a saved view nor the default nor what the viewer changed."""

Spec = dict[str, Any]


def views_of(actor: Actor, project: Project | None = None) -> QuerySet[SavedView]:
    """Return the actor's own views and the shared ones, of projects the actor may see; working states are left out."""
    return _readable(actor, project).exclude(name="")


def templates_of(actor: Actor, project: Project) -> QuerySet[SavedView]:
    """Return the templates in the other projects of a project's team, as far as the actor may see those."""
    shared = views_of(actor).filter(user=None, is_template=True, project__team_id=project.team_id)
    return shared.filter(project__deleted_at__isnull=True).exclude(project=project)


def _readable(actor: Actor, project: Project | None) -> QuerySet[SavedView]:
    projects = Project.objects.all() if project is None else Project.objects.filter(pk=project.pk)
    views = SavedView.objects.filter(project__in=visible(actor, ProjectAction.VIEW, projects))
    mine = Q(user__isnull=True) | Q(user_id=actor.lookup_id)
    return views.filter(mine).select_related("project__team", "user", "saved_by")


def get_view(actor: Actor, pk: int) -> SavedView:
    """Return a view of the actor's own, or a shared one.

    Raises:
        NotFound: there is none, or it is not the actor's to see.
    """
    view = _readable(actor, None).filter(pk=pk).first()
    if view is None:
        raise no_view()
    return view


def no_view() -> NotFound:
    """Return the refusal of a view that is not there, or not the actor's to see."""
    return NotFound(_("This view doesn’t exist, or you don’t have access to it."))


def working_view(actor: Actor, project: Project) -> Spec:
    """Return the spec a page begins with: the actor's working state, and the shared default where it says nothing.

    The caller has the project from a visible query.
    """
    return _working(actor, project).spec


@dataclass(frozen=True)
class Shown:
    """What a page shows: a saved view with the viewer's changes to it, else the viewer's working state."""

    spec: Spec
    view: SavedView | None = None
    version: int = 0
    """Of the view, that the viewer's changes began from."""
    is_edited: bool = False
    is_missing: bool = False
    """The address names a view that is not there for the viewer."""
    is_bare: bool = False
    """The address asks for no view; changes are kept nowhere."""
    default: int = 0
    """The version of the shared default; 0 where there is none."""

    @property
    def is_behind(self) -> bool:
        """Whether somebody saved the view since the viewer changed it."""
        return self.view is not None and self.version < self.view.version


def shown_view(actor: Actor, project: Project, given: QueryDict) -> Shown:
    """Return what the address asks to be shown: `view` is the number of a saved one, or NO_VIEW.

    The caller has the project from a visible query.
    """
    asked = given.get("view", "")
    view = None
    if asked and asked != NO_VIEW:
        view = _readable(actor, project).filter(pk=parse_int(asked) or 0).exclude(name="").first()
    if view is None and asked != NO_VIEW:
        return replace(_working(actor, project), is_missing=bool(asked))
    default = shared_default(project)
    begun = default.version if default else 0
    if view is None:
        return Shown({}, is_bare=True, default=begun)
    draft = ViewDraft.objects.filter(view=view, user_id=actor.lookup_id).first()
    if draft is None or draft.spec == spec_of(view, draft.version):
        return Shown(view.spec, view, view.version, default=begun)
    return Shown(draft.spec, view, draft.version, is_edited=True, default=begun)


def _working(actor: Actor, project: Project) -> Shown:
    found = SavedView.objects.filter(
        Q(user__isnull=True) | Q(user_id=actor.lookup_id), project=project, name=""
    )
    spec: Spec = {}
    for view in sorted(found, key=lambda view: not view.is_shared):
        spec |= view.spec
    return Shown(spec, default=next((view.version for view in found if view.is_shared), 0))


def shared_default(project: Project) -> SavedView | None:
    """Return what everybody's working state begins with."""
    return SavedView.objects.filter(project=project, user=None, name="").first()


def spec_of(view: SavedView, number: int) -> Spec | None:
    """Return what a version of a view held; None for one that is no longer kept."""
    held = view if number == view.version else ViewVersion.objects.filter(view=view, number=number).first()
    spec: Spec | None = held.spec if held else None
    return spec


def versions_of(view: SavedView) -> list[ViewVersion]:
    """Return all versions that are kept, the present one first."""
    now = ViewVersion(
        view=view, number=view.version, spec=view.spec, saved_by=view.saved_by, saved_at=view.saved_at
    )
    return [now, *view.earlier.select_related("saved_by")]


def get_version(view: SavedView, number: int) -> ViewVersion:
    """Return one version.

    Raises:
        NotFound: it is not, or no longer, kept.
    """
    for version in versions_of(view):
        if version.number == number:
            return version
    raise NotFound(_("This version of the view is no longer kept."))


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
