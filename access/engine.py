"""The one decision. A permission is a filter: a list and a single row are decided by the same query.

For a single row its text is kept (`common.database.compiled_sql`), by model, action and the kind of actor, never by who
asks. A row's model is ``obj._meta.model``, not its type: ``request.user`` is a lazy proxy.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.contrib.auth import get_user_model
from django.db.models import BooleanField, Case, Model, Q, QuerySet, Value, When
from django.utils.translation import gettext as _

from access.actions import ActionSpec, spec_of
from access.actor import Actor, ActorKind
from access.explain import refused
from access.grants import GrantScope, granted_holders, granted_people, granted_rows
from access.resources.labels import kind_of
from access.resources.registry import NOBODY, Resource, any_of, resource_of
from common.database.compiled_sql import ROW, USER, holds
from common.errors import Forbidden, NotFound

M = TypeVar("M", bound=Model)


def _by_role(actor: Actor, action: str, spec: ActionSpec, resource: Resource) -> Q:
    found = []
    if actor.reaches(action):
        found.append(granted_rows(actor, action, resource))
        if spec.owner and resource.owner:
            found.append(Q(**{resource.owner: actor.lookup_id}))
        if spec.open and actor.user_id is not None:
            found.append(resource.open(actor.user_id))
    if spec.own and resource.owner and actor.reaches(spec.own):
        found.append(granted_rows(actor, spec.own, resource) & Q(**{resource.owner: actor.lookup_id}))
    return any_of(*found)


def _allowed(actor: Actor, action: str, spec: ActionSpec, resource: Resource) -> Q:
    """Return the filter; `actor` is what `_seen_by_rules` leaves of one."""
    if has_operator_rights(actor):
        return Q()
    by_role = by_visibility = NOBODY
    if spec.public and actor.reaches(action):
        by_visibility = resource.public
    if actor.user_id is not None:  # an anonymous actor's None must never meet a nullable owner column
        by_role = _by_role(actor, action, spec, resource)
    condition = any_of(by_visibility, by_role)
    return condition if action in resource.reach_deleted else condition & resource.live


def _seen_by_rules(actor: Actor, action: str, spec: ActionSpec, user_id: int | None) -> Actor:
    """Return all of an actor that rules know, with the key of the user or what stands for it."""
    reached = frozenset(each for each in (action, spec.own) if each and actor.reaches(each))
    return Actor(kind=actor.kind, user_id=user_id, scopes=reached, elevated=actor.elevated)


def visible(actor: Actor, action: str, queryset: QuerySet[M]) -> QuerySet[M]:
    """Keep the rows on which the actor may do the action."""
    name, resource = str(action), resource_of(queryset.model)
    spec = spec_of(name, resource.model)
    who = _seen_by_rules(actor, name, spec, actor.user_id)
    return queryset.filter(_allowed(who, name, spec, resource))


def can(actor: Actor, action: str, obj: Model) -> bool:
    """Say whether the actor may do the action on this row: the same filter, for one row."""
    resource = resource_of(obj._meta.model)
    return _may(actor, str(action), spec_of(str(action), resource.model), obj)


def can_throughout(actor: Actor, action: str, model: type[Model], place: Model) -> bool:
    """Say whether the actor may do the action on every live row of a model that lies in a place, a project say.

    What is asked of a row's project is asked of the project itself, once for all its rows. False says nothing: they may
    do it on some, as those of their own.
    """
    spec = spec_of(str(action), resource_of(model).model)
    of_all = replace(spec, own="", owner=False, open=False)  # these are of single rows
    return _may(actor, str(action), of_all, place)


def _may(actor: Actor, name: str, spec: ActionSpec, obj: Model) -> bool:
    resource, rows = resource_of(obj._meta.model), obj._meta.model._default_manager
    who = _seen_by_rules(actor, name, spec, None if actor.user_id is None else USER)
    return obj.pk is not None and holds(
        (resource.model, spec.on, spec.open, name, who),
        lambda: rows.filter(_allowed(who, name, spec, resource), pk=ROW),
        {USER: actor.lookup_id, ROW: obj.pk},
        using=rows.db,
    )


def can_somewhere(actor: Actor, action: str, rows: Callable[[], QuerySet[M]]) -> bool:
    """Say whether there is a row among some on which the actor may do the action; the query is kept by the function."""
    queryset = rows()
    name, resource = str(action), resource_of(queryset.model)
    spec = spec_of(name, resource.model)
    who = _seen_by_rules(actor, name, spec, None if actor.user_id is None else USER)
    return holds(
        (rows, name, who),
        lambda: queryset.filter(_allowed(who, name, spec, resource)),
        {USER: actor.lookup_id},
        using=queryset.db,
    )


def require(actor: Actor, action: str, obj: Model) -> None:
    """Let pass or raise.

    Raises:
        NotFound: the actor may not even see the row.
        Forbidden: the actor sees it but lacks the action; the message says so, and who can help.
    """
    if can(actor, action, obj):
        return
    resource = resource_of(obj._meta.model)
    if str(action) != resource.view and _sees(actor, resource, obj):
        raise refused(actor, str(action), obj)
    raise missing(type(obj))


def has_operator_rights(actor: Actor) -> bool:
    """Say whether an operator uses their rights just now, or a command runs on the machine itself."""
    return actor.elevated or actor.kind is ActorKind.SYSTEM


def require_operator(actor: Actor, action: str, message: str = "") -> None:
    """Let pass operators who use their rights, or raise: for what belongs to the installation and no role reaches.

    Args:
        actor: Who asks.
        action: What they would do, for the answer.
        message: A better sentence than "Only operators of this installation can do this."

    Raises:
        Forbidden: anybody else, also an operator who did not ask for their rights.
    """
    if not has_operator_rights(actor):
        raise Forbidden(message or _("Only operators of this installation can do this."), action=action)


def _sees(actor: Actor, resource: Resource, obj: Model) -> bool:
    """Say whether a refusal tells the actor nothing new: they see the row, or it is themselves."""
    if resource.view:
        return can(actor, resource.view, obj)
    return resource.owner == "pk" and obj.pk == actor.user_id


def missing(model: type[Model]) -> NotFound:
    """Return the refusal of a row that is not there or may not be seen, so that the two read the same."""
    return NotFound(
        _("This %(kind)s doesn’t exist, or you don’t have access to it.") % {"kind": kind_of(model)}
    )


def who_may(action: str, obj: Model) -> QuerySet[Model]:
    """Invert the decision: the active users who may do the action on this row by role or ownership."""
    resource = resource_of(obj._meta.model)
    spec = spec_of(action, resource.model)
    users = get_user_model()._default_manager
    rows = obj._meta.model._default_manager.filter(pk=obj.pk)
    if str(action) not in resource.reach_deleted and not rows.filter(resource.live).exists():
        return users.none()
    people = granted_people(str(action), resource, obj)
    if resource.owner and (spec.own or spec.owner):
        owner = rows.values(resource.owner)
        if spec.owner:
            people |= Q(pk__in=owner)
        if spec.own:
            people |= Q(pk__in=owner) & granted_people(spec.own, resource, obj)
    return users.filter(people, is_active=True)


@dataclass(frozen=True, slots=True)
class Holders:
    """Who may do something on a row: those in ``people``, by role or ownership; or everybody, since it is public."""

    people: frozenset[int]
    is_public: bool

    def __contains__(self, user_id: int) -> bool:
        return self.is_public or user_id in self.people


def who_may_each(
    action: str, queryset: QuerySet[M], *, among: Collection[int] | None = None
) -> dict[int, Holders]:
    """Return for the key of each row whoever may do the action on it: `who_may` for many rows.

    Rows that were deleted are left out. The number of queries does not depend on that of rows or people.

    Args:
        action: What is to be done.
        queryset: The rows.
        among: Keys of the users that are asked about; None asks about all.
    """
    name, resource = str(action), resource_of(queryset.model)
    spec = spec_of(name, resource.model)
    rows = _with_scopes(name, queryset, resource, is_public=spec.public)
    places = {place for _, place, _, _ in rows}
    by_role = granted_holders(name, places, among)
    by_own = granted_holders(spec.own, places, among) if spec.own else {}
    owners = _active({owner for _, _, owner, _ in rows if owner is not None}) if spec.owner else frozenset()
    people = {place: frozenset(found) for place, found in by_role.items()}
    found = {}
    for pk, place, owner, is_public in rows:
        holds = people[place]
        if owner is not None and (owner in owners or owner in by_own.get(place, ())):
            holds |= {owner}
        found[pk] = Holders(holds, is_public)
    return found


def _active(user_ids: Collection[int]) -> frozenset[int]:
    users = get_user_model()._default_manager.filter(pk__in=user_ids, is_active=True)
    return frozenset(users.values_list("pk", flat=True))


def _with_scopes(
    action: str, queryset: QuerySet[M], resource: Resource, *, is_public: bool
) -> list[tuple[int, GrantScope, int | None, bool]]:
    """Return each row's key with where it lies, its owner and whether everybody reaches it, in one query."""
    rows = queryset if action in resource.reach_deleted else queryset.filter(resource.live)
    withheld = NOBODY if action in resource.always_reach else resource.withheld
    paths = [resource.team, resource.organization, resource.project, resource.owner]
    known = [path for path in paths if path]
    marked = rows.order_by().annotate(
        _withheld=_whether(withheld), _public=_whether(resource.public if is_public else NOBODY)
    )
    found = []
    for pk, *values, is_withheld, is_open in marked.values_list("pk", *known, "_withheld", "_public"):
        at: dict[str, Any] = dict(zip(known, values, strict=True))
        team_id, organization_id, project_id = map(at.get, paths[:3])
        place = GrantScope(team_id, organization_id, project_id, is_withheld)
        found.append((pk, place, at.get(resource.owner), is_open))
    return found


def _whether(condition: Q) -> Any:
    """Return a column that says whether a row meets a condition."""
    if condition is NOBODY:
        return Value(value=False, output_field=BooleanField())
    return Case(When(condition, then=Value(value=True)), default=Value(value=False))
