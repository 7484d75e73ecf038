"""REST: projects."""

from dataclasses import asdict
from typing import Any, ClassVar

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT

from access.engine import visible
from access.openapi.schema import query
from access.rest.policy import actor_of, signed_in
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from common.rest.responses import is_key, is_yes, validated
from runs.access import ProjectAction
from runs.api.serializers import (
    ProjectCreateSerializer,
    ProjectLogSearchResultSerializer,
    ProjectSerializer,
    ProjectUpdateSerializer,
    RunColumnListSerializer,
)
from runs.lifecycle.purge import undo_ended_at
from runs.logs.project_search import SearchCursor, search_logs
from runs.logs.search import Needle
from runs.models import Project
from runs.projects import deletion
from runs.projects import services as projects
from runs.selectors import get_team
from runs.table import TableQuery, visible_catalogue


@declare(ProjectAction.VIEW)
class ProjectViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[Project]):
    """Projects."""

    tag = "Projects"
    queryset = Project.objects.select_related("team")
    serializer_class = ProjectSerializer
    view_action = ProjectAction.VIEW
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"destroy"})
    object_actions: ClassVar[dict[str, str]] = {
        "list": ProjectAction.VIEW, "create": ProjectAction.CREATE, "retrieve": ProjectAction.VIEW,
        "partial_update": ProjectAction.VIEW, "destroy": ProjectAction.DELETE, "restore": ProjectAction.DELETE,
        "columns": ProjectAction.VIEW, "logs": ProjectAction.VIEW,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Project]:
        """Return live projects; deleted ones that can be restored where they are asked for."""
        given, listed, actor = self.request.query_params, self.action == "list", actor_of(self.request)
        rows = Project.objects.select_related("team").filter(is_registry=False)
        live, gone = rows.filter(deleted_at=None), rows.filter(deleted_at__gt=undo_ended_at(timezone.now()))
        if self.action == "restore":
            return self.restorable(live, gone)
        wants_gone = listed and is_yes(given, "deleted")
        found = visible(actor, *((ProjectAction.DELETE, gone) if wants_gone else (ProjectAction.VIEW, live)))
        if listed and given.get("entity"):
            found = found.filter(team__name=given["entity"])
        if listed and given.get("name"):
            found = found.filter(pk__in=Project.objects.called(given["name"]))
        return found

    @extend_schema(
        parameters=[
            query("entity", "Only projects of this team or person."),
            query("name", "Only projects that have this name, or had it where no other took it."),
            query("deleted", "Those that you can restore instead.", type=bool),
        ]
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the projects you can see, newest first."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=ProjectCreateSerializer, responses={201: ProjectSerializer})
    def create(self, request: Request) -> Response:
        """Create a project. Logging a run also creates one."""
        actor, body = signed_in(request), validated(ProjectCreateSerializer, request.data)
        team = get_team(actor, body.pop("entity"))
        project = projects.create_project(actor=actor, team=team, **body)
        return Response(ProjectSerializer(project).data, status=HTTP_201_CREATED)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return a project."""
        return super().retrieve(request, *args, **kwargs)

    @extend_schema(request=ProjectUpdateSerializer)
    @transaction.atomic
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change a project's name, description, visibility, protected tags or pin, all or nothing."""
        actor, body = actor_of(request), validated(ProjectUpdateSerializer, request.data)
        visibility = body.pop("visibility", None)
        project = self._manageable(pk) if visibility is not None else self.get_object()
        if visibility is not None:
            project = projects.change_visibility(actor=actor, project=project, visibility=visibility)
        if "pinned" in body:
            projects.pin_project(actor=actor, project=project, is_pinned=body.pop("pinned"))
        if "name" in body:
            project = projects.rename_project(actor=actor, project=project, name=body.pop("name"))
        if body or visibility is None:
            project = projects.update_project(actor=actor, project=project, **body)
        return Response(ProjectSerializer(project).data)

    def _manageable(self, pk: str) -> Project:
        """Return a project whose visibility the caller may change: restricted ones, too, that they do not see."""
        rows = Project.objects.live().select_related("team")
        manageable = visible(actor_of(self.request), ProjectAction.CHANGE_VISIBILITY, rows)
        found = manageable.filter(pk=pk).first() if is_key(pk) else None
        return found or self.get_object()

    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a project and its runs; it can be restored for some days."""
        deletion.delete_project(actor=actor_of(request), project=self.get_object())
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, pk: str) -> Response:
        """Restore a deleted project with the runs deleted with it."""
        project = deletion.restore_project(actor=actor_of(request), project=self.get_object())
        return Response(ProjectSerializer(project).data)

    @extend_schema(
        parameters=[
            query("text", "What to look for, 1 to 500 characters.", required=True),
            query("regex", "Whether it is a regular expression (RE2).", type=bool),
            query("exact", "Whether capitals count.", type=bool),
            query("filter", "Only runs that meet an expression, as in the runs table."),
            query("after", "The `next` of the answer before."),
        ],
        responses=ProjectLogSearchResultSerializer,
    )
    @action(detail=True)
    def logs(self, request: Request, pk: str) -> Response:
        """Search the project's console logs. A request reads for about a second; next continues the search."""
        given = request.query_params
        flags = {"is_regex": is_yes(given, "regex"), "is_exact": is_yes(given, "exact")}
        page = search_logs(
            actor_of(request), self.get_object(), Needle(given.get("text", ""), **flags), TableQuery.of(given),
            SearchCursor.of(given.get("after", "")),
        )  # fmt: skip
        return Response(ProjectLogSearchResultSerializer(page).data)

    @extend_schema(responses=RunColumnListSerializer)
    @action(detail=True)
    def columns(self, request: Request, pk: str) -> Response:
        """Return the columns of the project's runs: fields, then every key of config and summary, with types."""
        columns = visible_catalogue(actor_of(request), self.get_object())
        return Response({"columns": [asdict(column) for column in columns]})
