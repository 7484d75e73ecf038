"""REST: projects and runs."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from access.rest import ScopedViewSet
from access.rest_policy import actor_of
from access.routes import declare
from runs.access import ProjectAction, RunAction
from runs.models import Project, Run
from runs.services import lifecycle


class ProjectSerializer(serializers.ModelSerializer[Project]):
    """A project."""

    entity = serializers.CharField(source="team.name")

    class Meta:
        model = Project
        fields: ClassVar[list[str]] = ["id", "entity", "name", "description", "visibility", "created_at",
                                       "last_active_at"]  # fmt: skip


class RunSerializer(serializers.ModelSerializer[Run]):
    """A run as a list shows it."""

    entity = serializers.CharField(source="project.team.name")
    project = serializers.CharField(source="project.name")
    user = serializers.CharField(source="user.username", default=None)
    heartbeat_at = serializers.DateTimeField(source="pulse.heartbeat_at")

    class Meta:
        model = Run
        fields: ClassVar[list[str]] = [
            "id", "entity", "project", "uid", "display_name", "state", "user", "created_at", "started_at",
            "finished_at", "heartbeat_at", "runtime_s", "duration_s", "exit_code", "tags", "notes", "group", "job_type",
            "host",
        ]  # fmt: skip


@declare(ProjectAction.VIEW)
class ProjectViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[Project]):
    """Visible projects; ``?entity=`` narrows to one entity."""

    queryset = Project.objects.select_related("team")
    serializer_class = ProjectSerializer
    view_action = ProjectAction.VIEW
    object_actions: ClassVar[dict[str, str]] = {"list": ProjectAction.VIEW, "retrieve": ProjectAction.VIEW}

    def get_queryset(self) -> QuerySet[Project]:
        """Narrow to an entity."""
        entity = self.request.query_params.get("entity")
        projects = super().get_queryset()
        return projects.filter(team__name=entity) if entity else projects


@declare(RunAction.VIEW)
class RunViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[Run]):
    """Visible runs; ``?entity=`` and ``?project=`` narrow."""

    queryset = Run.objects.live().select_related("project__team", "user", "pulse")
    serializer_class = RunSerializer
    view_action = RunAction.VIEW
    object_actions: ClassVar[dict[str, str]] = {
        "list": RunAction.VIEW, "retrieve": RunAction.VIEW, "stop": RunAction.STOP,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Run]:
        """Narrow to an entity and a project."""
        given = self.request.query_params
        wanted: dict[str, Any] = {}
        if given.get("entity"):
            wanted["project__team__name"] = given["entity"]
        if given.get("project"):
            wanted["project__name"] = given["project"]
        return super().get_queryset().filter(**wanted)

    @action(detail=True, methods=["post"])
    def stop(self, request: Request, pk: str) -> Response:
        """Ask the run to stop."""
        run = lifecycle.stop_run(actor=actor_of(request), run=self.get_object())
        return Response(RunSerializer(self.get_queryset().get(pk=run.pk)).data)
