"""REST: what people and teams are told of, where it goes, and what is muted."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.engine import require
from access.openapi.schema import query
from access.rest.policy import actor_of, signed_in
from access.routes import declare
from accounts.access import AccountAction
from alerts.access import AlertAction
from alerts.api.settings_serializers import (
    AlertMuteCreateSerializer,
    AlertMuteSerializer,
    AlertRouteCreateSerializer,
    AlertRouteSerializer,
    AlertSettingsSerializer,
    AlertSettingsUpdateSerializer,
)
from alerts.models import Destination, Mute, Route
from alerts.preferences import selectors, services
from common.errors import Invalid, NotFound
from common.rest.responses import NamePagination, NewestFirstPagination, is_key, validated
from runs.selectors import get_project_by_any_name
from teams.models import Team
from teams.teams.selectors import shared_team

_MANAGE = AlertAction.MANAGE


def _row(rows: QuerySet[Any], number: Any) -> Any:
    """Return the row of this number."""
    found = rows.filter(pk=int(number)).first() if is_key(str(number)) else None
    if found is None:
        raise NotFound("This setting doesn’t exist, or you don’t have access to it.")
    return found


@declare(_MANAGE)
class AlertSettingsViewSet(ListModelMixin, GenericViewSet[Team]):
    """What you are told of your own runs, and what your teams are told of all of theirs."""

    tag = "Alerts"
    serializer_class = AlertSettingsSerializer
    pagination_class = NamePagination
    queryset = Team.objects.all()
    lookup_field = "name"
    lookup_value_regex = "[^/]+"
    object_actions: ClassVar[dict[str, str]] = {
        "list": _MANAGE, "retrieve": _MANAGE, "partial_update": _MANAGE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Team]:
        """Return the places whose alerts the caller chooses."""
        return selectors.with_settings(selectors.managed_teams(actor_of(self.request)))

    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        """List your own alert settings and those of teams you manage."""
        return super().list(request, *args, **kwargs)

    def _team(self, name: str) -> Team:
        team = selectors.with_settings(Team.objects.live()).filter(name=name).first()
        if team is None:
            raise NotFound(_("%(name)s doesn’t exist here, or you don’t have access to it.") % {"name": name})
        require(actor_of(self.request), _MANAGE, team)
        return team

    def retrieve(self, request: Request, name: str) -> Response:
        """Return the alert settings of a name: yours for your runs, a team's for all runs in its projects."""
        return Response(AlertSettingsSerializer(self._team(name)).data)

    @extend_schema(request=AlertSettingsUpdateSerializer)
    def partial_update(self, request: Request, name: str) -> Response:
        """Turn alerts on or off; omitted ones do not change."""
        team, body = self._team(name), validated(AlertSettingsUpdateSerializer, request.data)
        services.change_settings(actor=actor_of(request), **selectors.owner_of_settings(team), **body)
        return Response(AlertSettingsSerializer(self._team(name)).data)


@declare(_MANAGE)
class AlertRouteViewSet(ListModelMixin, GenericViewSet[Route]):
    """Where alerts go besides mail."""

    tag = "Alerts"
    serializer_class = AlertRouteSerializer
    pagination_class = NewestFirstPagination
    queryset = Route.objects.all()
    object_actions: ClassVar[dict[str, str]] = {
        "list": _MANAGE, "create": _MANAGE, "retrieve": _MANAGE, "destroy": _MANAGE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Route]:
        """Narrow to a team or person, or to a destination."""
        rows, given = selectors.managed_routes(actor_of(self.request)), self.request.query_params
        if self.action != "list":
            return rows
        if given.get("entity"):
            rows = rows.filter(destination__team__name=given["entity"])
        if given.get("destination"):
            number = given["destination"]
            rows = rows.filter(destination=int(number) if is_key(number) else 0)
        return rows

    @extend_schema(
        parameters=[
            query("entity", "Only the ways of this team's or person's alerts."),
            query("destination", "Only those to the destination with this id.", type=int),
        ]
    )
    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        """List alert routes besides email, your own and those of teams you manage, newest first."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=AlertRouteCreateSerializer, responses={201: AlertRouteSerializer})
    def create(self, request: Request) -> Response:
        """Add an alert route to a destination for all alerts, one project or runs with a tag."""
        actor, body = signed_in(request), validated(AlertRouteCreateSerializer, request.data)
        teams = selectors.managed_teams(actor).values("pk")
        rows = Destination.objects.filter(team__in=teams).select_related("team__claim__user")
        destination = _row(rows, body["destination"])
        team, path = destination.team, body.get("project")
        project = selectors.find_project(actor, team, path) if path else None
        route = services.add_route(
            actor=actor,
            destination=destination,
            project=project,
            tag=body.get("tag", ""),
            **selectors.owner_of_settings(team),
        )
        return Response(AlertRouteSerializer(route).data, status=HTTP_201_CREATED)

    def retrieve(self, request: Request, pk: str) -> Response:
        """Return an alert route."""
        return Response(AlertRouteSerializer(_row(self.get_queryset(), pk)).data)

    def destroy(self, request: Request, pk: str) -> Response:
        """Delete an alert route."""
        services.remove_route(actor=actor_of(request), route=_row(self.get_queryset(), pk))
        return Response(status=HTTP_204_NO_CONTENT)


@declare(AccountAction.UPDATE)
class AlertMuteViewSet(ListModelMixin, GenericViewSet[Mute]):
    """What you get no mail about, whoever asked for it."""

    tag = "Alerts"
    serializer_class = AlertMuteSerializer
    pagination_class = NewestFirstPagination
    queryset = Mute.objects.all()
    object_actions: ClassVar[dict[str, str]] = {
        "list": AccountAction.UPDATE, "create": AccountAction.UPDATE, "destroy": AccountAction.UPDATE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Mute]:
        """Return the caller's own, whoever asks with which rights."""
        return services.own_mutes(signed_in(self.request))

    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        """List muted projects and teams, newest first."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=AlertMuteCreateSerializer, responses={201: AlertMuteSerializer})
    def create(self, request: Request) -> Response:
        """Mute the emails of a project or a team."""
        actor, body = signed_in(request), validated(AlertMuteCreateSerializer, request.data)
        if ("project" in body) == ("team" in body):
            raise Invalid("Give `project` or `team`.")
        if "team" in body:
            muted: dict[str, Any] = {"team": shared_team(actor, body["team"])}
        else:
            entity, _slash, name = body["project"].partition("/")
            muted = {"project": get_project_by_any_name(actor, entity, name)}
        return Response(
            AlertMuteSerializer(services.mute(actor=actor, **muted)).data, status=HTTP_201_CREATED
        )

    def destroy(self, request: Request, pk: str) -> Response:
        """Unmute a project or a team."""
        row = _row(self.get_queryset(), pk)
        services.unmute(actor=signed_in(request), project=row.project, team=row.team)
        return Response(status=HTTP_204_NO_CONTENT)
