"""REST: automations (ALR-6)."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.actor import Actor
from access.engine import require
from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from accounts.models import User
from alerts.models import Destination
from artifacts.models import Collection
from artifacts.selectors import get_collection
from automations import services
from automations.access import AutomationAction
from automations.api.serializers import (
    AutomationCopySerializer,
    AutomationCreateSerializer,
    AutomationPreviewResultSerializer,
    AutomationPreviewSerializer,
    AutomationSerializer,
    AutomationUpdateSerializer,
)
from automations.conditions.events import AutomationEvent
from automations.evaluation.preview import preview
from automations.firing.reach import destinations_of
from automations.models import Automation
from automations.selectors import seen_automations
from automations.services import AutomationFields
from common.errors import Invalid, NotFound
from common.rest.responses import NewestFirstPagination, is_key, validated
from runs.models import Project
from runs.selectors import get_project_by_any_name, get_team
from teams.models import Team


def _place(request: Request, entity: str, project: str | None) -> tuple[Team, Project | None]:
    """Return the team and, where it is named, the project."""
    if project:
        row = get_project_by_any_name(actor_of(request), entity, project, registries=True)
        return row.team, row
    return get_team(actor_of(request), entity), None


def _collection(request: Request, project: Project | None, name: str | None) -> Collection | None:
    if not name:
        return None
    if project is None:
        raise Invalid(_("Specify the collection’s project as well."))
    return get_collection(actor_of(request), project, name)


def _fields(
    actor: Actor, team: Team, body: dict[str, Any], current: Destination | None = None
) -> AutomationFields:
    """Return what a checked body says; a destination is named by its number."""
    if "destination" in body:
        named = body["destination"]
        is_same = current is not None and current.pk == named
        row = current if is_same else destinations_of(actor, team).filter(pk=named).first()
        if row is None:
            raise Invalid(_("This destination doesn’t exist in %(team)s.") % {"team": team.name})
        body["destination"] = row
    if "mail_to" in body:
        body["mail_to"] = _people(body["mail_to"])
    return AutomationFields(**body)


def _people(usernames: list[str]) -> list[User]:
    found = {user.username: user for user in User.objects.filter(username__in=usernames)}
    if missing := sorted(set(usernames) - found.keys()):
        raise Invalid(_("User “%(name)s” doesn’t exist.") % {"name": missing[0]})
    return list(found.values())


@declare(AutomationAction.VIEW)
class AutomationViewSet(ListModelMixin, GenericViewSet[Automation]):
    """Automations of the projects and teams that the caller sees."""

    tag = "Automations"
    serializer_class = AutomationSerializer
    pagination_class = NewestFirstPagination
    queryset = Automation.objects.all()
    object_actions: ClassVar[dict[str, str]] = {
        "list": AutomationAction.VIEW, "create": AutomationAction.CREATE, "retrieve": AutomationAction.VIEW,
        "partial_update": AutomationAction.MANAGE, "destroy": AutomationAction.MANAGE,
        "copy": AutomationAction.VIEW, "preview": AutomationAction.VIEW,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Automation]:
        """Narrow a list to a team, a project, an event."""
        rows = seen_automations(actor_of(self.request)).order_by("-pk")
        if self.action != "list":
            return rows
        given = self.request.query_params
        narrowed = {"entity": "team__name", "event": "event"}
        rows = rows.filter(**{path: given[name] for name, path in narrowed.items() if given.get(name)})
        return (
            rows.filter(project__in=Project.objects.called(given["project"]))
            if given.get("project")
            else rows
        )

    @extend_schema(
        parameters=[
            query("entity", "Only those of this team or person."),
            query("project", "Only those of projects that have this name, or had it."),
            query("event", "Only those that wait for this event.", enum=AutomationEvent.values),
        ]
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the automations you can see."""
        return super().list(request, *args, **kwargs)

    def _automation(self) -> Automation:
        named = str(self.kwargs["pk"])
        row = self.get_queryset().filter(pk=named).first() if is_key(named) else None
        if row is None:
            raise NotFound(_("This automation doesn’t exist, or you don’t have access to it."))
        return row

    @extend_schema(request=AutomationCreateSerializer, responses={201: AutomationSerializer})
    def create(self, request: Request) -> Response:
        """Create an automation for a project, a collection of its artifacts, or all projects of a team.

        `filter` is what the SDK sends as `eventFilter`. What acts on metrics looks at each value as it is logged.
        """
        body = validated(AutomationCreateSerializer, request.data)
        team, project = _place(request, body.pop("entity"), body.pop("project", None))
        require(actor_of(request), AutomationAction.CREATE, project or team)
        collection = _collection(request, project, body.pop("collection", None))
        fields = _fields(actor_of(request), team, body)
        automation = services.create_automation(
            actor=actor_of(request), team=team, project=project, collection=collection, fields=fields
        )
        return Response(AutomationSerializer(automation).data, status=HTTP_201_CREATED)

    def retrieve(self, request: Request, pk: str) -> Response:
        """Return an automation."""
        return Response(AutomationSerializer(self._automation()).data)

    @extend_schema(request=AutomationUpdateSerializer)
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change an automation, or turn it on or off."""
        row, body = self._automation(), validated(AutomationUpdateSerializer, request.data)
        require(actor_of(request), AutomationAction.MANAGE, row)
        fields = _fields(actor_of(request), row.team, body, row.destination)
        services.change_automation(actor=actor_of(request), automation=row, fields=fields)
        return Response(AutomationSerializer(self._automation()).data)

    def destroy(self, request: Request, pk: str) -> Response:
        """Delete an automation with its history."""
        services.delete_automation(actor=actor_of(request), automation=self._automation())
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=AutomationCopySerializer, responses={201: AutomationSerializer})
    @action(detail=True, methods=["post"])
    def copy(self, request: Request, pk: str) -> Response:
        """Copy an automation, also to another project of the team."""
        row, body = self._automation(), validated(AutomationCopySerializer, request.data)
        name = body.get("project")
        project = None
        if name:
            project = get_project_by_any_name(actor_of(request), row.team.name, name, registries=True)
        automation = services.copy_automation(
            actor=actor_of(request), automation=row, name=body["name"], project=project
        )
        return Response(AutomationSerializer(automation).data, status=HTTP_201_CREATED)

    @extend_schema(request=AutomationPreviewSerializer, responses=AutomationPreviewResultSerializer)
    @action(detail=False, methods=["post"])
    def preview(self, request: Request) -> Response:
        """Preview what an automation would have done in the last 7 days."""
        body = validated(AutomationPreviewSerializer, request.data)
        team, project = _place(request, body.pop("entity"), body.pop("project", None))
        require(actor_of(request), AutomationAction.VIEW, project or team)
        found = preview(actor=actor_of(request), team=team, project=project, **body)
        return Response(AutomationPreviewResultSerializer(found).data)
