"""REST: what a run used and logged."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from access.rest.policy import actor_of
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from artifacts.api.context import version_list
from artifacts.api.serializers import ArtifactVersionSerializer
from artifacts.models import Membership
from artifacts.selectors import inputs_of, outputs_of
from runs.access import RunAction
from runs.api.serializers import RunSerializer
from runs.models import Run


@declare(RunAction.VIEW)
class RunArtifactViewSet(ScopedViewSet[Run]):
    """Artifacts of a run."""

    tag = "Artifacts"
    queryset = Run.objects.live().select_related("project__team")
    serializer_class = RunSerializer
    view_action = RunAction.VIEW
    object_actions: ClassVar[dict[str, str]] = dict.fromkeys(("inputs", "outputs"), RunAction.VIEW)

    @extend_schema(responses=ArtifactVersionSerializer(many=True))
    @action(detail=True, url_path="input-artifacts")
    def inputs(self, request: Request, pk: str) -> Response:
        """List the artifact versions that a run used and that you can see."""
        return self._page(inputs_of(actor_of(request), self.get_object()))

    @extend_schema(responses=ArtifactVersionSerializer(many=True))
    @action(detail=True, url_path="output-artifacts")
    def outputs(self, request: Request, pk: str) -> Response:
        """List the artifact versions that a run logged and that you can see."""
        return self._page(outputs_of(actor_of(request), self.get_object()))

    def _page(self, places: QuerySet[Membership]) -> Response:
        page: Any = self.paginate_queryset(places)  # type: ignore[arg-type]  # of versions, not runs
        return self.get_paginated_response(version_list(actor_of(self.request), page))
