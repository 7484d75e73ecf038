"""REST: projects and runs."""

from dataclasses import asdict
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from access.rest import ScopedViewSet
from access.rest_policy import actor_of
from access.routes import Open, declare
from runs.access import ProjectAction, RunAction
from runs.api_pages import RunPages
from runs.models import Project, Run
from runs.projection import json_tree, unwrap_config
from runs.query.expression import read_expression, tree_of, write_expression
from runs.query.names import named
from runs.services import lifecycle
from runs.table import TableQuery, seen_catalogue
from runs.table.cells import Reader, jsonable
from runs.table.query import narrowed
from runs.table.rows import WIDE


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


class WholeRunSerializer(RunSerializer):
    """A run with its config and summary as they were logged; NaN and infinities are text, since JSON has none."""

    config = serializers.SerializerMethodField()
    summary = serializers.SerializerMethodField()

    class Meta(RunSerializer.Meta):
        fields: ClassVar[list[str]] = [*RunSerializer.Meta.fields, "config", "summary"]

    def get_config(self, run: Run) -> dict[str, Any]:
        """Return the user's part of the configuration."""
        return unwrap_config(json_tree(run.config_text))

    def get_summary(self, run: Run) -> dict[str, Any]:
        """Return the summary without the SDK's own part."""
        return {key: value for key, value in json_tree(run.pulse.summary_text).items() if key != "_wandb"}


@declare(ProjectAction.VIEW)
class ProjectViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[Project]):
    """Visible projects; ``?entity=`` narrows to one entity."""

    queryset = Project.objects.select_related("team")
    serializer_class = ProjectSerializer
    view_action = ProjectAction.VIEW
    object_actions: ClassVar[dict[str, str]] = {
        "list": ProjectAction.VIEW, "retrieve": ProjectAction.VIEW, "columns": ProjectAction.VIEW,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Project]:
        """Narrow to an entity."""
        entity = self.request.query_params.get("entity")
        projects = super().get_queryset()
        return projects.filter(team__name=entity) if entity else projects

    @action(detail=True)
    def columns(self, request: Request, pk: str) -> Response:
        """Return the columns of the project's runs: fields, then every key of config and summary, with types."""
        columns = seen_catalogue(actor_of(request), self.get_object())
        return Response({"columns": [asdict(column) for column in columns]})


@declare(RunAction.VIEW)
class RunViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[Run]):
    """Visible runs. ``?entity=`` and ``?project=`` narrow, so do ``filter`` (an expression) and ``search``.

    ``order`` (of one project) sorts by any column; ``columns=config.lr,summary.loss`` adds their values as ``columns``.
    """

    queryset = Run.objects.live().select_related("project__team", "user", "pulse")
    serializer_class = RunSerializer
    pagination_class = RunPages
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

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return a page of runs, with the columns asked for."""
        query = TableQuery.of(request.query_params)
        page = self.paginate_queryset(narrowed(self.get_queryset(), query).defer(*WIDE)) or []
        found: list[dict[str, Any]] = [dict(one) for one in RunSerializer(page, many=True).data]
        if query.columns:
            reader = Reader(map(named, query.columns))
            rows = reader.rows(Run.objects.filter(pk__in=[run.pk for run in page]))
            values = {pk: [jsonable(value) for value in row] for pk, _state, row in rows}
            for row in found:
                row["columns"] = dict(zip(query.columns, values[row["id"]], strict=True))
        return self.get_paginated_response(found)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return a run with its config and summary."""
        return Response(WholeRunSerializer(self.get_object()).data)

    @action(detail=True, methods=["post"])
    def stop(self, request: Request, pk: str) -> Response:
        """Ask the run to stop."""
        run = lifecycle.stop_run(actor=actor_of(request), run=self.get_object())
        return Response(RunSerializer(self.get_queryset().get(pk=run.pk)).data)


@declare(Open.ANYONE)
class FilterViewSet(ViewSet):
    """Reads filter expressions; it needs no rights, since it reads nothing else."""

    object_actions: ClassVar[dict[str, str]] = {"list": RunAction.VIEW}

    def list(self, request: Request) -> Response:
        """Return ``tree``, as the builder edits it, and ``text``, written evenly, of ``?text=``.

        A wrong text answers 400; ``detail.position`` counts characters from 0, ``detail.expected`` names what.
        """
        condition = read_expression(request.query_params.get("text", ""))
        return Response({"tree": tree_of(condition), "text": write_expression(condition)})
