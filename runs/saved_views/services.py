"""Saved views: anyone signed in has their own of projects they see; shared ones take ``project.update``."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from common.errors import Conflict, Invalid, Unauthenticated
from common.formats.lenient_json import clean_text
from runs.access import ProjectAction
from runs.models import Project, SavedView, ViewDraft, ViewVersion
from runs.saved_views.selectors import Spec, checked_spec, no_view, spec_of

MAX_NAME = 128
MAX_VIEWS = 200
"""Of one owner in one project; shared views count as of one owner."""
MAX_VERSIONS = 50
"""Kept of one view, the present one among them."""


class ViewMovedOn(Conflict):
    """Somebody saved the view after the version that a change began from."""

    def __init__(self, view: SavedView) -> None:
        who = str(view.saved_by) if view.saved_by else _("Someone")
        super().__init__(
            _("%(who)s saved version %(version)s of this view after you opened it.")
            % {"who": who, "version": view.version}
        )
        self.detail = {
            "version": view.version,
            "saved_by": view.saved_by.username if view.saved_by else None,
            "saved_at": view.saved_at.isoformat(),
        }


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


def _checked_template(view: SavedView, *, wanted: bool) -> bool:
    if wanted and not (view.is_shared and view.name):
        raise Invalid(_("Only a shared view can be a team template."))
    return wanted


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
    view.saved_by_id = actor.user_id
    _save(view)
    _record(actor, view, "created")
    return view


@transaction.atomic
def change_view(
    *,
    actor: Actor,
    view: SavedView,
    name: str | None = None,
    spec: Any = None,
    base: int | None = None,
    template: bool | None = None,
) -> SavedView:
    """Rename a view or save other content, which keeps what it held; the caller has it from `get_view`.

    Args:
        base: The version that the content was made from; without it, whatever the view holds is replaced.
        template: Whether the other projects of the team offer it, too.

    Raises:
        Conflict: the name is taken, or somebody saved the view after ``base``.
        Invalid, TooLarge: a wrong name or spec, or a template that is not shared.
    """
    _require(actor, view.project, shared=view.is_shared)
    view = _locked(view)
    if name is not None:
        view.name = _checked_name(name)
    if spec is not None:
        _append_version(view, checked_spec(spec), actor, base)
    if template is not None:
        view.is_template = _checked_template(view, wanted=template)
    _save(view, "name", "spec", "version", "saved_by", "saved_at", "is_template")
    _record(actor, view, "changed")
    return view


@transaction.atomic
def delete_view(*, actor: Actor, view: SavedView) -> None:
    """Delete a view with its versions; the caller has it from `saved_views.get_view`."""
    _require(actor, view.project, shared=view.is_shared)
    view.delete()
    _record(actor, view, "deleted")


@transaction.atomic
def merge_working_view(
    *, actor: Actor, project: Project, parts: Any, shared: bool = False, base: int | None = None
) -> SavedView:
    """Replace the given parts of the actor's working state, or of the shared default; null takes a part away.

    Args:
        base: The version of the shared default that the change began from; 0 where there was none.

    Raises:
        Conflict: somebody saved the shared default after ``base``.
        Invalid, TooLarge: parts that cannot be stored.
        Unauthenticated: nobody is signed in who could own it.
    """
    _require(actor, project, shared=shared)
    owned = _owned(actor, project, shared=shared)
    view = owned.filter(name="").first()
    spec = _merged(view.spec if view else {}, parts)
    if view is None:
        owner = None if shared else actor.user_id
        view = SavedView(project=project, user_id=owner, spec=spec, saved_by_id=actor.user_id)
    elif shared:
        _append_version(view, spec, actor, base)
    else:
        view.spec = spec
    view.save()
    _record(actor, view, "default changed")
    return view


@transaction.atomic
def merge_draft(*, actor: Actor, view: SavedView, parts: Any, base: int | None = None) -> ViewDraft:
    """Replace the given parts of what the actor changed of a view; null takes a part away.

    Args:
        base: The version that was on show when the first change was made.

    Raises:
        Invalid, TooLarge: parts that cannot be stored.
        Unauthenticated: nobody is signed in who could own it.
    """
    _require(actor, view.project, shared=False)
    view = _locked(view)
    draft = ViewDraft.objects.filter(view=view, user_id=actor.lookup_id).first()
    if draft is None or draft.spec == spec_of(view, draft.version):
        begun = spec_of(view, base) if base else None
        version, spec = (base, begun) if base and begun is not None else (view.version, view.spec)
    else:
        version, spec = draft.version, draft.spec
    wanted = {"version": version, "spec": _merged(spec, parts)}
    draft, _made = ViewDraft.objects.update_or_create(view=view, user_id=actor.lookup_id, defaults=wanted)
    return draft


def discard_draft(*, actor: Actor, view: SavedView) -> None:
    """Forget what the actor changed of a view."""
    _require(actor, view.project, shared=False)
    ViewDraft.objects.filter(view=view, user_id=actor.lookup_id).delete()


def _locked(view: SavedView) -> SavedView:
    """Return the view as it is now; it does not change until the transaction ends."""
    views = SavedView.objects.select_related("project__team").select_for_update(of=["self"])
    found = views.filter(pk=view.pk).first()
    if found is None:
        raise no_view()
    return found


def _merged(spec: Spec, parts: Any) -> Spec:
    if not isinstance(parts, dict):
        raise Invalid("Give an object of parts: runs, selector, panels.")
    return checked_spec({name: part for name, part in {**spec, **parts}.items() if part is not None})


def _append_version(view: SavedView, spec: Spec, actor: Actor, base: int | None) -> None:
    """Give the view other content as its next version; the oldest beyond MAX_VERSIONS go."""
    if base is not None and base != view.version:
        raise ViewMovedOn(view)
    if spec == view.spec:
        return
    ViewVersion.objects.create(
        view=view, number=view.version, spec=view.spec, saved_by_id=view.saved_by_id, saved_at=view.saved_at
    )
    view.spec, view.version = spec, view.version + 1
    view.saved_by_id, view.saved_at = actor.user_id, timezone.now()
    view.earlier.filter(number__lte=view.version - MAX_VERSIONS).delete()
