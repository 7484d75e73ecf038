"""The adapter for the REST API: rows are the visible ones, one declared action per endpoint."""

from typing import ClassVar, Generic, TypeVar

from django.db.models import Model, Q, QuerySet
from rest_framework.viewsets import GenericViewSet

from access.engine import missing, require, visible
from access.rest.policy import actor_of
from common.rest.responses import is_key

M = TypeVar("M", bound=Model)


class ScopedViewSet(GenericViewSet[M], Generic[M]):
    """A viewset whose rows are the visible ones; ``object_actions`` names the one action per endpoint."""

    tag: ClassVar[str]
    """Under which heading the documentation has it."""
    view_action: ClassVar[str]
    object_actions: ClassVar[dict[str, str]]

    def get_queryset(self) -> QuerySet[M]:
        """Return the rows the actor may see."""
        return visible(actor_of(self.request), self.view_action, super().get_queryset())

    def restorable(self, live: QuerySet[M], gone: QuerySet[M]) -> QuerySet[M]:
        """Return what the actor sees, and of what was deleted what they may bring back."""
        actor = actor_of(self.request)
        seen = visible(actor, self.view_action, live).values("pk")
        theirs = visible(actor, self.object_actions["restore"], gone).values("pk")
        return super().get_queryset().filter(Q(pk__in=seen) | Q(pk__in=theirs))

    def get_object(self) -> M:
        """Return one visible row on which the endpoint's action is allowed: else 404, or 403 naming it."""
        named = str(self.kwargs[self.lookup_url_kwarg or self.lookup_field])
        could_be = self.lookup_field != "pk" or is_key(named)
        row = self.get_queryset().filter(**{self.lookup_field: named}).first() if could_be else None
        if row is None:
            raise missing(super().get_queryset().model)
        require(actor_of(self.request), self.object_actions[self.action], row)
        return row
