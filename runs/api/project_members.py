"""REST: who is in restricted projects, who asks to be, and which there are for a team's admins (TEAM-24)."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_202_ACCEPTED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet, ViewSet

from access.engine import missing, require
from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from common.errors import Invalid, NotFound
from common.rest.responses import OldestFirstPagination, is_key, validated
from runs.access import ProjectAction
from runs.api.serializers import (
    AccessRequestCreateSerializer,
    AccessRequestResultSerializer,
    AccessRequestSerializer,
    ProjectMemberSerializer,
    RestrictedProjectSerializer,
)
from runs.models import Project, ProjectAccessRequest, ProjectMember
from runs.projects import access_requests, members
from runs.selectors import restricted_projects_of
from teams.access import TeamAction
from teams.api.serializers import MemberCreateSerializer, MemberUpdateSerializer, role_named
from teams.api.teams import ANY_NAME
from teams.roles.builtin import roles_for
from teams.teams.selectors import shared_team


def _managed(request: Request, key: str) -> Project:
    """Return the project of this number, whose members the caller manages, seen or not."""
    rows = Project.objects.live().select_related("team__organization")
    project = rows.filter(pk=key).first() if is_key(key) else None
    if project is None:
        raise missing(Project)
    require(actor_of(request), ProjectAction.MANAGE_MEMBERS, project)
    return project


@declare(ProjectAction.MANAGE_MEMBERS)
class ProjectMemberViewSet(ListModelMixin, GenericViewSet[ProjectMember]):
    """Who is invited to a restricted project."""

    tag = "Projects"
    serializer_class = ProjectMemberSerializer
    pagination_class = OldestFirstPagination
    lookup_field = "username"
    lookup_value_regex = ANY_NAME
    object_actions: ClassVar[dict[str, str]] = dict.fromkeys(
        ("list", "create", "partial_update", "destroy"), ProjectAction.MANAGE_MEMBERS
    )

    def _project(self) -> Project:
        return _managed(self.request, str(self.kwargs["project"]))

    def get_queryset(self) -> QuerySet[ProjectMember]:
        """Return the project's members."""
        rows = ProjectMember.objects.filter(project=self._project())
        return rows.select_related("project__team__organization", "user", "role")

    def get_object(self) -> ProjectMember:
        """Return one of them."""
        row = self.get_queryset().filter(user__username=self.kwargs["username"]).first()
        if row is None:
            raise NotFound(f"{self.kwargs['username'][:80]!r} is not invited to the project.")
        return row

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List who is invited to a restricted project."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=MemberCreateSerializer, responses={201: ProjectMemberSerializer})
    def create(self, request: Request, project: str) -> Response:
        """Invite a member of the team, or a service account of the organization, to a restricted project."""
        row, body = self._project(), validated(MemberCreateSerializer, request.data)
        team, name = row.team, body["username"]
        user = members.candidates(team).filter(username=name).first()
        if user is None:
            raise Invalid(f"{name!r} is not a member of {team}.")
        role = role_named(roles_for(team.organization_id), body["role"])
        made = members.add_project_member(actor=actor_of(request), project=row, user=user, role=role)
        return Response(ProjectMemberSerializer(made).data, status=HTTP_201_CREATED)

    @extend_schema(request=MemberUpdateSerializer)
    def partial_update(self, request: Request, **kwargs: str) -> Response:
        """Change a member's role in a restricted project."""
        row, body = self.get_object(), validated(MemberUpdateSerializer, request.data)
        role = role_named(roles_for(row.project.team.organization_id), body["role"])
        made = members.add_project_member(
            actor=actor_of(request), project=row.project, user=row.user, role=role
        )
        return Response(ProjectMemberSerializer(made).data)

    def destroy(self, request: Request, **kwargs: str) -> Response:
        """Remove a member from a restricted project."""
        members.remove_project_member(actor=actor_of(request), member=self.get_object())
        return Response(status=HTTP_204_NO_CONTENT)


@declare(ProjectAction.MANAGE_MEMBERS)
class ProjectAccessRequestViewSet(ListModelMixin, GenericViewSet[ProjectAccessRequest]):
    """Who asks to be let into a restricted project. Adding them as a member approves the request."""

    tag = "Projects"
    serializer_class = AccessRequestSerializer
    pagination_class = OldestFirstPagination
    lookup_field = "username"
    lookup_value_regex = ANY_NAME
    object_actions: ClassVar[dict[str, str]] = dict.fromkeys(
        ("list", "destroy"), ProjectAction.MANAGE_MEMBERS
    )

    def get_queryset(self) -> QuerySet[ProjectAccessRequest]:
        """Return the project's open requests."""
        return members.open_requests(_managed(self.request, str(self.kwargs["project"])))

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the requests for access to a restricted project."""
        return super().list(request, *args, **kwargs)

    def destroy(self, request: Request, **kwargs: str) -> Response:
        """Decline a request for access; the person is not notified."""
        row = self.get_queryset().filter(user__username=kwargs["username"]).first()
        if row is None:
            raise NotFound(f"{kwargs['username'][:80]!r} does not ask for access to the project.")
        access_requests.decline_request(actor=actor_of(request), request=row)
        return Response(status=HTTP_204_NO_CONTENT)


@declare(TeamAction.VIEW)
class AccessRequestViewSet(ViewSet):
    """Asking for access to a project of one's team."""

    tag = "Projects"
    object_actions: ClassVar[dict[str, str]] = {"create": TeamAction.VIEW}

    @extend_schema(request=AccessRequestCreateSerializer, responses={202: AccessRequestResultSerializer})
    def create(self, request: Request) -> Response:
        """Request access to a restricted project of your team; the response does not reveal whether it exists."""
        actor, body = actor_of(request), validated(AccessRequestCreateSerializer, request.data)
        team = shared_team(actor, body["entity"])
        access_requests.request_access(actor=actor, team=team, name=body["project"])
        message = "If this project exists, the people who manage it have been notified of your request."
        return Response({"message": message}, status=HTTP_202_ACCEPTED)


@declare(ProjectAction.MANAGE_MEMBERS)
class RestrictedProjectViewSet(ListModelMixin, GenericViewSet[Project]):
    """Restricted projects whose members you manage, by name; also those you do not see."""

    tag = "Projects"
    serializer_class = RestrictedProjectSerializer
    object_actions: ClassVar[dict[str, str]] = {"list": ProjectAction.MANAGE_MEMBERS}

    def get_queryset(self) -> QuerySet[Project]:
        """Return them, of one team where it is named."""
        rows, entity = restricted_projects_of(actor_of(self.request)), self.request.query_params.get("entity")
        return rows.filter(team__name=entity) if entity else rows

    @extend_schema(parameters=[query("entity", "Only projects of this team.")])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the restricted projects whose members you manage, with member counts, newest first."""
        return super().list(request, *args, **kwargs)
