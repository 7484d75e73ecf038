"""REST: archives of what a team or a person owns (TEAM-12)."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpResponseRedirect
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED

from access.engine import missing
from access.openapi.schema import query
from access.rest.policy import actor_of, signed_in
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from common.rest.responses import validated
from exports import services
from exports.access import ExportAction
from exports.models import Export, ExportState
from exports.tasks import make_exports
from exports.views import archive_path
from teams.models import Team


class ExportSerializer(serializers.ModelSerializer[Export]):
    """An archive that was asked for, and how far it is."""

    entity = serializers.CharField(source="team.name", help_text="Whose things: a team's or person's name.")
    state = serializers.ChoiceField([(value, value) for value in ExportState.values])
    error = serializers.CharField(help_text="Why it failed; else empty.")

    class Meta:
        model = Export
        fields: ClassVar[list[str]] = ["id", "entity", "state", "runs_done", "runs_total", "error", "created_at",
                                       "ended_at"]  # fmt: skip


class ExportCreateSerializer(serializers.Serializer[Any]):
    """What is to be exported."""

    entity = serializers.CharField(max_length=64, help_text="Name of a team, or of yourself.")


@declare(ExportAction.USE)
class ExportViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[Export]):
    """One's own exports: others may not see the same projects."""

    tag = "Exports"
    queryset = Export.objects.select_related("team", "blob")
    serializer_class = ExportSerializer
    view_action = ExportAction.USE
    object_actions: ClassVar[dict[str, str]] = dict.fromkeys(
        ("list", "create", "retrieve", "cancel", "download"), ExportAction.USE
    )

    def get_queryset(self) -> QuerySet[Export]:
        """Return the caller's own, whoever asks with which rights; of one entity where it is named."""
        rows = super().get_queryset().filter(asked_by=signed_in(self.request).lookup_id)
        entity = self.request.query_params.get("entity", "") if self.action == "list" else ""
        return rows.filter(team__name=entity) if entity else rows

    @extend_schema(parameters=[query("entity", "Only of this team or person.")])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List your exports, newest first."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=ExportCreateSerializer, responses={201: ExportSerializer})
    def create(self, request: Request) -> Response:
        """Request an archive of everything a team owns or you own, created in the background, one at a time."""
        actor, body = signed_in(request), validated(ExportCreateSerializer, request.data)
        team = Team.objects.live().filter(name=body["entity"]).first()
        if team is None:
            raise missing(Team)
        export = services.request_export(actor=actor, team=team)
        make_exports.delay()
        return Response(ExportSerializer(export).data, status=HTTP_201_CREATED)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return an export with its progress, or why it failed."""
        return super().retrieve(request, *args, **kwargs)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Cancel a queued or running export."""
        export = services.cancel_export(actor=actor_of(request), export=self.get_object())
        return Response(ExportSerializer(export).data)

    @extend_schema(responses={302: OpenApiResponse(description="The archive is at `Location`.")})
    @action(detail=True)
    def download(self, request: Request, pk: str) -> HttpResponseRedirect:
        """Redirect to the archive at a signed, short-lived URL; 410 before it is ready and after it expires."""
        return HttpResponseRedirect(archive_path(actor_of(request), self.get_object()))
