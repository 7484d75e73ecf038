"""The one decision. A permission is a filter: a list and a single row are decided by the same query.

A row's model is ``obj._meta.model``, not its type: ``request.user`` is a lazy proxy.
"""

from typing import TypeVar

from django.contrib.auth import get_user_model
from django.db.models import Model, Q, QuerySet

from access.actions import ActionSpec, spec_of
from access.actor import Actor, ActorKind
from access.grants import NOBODY, granted_people, granted_rows
from access.resources import Resource, resource_of
from common.errors import Forbidden, NotFound

M = TypeVar("M", bound=Model)


def _by_role(actor: Actor, action: str, spec: ActionSpec, resource: Resource) -> Q:
    condition = NOBODY
    if actor.reaches(action):
        condition |= granted_rows(actor, action, resource)
        if spec.owner and resource.owner:
            condition |= Q(**{resource.owner: actor.lookup_id})
        if spec.open and actor.user_id is not None:
            condition |= resource.open(actor.user_id)
    if spec.own and resource.owner and actor.reaches(spec.own):
        condition |= granted_rows(actor, spec.own, resource) & Q(**{resource.owner: actor.lookup_id})
    return condition


def _allowed(actor: Actor, action: str, resource: Resource) -> Q:
    spec = spec_of(action, resource.model)
    if actor.kind is ActorKind.SYSTEM or actor.elevated:
        return Q()
    condition = NOBODY
    if spec.public and actor.reaches(action):
        condition |= resource.public
    if actor.user_id is not None:  # an anonymous actor's None must never meet a nullable owner column
        condition |= _by_role(actor, action, spec, resource)
    return condition


def visible(actor: Actor, action: str, queryset: QuerySet[M]) -> QuerySet[M]:
    """Keep the rows on which the actor may do the action."""
    return queryset.filter(_allowed(actor, str(action), resource_of(queryset.model)))


def can(actor: Actor, action: str, obj: Model) -> bool:
    """Say whether the actor may do the action on this row: the same filter, for one row."""
    return visible(actor, action, obj._meta.model._default_manager.filter(pk=obj.pk)).exists()


def require(actor: Actor, action: str, obj: Model) -> None:
    """Let pass or raise.

    Raises:
        NotFound: the actor may not even see the row.
        Forbidden: the actor sees it but lacks the action, which the error names.
    """
    if can(actor, action, obj):
        return
    resource = resource_of(obj._meta.model)
    if resource.view and str(action) != resource.view and can(actor, resource.view, obj):
        who = f"{actor.name} has" if actor.name else "You have"
        limited = "" if actor.reaches(str(action)) else " (the API key's scopes do not include it)"
        raise Forbidden(
            f"{who} no permission {str(action)!r} on {obj._meta.verbose_name} {str(obj)!r}{limited}."
            " Ask an admin of the team for a role that grants it.",
            action=str(action),
        )
    raise NotFound(f"There is no such {obj._meta.verbose_name}, or you may not see it.")


def who_may(action: str, obj: Model) -> QuerySet[Model]:
    """Invert the decision: the active users who may do the action on this row by role or ownership."""
    resource = resource_of(obj._meta.model)
    spec = spec_of(action, resource.model)
    people = granted_people(str(action), resource, obj)
    if resource.owner and (spec.own or spec.owner):
        owner = obj._meta.model._default_manager.filter(pk=obj.pk).values(resource.owner)
        if spec.owner:
            people |= Q(pk__in=owner)
        if spec.own:
            people |= Q(pk__in=owner) & granted_people(spec.own, resource, obj)
    return get_user_model()._default_manager.filter(people, is_active=True)
