"""REST: secrets that webhooks use, for who manages them (ALR-7)."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from alerts.access import AlertAction
from alerts.api.destinations import team_named
from alerts.models import Secret
from alerts.secrets import services
from alerts.secrets.selectors import managed_secrets
from common.errors import NotFound
from common.rest.responses import NewestFirstPagination, is_key, validated

_MANAGE = AlertAction.MANAGE_SECRETS


class WebhookSecretSerializer(serializers.ModelSerializer[Secret]):
    """A secret without its value, which is told to nobody."""

    entity = serializers.CharField(source="team.name", help_text="The team's or person's name.")
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)
    updated_at = serializers.DateTimeField(help_text="When its value was stored last.")

    class Meta:
        model = Secret
        fields: ClassVar[list[str]] = ["id", "entity", "name", "created_at", "created_by", "updated_at"]


class WebhookSecretUpdateSerializer(serializers.Serializer[Any]):
    """Another value of a secret."""

    value = serializers.CharField(
        min_length=services.MIN_LENGTH, max_length=services.MAX_LENGTH, help_text="Never shown again."
    )


class WebhookSecretCreateSerializer(WebhookSecretUpdateSerializer):
    """What makes a secret."""

    entity = serializers.CharField(help_text="Name of a team, or of yourself.")
    name = serializers.CharField(
        max_length=64, help_text="A letter, then letters, digits and “_”. Payloads use it as `${NAME}`."
    )


@declare(_MANAGE)
class SecretViewSet(ListModelMixin, GenericViewSet[Secret]):
    """Secrets of the teams whose secrets the caller manages, and the caller's own; their values are told to nobody."""

    tag = "Alerts"
    serializer_class = WebhookSecretSerializer
    pagination_class = NewestFirstPagination
    queryset = Secret.objects.all()
    object_actions: ClassVar[dict[str, str]] = {
        "list": _MANAGE, "create": _MANAGE, "retrieve": _MANAGE, "partial_update": _MANAGE, "destroy": _MANAGE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Secret]:
        """Narrow to an entity."""
        rows = managed_secrets(actor_of(self.request))
        entity = self.request.query_params.get("entity")
        return rows.filter(team__name=entity) if entity else rows

    @extend_schema(parameters=[query("entity", "Only those of this team or person.")])
    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        """List the secrets that you manage, newest first."""
        return super().list(request, *args, **kwargs)

    def _secret(self) -> Secret:
        number = str(self.kwargs["pk"])
        row = self.get_queryset().filter(pk=int(number) if is_key(number) else 0).first()
        if row is None:
            raise NotFound(_("This secret doesn’t exist."))
        return row

    @extend_schema(request=WebhookSecretCreateSerializer, responses={201: WebhookSecretSerializer})
    def create(self, request: Request) -> Response:
        """Store a secret, replacing the value of an existing one with this name."""
        body = validated(WebhookSecretCreateSerializer, request.data)
        team = team_named(request, body.pop("entity"))
        secret = services.store_secret(actor=actor_of(request), team=team, **body)
        return Response(WebhookSecretSerializer(secret).data, status=HTTP_201_CREATED)

    def retrieve(self, request: Request, pk: str) -> Response:
        """Return a secret without its value."""
        return Response(WebhookSecretSerializer(self._secret()).data)

    @extend_schema(request=WebhookSecretUpdateSerializer)
    def partial_update(self, request: Request, pk: str) -> Response:
        """Replace the value of a secret."""
        body, secret = validated(WebhookSecretUpdateSerializer, request.data), self._secret()
        secret = services.store_secret(actor=actor_of(request), team=secret.team, name=secret.name, **body)
        return Response(WebhookSecretSerializer(secret).data)

    def destroy(self, request: Request, pk: str) -> Response:
        """Delete an unused secret."""
        services.delete_secret(actor=actor_of(request), secret=self._secret())
        return Response(status=HTTP_204_NO_CONTENT)
