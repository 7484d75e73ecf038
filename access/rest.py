"""The adapter for the REST API: rows are the visible ones, one declared action per endpoint."""

from typing import ClassVar, Generic, TypeVar

from django.db.models import Model, QuerySet
from rest_framework.viewsets import GenericViewSet

from access.engine import require, visible
from access.rest_policy import actor_of
from common.errors import NotFound

M = TypeVar("M", bound=Model)


class ScopedViewSet(GenericViewSet[M], Generic[M]):
    """A viewset whose rows are the visible ones; ``object_actions`` names the one action per endpoint."""

    view_action: ClassVar[str]
    object_actions: ClassVar[dict[str, str]]

    def get_queryset(self) -> QuerySet[M]:
        """Return the rows the actor may see."""
        return visible(actor_of(self.request), self.view_action, super().get_queryset())

    def get_object(self) -> M:
        """Return one visible row on which the endpoint's action is allowed: else 404, or 403 naming it."""
        lookup = self.lookup_url_kwarg or self.lookup_field
        row = self.get_queryset().filter(**{self.lookup_field: self.kwargs[lookup]}).first()
        if row is None:
            model = super().get_queryset().model
            raise NotFound(f"There is no such {model._meta.verbose_name}, or you may not see it.")
        require(actor_of(self.request), self.object_actions[self.action], row)
        return row
