"""Saved views: anyone signed in has their own of projects they see; shared ones take ``project.update``."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from common.errors import Conflict, Invalid, Unauthenticated
from common.formats.lenient_json import clean_text
from runs.access import ProjectAction
from runs.models import Project, SavedView
from runs.saved_views.selectors import Spec, checked_spec

MAX_NAME = 128
MAX_VIEWS = 200
"""Of one owner in one project; shared views count as of one owner."""


def _require(actor: Actor, project: Project, *, shared: bool) -> None:
    require(actor, ProjectAction.UPDATE if shared else ProjectAction.VIEW, project)
    if actor.user_id is None and not shared:
        raise Unauthenticated(_("Sign in to save your own views."))


def _owned(actor: Actor, project: Project, *, shared: bool) -> QuerySet[SavedView]:
    """Return the views of one owner, which do not change until the transaction ends."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    owner = {"user__isnull": True} if shared else {"user_id": actor.lookup_id}
    return SavedView.objects.filter(project=project, **owner)


def _checked_name(name: str) -> str:
    name = clean_text(name).strip()
    if not name or len(name) > MAX_NAME:
        raise Invalid(
            _("A view’s name must have 1 to %(most)s characters; this one has %(count)s.")
            % {"most": MAX_NAME, "count": len(name)}
        )
    return name


def _save(view: SavedView, *fields: str) -> None:
    try:
        with transaction.atomic():
            view.save(update_fields=[*fields, "updated_at"] if fields else None)
    except IntegrityError:
        taken = (
            _("%(project)s already has a shared view named “%(name)s”.")
            if view.is_shared
            else _("You already have a view named “%(name)s” in %(project)s.")
        )
        raise Conflict(taken % {"project": view.project, "name": view.name}) from None


def _record(actor: Actor, view: SavedView, what: str) -> None:
    """Note changes of what others see."""
    if view.is_shared:
        team = view.project.team
        record(
            actor, ProjectAction.UPDATE, view.project, organization_id=team.organization_id, team_id=team.pk,
            after={"view": view.name, "done": what},
        )  # fmt: skip


@transaction.atomic
def create_view(*, actor: Actor, project: Project, name: str, spec: Any, shared: bool = False) -> SavedView:
    """Save a view under a name.

    Raises:
        Conflict: the owner has one of this name in the project, or MAX_VIEWS.
        Invalid, TooLarge: a wrong name or spec.
        Unauthenticated: nobody is signed in who could own it.
    """
    _require(actor, project, shared=shared)
    owned = _owned(actor, project, shared=shared)
    if owned.count() >= MAX_VIEWS:
        raise Conflict(
            _("A project can have at most %(most)s views per owner; delete one first.") % {"most": MAX_VIEWS}
        )
    owner = None if shared else actor.user_id
    view = SavedView(project=project, user_id=owner, name=_checked_name(name), spec=checked_spec(spec))
    _save(view)
    _record(actor, view, "created")
    return view


@transaction.atomic
def change_view(*, actor: Actor, view: SavedView, name: str | None = None, spec: Any = None) -> SavedView:
    """Rename a view or replace its spec; the caller has it from `saved_views.get_view`.

    Raises:
        Conflict: the name is taken.
        Invalid, TooLarge: a wrong name or spec.
    """
    _require(actor, view.project, shared=view.is_shared)
    if name is not None:
        view.name = _checked_name(name)
    if spec is not None:
        view.spec = checked_spec(spec)
    _save(view, "name", "spec")
    _record(actor, view, "changed")
    return view


@transaction.atomic
def delete_view(*, actor: Actor, view: SavedView) -> None:
    """Delete a view; the caller has it from `saved_views.get_view`."""
    _require(actor, view.project, shared=view.is_shared)
    view.delete()
    _record(actor, view, "deleted")


@transaction.atomic
def merge_working_view(*, actor: Actor, project: Project, parts: Any, shared: bool = False) -> Spec:
    """Replace the given parts of the actor's working state, or of the shared default; null takes a part away.

    Raises:
        Invalid, TooLarge: parts that cannot be stored.
        Unauthenticated: nobody is signed in who could own it.
    """
    _require(actor, project, shared=shared)
    if not isinstance(parts, dict):
        raise Invalid("Give an object of parts: runs, selector, panels.")
    view = _owned(actor, project, shared=shared).filter(name="").first()
    if view is None:
        view = SavedView(project=project, user_id=None if shared else actor.user_id)
    merged = {name: part for name, part in {**view.spec, **parts}.items() if part is not None}
    spec = view.spec = checked_spec(merged)
    view.save()
    return spec
