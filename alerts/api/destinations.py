"""REST: destinations of alerts, for who manages them (ALR-4, ALR-7)."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.engine import require
from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from alerts.access import AlertAction
from alerts.destinations import services
from alerts.destinations.selectors import managed_destinations
from alerts.models import Destination, DestinationKind
from alerts.payloads.presets import PRESETS
from alerts.payloads.templating import MAX_TEMPLATE
from common.errors import NotFound
from common.rest.responses import NewestFirstPagination, is_key, validated
from common.safe_http.addresses import MAX_URL
from teams.access import TeamAction
from teams.models import Team

_MANAGE = AlertAction.MANAGE
_KINDS = [DestinationKind.WEBHOOK.value, DestinationKind.SLACK_WEBHOOK.value]


def team_named(request: Request, name: str) -> Team:
    """Return the team of this name, or one's personal one.

    Raises:
        NotFound: there is none, or the caller may not see it.
    """
    team = Team.objects.live().select_related("organization").filter(name=name).first()
    if team is None:
        raise NotFound(_("%(name)s doesn’t exist here, or you don’t have access to it.") % {"name": name})
    require(actor_of(request), TeamAction.VIEW, team)
    return team


class DestinationSerializer(serializers.ModelSerializer[Destination]):
    """A Slack channel or a webhook, without its address, which is told to nobody."""

    entity = serializers.CharField(source="team.name", help_text="The team's or person's name.")
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)

    class Meta:
        model = Destination
        fields: ClassVar[list[str]] = [
            "id", "entity", "kind", "name", "place", "mention", "preset", "template", "access_token_name",
            "signing_secret_name", "is_on", "off_reason", "last_sent_at", "last_error", "last_error_at",
            "created_at", "created_by",
        ]  # fmt: skip


class DestinationUpdateSerializer(serializers.Serializer[Any]):
    """What of a destination is to change."""

    name = serializers.CharField(required=False, max_length=services.MAX_NAME)
    url = serializers.CharField(
        required=False, max_length=MAX_URL, help_text="Where to post; never shown again."
    )
    mention = serializers.CharField(
        required=False, allow_blank=True, max_length=40,
        help_text="Of Slack: id of a member or group, `here` or `channel`.",
    )  # fmt: skip
    preset = serializers.ChoiceField(
        choices=list(PRESETS), required=False, allow_blank=True,
        help_text="Of a webhook: the service whose payload it takes; \"\" is any.",
    )  # fmt: skip
    template = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_TEMPLATE,
        help_text="Of a webhook: JSON with `${variables}`; \"\" takes the preset's.",
    )  # fmt: skip
    access_token_name = serializers.CharField(
        required=False, allow_blank=True, max_length=64, help_text="Secret sent as Bearer token."
    )
    signing_secret_name = serializers.CharField(
        required=False, allow_blank=True, max_length=64, help_text="Secret that signs the body."
    )
    is_on = serializers.BooleanField(required=False, help_text="true also forgets why it was turned off.")


class DestinationCreateSerializer(DestinationUpdateSerializer):
    """What makes a destination."""

    entity = serializers.CharField(help_text="Name of a team, or of yourself.")
    kind = serializers.ChoiceField(choices=_KINDS)
    name = serializers.CharField(max_length=services.MAX_NAME)
    url = serializers.CharField(max_length=MAX_URL, help_text="Where to post; never shown again.")
    is_on = None  # type: ignore[assignment]  # new ones are on


class DestinationTestResultSerializer(serializers.Serializer[Any]):
    """What was sent and what was answered, secrets masked."""

    is_ok = serializers.BooleanField()
    status = serializers.IntegerField(
        allow_null=True, help_text="HTTP status; null where nothing was answered."
    )
    request = serializers.CharField()
    response = serializers.CharField()
    error = serializers.CharField()


@declare(_MANAGE)
class DestinationViewSet(ListModelMixin, GenericViewSet[Destination]):
    """Slack channels and webhooks of the teams whose alerts the caller manages, and the caller's own.

    Channels connected by Slack's own page are added there; the API changes, tests and deletes them too.
    """

    tag = "Alerts"
    serializer_class = DestinationSerializer
    pagination_class = NewestFirstPagination
    queryset = Destination.objects.all()
    object_actions: ClassVar[dict[str, str]] = {
        "list": _MANAGE, "create": _MANAGE, "retrieve": _MANAGE, "partial_update": _MANAGE, "destroy": _MANAGE,
        "test": _MANAGE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Destination]:
        """Narrow to an entity."""
        rows = managed_destinations(actor_of(self.request))
        entity = self.request.query_params.get("entity")
        return rows.filter(team__name=entity) if entity else rows

    @extend_schema(parameters=[query("entity", "Only those of this team or person.")])
    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        """List the destinations that you manage, newest first."""
        return super().list(request, *args, **kwargs)

    def _destination(self) -> Destination:
        number = str(self.kwargs["pk"])
        row = self.get_queryset().filter(pk=int(number) if is_key(number) else 0).first()
        if row is None:
            raise NotFound(_("This destination doesn’t exist."))
        return row

    @extend_schema(request=DestinationCreateSerializer, responses={201: DestinationSerializer})
    def create(self, request: Request) -> Response:
        """Add a webhook, or a Slack channel by the URL of an incoming webhook."""
        body = validated(DestinationCreateSerializer, request.data)
        team = team_named(request, body.pop("entity"))
        kind = DestinationKind(body.pop("kind"))
        destination = services.add_destination(actor=actor_of(request), team=team, kind=kind, **body)
        return Response(DestinationSerializer(destination).data, status=HTTP_201_CREATED)

    def retrieve(self, request: Request, pk: str) -> Response:
        """Return a destination."""
        return Response(DestinationSerializer(self._destination()).data)

    @extend_schema(request=DestinationUpdateSerializer)
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change a destination, or turn it on or off."""
        body = validated(DestinationUpdateSerializer, request.data)
        services.change_destination(actor=actor_of(request), destination=self._destination(), **body)
        return Response(DestinationSerializer(self._destination()).data)

    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a destination and its history."""
        services.delete_destination(actor=actor_of(request), destination=self._destination())
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses=DestinationTestResultSerializer)
    @action(detail=True, methods=["post"])
    def test(self, request: Request, pk: str) -> Response:
        """Send a sample and return the response; takes up to 10 s."""
        result = services.test_destination(actor=actor_of(request), destination=self._destination())
        return Response(DestinationTestResultSerializer(result).data)
