"""REST: what teams and people keep (ACC-8, TEAM-4)."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions
from rest_framework.decorators import action
from rest_framework.pagination import Cursor
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from common.errors import Invalid, NotFound
from common.rest.responses import NewestFirstPagination, is_key
from runs.models import Project
from runs.selectors import get_project_by_any_name
from teams.access import TeamAction
from teams.models import Team
from teams.teams.selectors import default_team_of, personal_team_of
from usage.api.storage_serializers import ProjectStorageSerializer, RunStorageSerializer, StorageSerializer
from usage.storage.selectors import projects_by_size, runs_by_size, storage_of, stored_by

_ENTITY = query("entity", "A team, or a person’s own name; your own unless given.")


class LargestFirst(NewestFirstPagination):
    """Pages by stored bytes, largest first."""

    ordering = "-stored"

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Read the cursor of the query string; raises as `NewestFirstPagination`."""
        cursor = super().decode_cursor(request)
        if cursor is not None and cursor.position is not None and not is_key(str(cursor.position)):
            raise exceptions.NotFound(self.invalid_cursor_message)
        return cursor


@declare(TeamAction.VIEW_USAGE)
class StorageViewSet(GenericViewSet[Project]):
    """What a team or a person keeps now, in bytes; deleted runs count until they are freed."""

    tag = "Billing"
    serializer_class = StorageSerializer
    pagination_class = LargestFirst
    queryset = Project.objects.all()
    object_actions: ClassVar[dict[str, str]] = {
        "list": TeamAction.VIEW_USAGE, "projects": TeamAction.VIEW_USAGE, "runs": TeamAction.VIEW_USAGE,
    }  # fmt: skip

    def _team(self) -> Team:
        """Return whose storage is asked for; selectors check whether the caller may see it."""
        actor, name = actor_of(self.request), self.request.query_params.get("entity", "")
        own = personal_team_of(actor) or default_team_of(actor)  # of a program, its home team
        team = Team.objects.live().filter(name=name).first() if name else own
        if team is None:
            raise NotFound(f"The entity “{name}” doesn’t exist, or you don’t have access to it.")
        return team

    def _page(self, rows: QuerySet[Any], key: str, serializer: type[Any]) -> Response:
        page: list[Any] = list(self.paginate_queryset(rows) or [])
        stored = stored_by(**{key: [row.pk for row in page]})
        for row in page:
            row.stored_bytes = stored[row.pk]
        return self.get_paginated_response(serializer(page, many=True).data)

    @extend_schema(
        parameters=[_ENTITY],
        responses=forced_singular_serializer(StorageSerializer),  # type: ignore[no-untyped-call]  # it has no types
    )
    def list(self, request: Request) -> Response:
        """Return stored bytes by category, and how many are in the trash."""
        team = self._team()
        found = storage_of(actor_of(request), team)
        return Response(StorageSerializer(found.kept, context={"entity": team.name}).data)

    @extend_schema(parameters=[_ENTITY], responses=ProjectStorageSerializer(many=True))
    @action(detail=False)
    def projects(self, request: Request) -> Response:
        """List the projects you can see, largest first."""
        rows = projects_by_size(actor_of(request), self._team())
        return self._page(rows, "project_id", ProjectStorageSerializer)

    @extend_schema(
        parameters=[_ENTITY, query("project", "Of which runs are listed.", required=True)],
        responses=RunStorageSerializer(many=True),
    )
    @action(detail=False)
    def runs(self, request: Request) -> Response:
        """List the runs of a project, largest first."""
        actor, team = actor_of(request), self._team()
        name = request.query_params.get("project", "")
        if not name:
            raise Invalid("Name a project by `project`.")
        rows = runs_by_size(actor, get_project_by_any_name(actor, team.name, name))
        return self._page(rows, "run_id", RunStorageSerializer)
