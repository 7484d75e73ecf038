"""REST: charts that teams have stored, by ``entity/name``."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from common.rest.responses import validated
from runs.access import ChartAction
from runs.charts import services
from runs.charts.selectors import charts_of, get_chart, team_of
from runs.models import ChartAccess, StoredChart


class ChartSerializer(serializers.ModelSerializer[StoredChart]):
    """A chart as a list shows it."""

    entity = serializers.CharField(source="team.name")
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)

    class Meta:
        model = StoredChart
        fields: ClassVar[list[str]] = [
            "id", "entity", "name", "display_name", "access", "created_by", "created_at", "updated_at",
        ]  # fmt: skip


class ChartDetailSerializer(ChartSerializer):
    """A chart with its specification, a text."""

    class Meta(ChartSerializer.Meta):
        fields: ClassVar[list[str]] = [*ChartSerializer.Meta.fields, "spec"]


class ChartUpdateSerializer(serializers.Serializer[Any]):
    """What makes a chart."""

    spec = serializers.JSONField(help_text="A Vega or Vega-Lite specification: an object, or its text.")
    display_name = serializers.CharField(required=False, allow_blank=True)
    access = serializers.ChoiceField(ChartAccess.choices, default=ChartAccess.PRIVATE)


@declare(ChartAction.VIEW)
class ChartViewSet(ListModelMixin, GenericViewSet[StoredChart]):
    """Charts that the caller may draw with, without their specifications; ``?entity=`` narrows to one entity."""

    tag = "Views and charts"
    serializer_class = ChartSerializer
    lookup_field = "path"
    lookup_value_regex = "[^/]+/[^/]+"
    object_actions: ClassVar[dict[str, str]] = {
        "list": ChartAction.VIEW, "retrieve": ChartAction.VIEW, "update": ChartAction.SAVE,
        "destroy": ChartAction.SAVE,
    }  # fmt: skip

    def _chart(self, path: str) -> StoredChart:
        entity, _, name = path.partition("/")
        return get_chart(actor_of(self.request), entity, name)

    def get_queryset(self) -> QuerySet[StoredChart]:
        """Return what the caller may see."""
        return charts_of(actor_of(self.request), self.request.query_params.get("entity", ""))

    @extend_schema(parameters=[query("entity", "Only charts of this team or person.")])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the charts available to you, without their specifications."""
        return super().list(request, *args, **kwargs)

    def retrieve(self, request: Request, path: str) -> Response:
        """Return a chart with its specification."""
        return Response(ChartDetailSerializer(self._chart(path)).data)

    def update(self, request: Request, path: str) -> Response:
        """Store a chart under this name, replacing any existing one: spec, display_name, access."""
        entity, _, name = path.partition("/")
        body = validated(ChartUpdateSerializer, request.data)
        actor = actor_of(request)
        chart = services.save_chart(actor=actor, team=team_of(actor, entity, name), name=name, **body)
        return Response(ChartDetailSerializer(chart).data)

    def destroy(self, request: Request, path: str) -> Response:
        """Delete a chart."""
        services.delete_chart(actor=actor_of(request), chart=self._chart(path))
        return Response(status=HTTP_204_NO_CONTENT)
