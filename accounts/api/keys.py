"""REST: one's own API keys."""

from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT

from access.actions import all_actions
from access.openapi.schema import query
from access.rest.policy import actor_of, signed_in
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from accounts.access import AccountAction
from accounts.api_keys import services
from accounts.api_keys.selectors import api_keys_of
from accounts.models import ApiKey, User
from common.rest.responses import validated


class ApiKeySerializer(serializers.ModelSerializer[ApiKey]):
    """A key, without its secret."""

    scopes = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Actions it is limited to; null means no limit.",
    )

    class Meta:
        model = ApiKey
        fields: ClassVar[list[str]] = ["id", "label", "prefix", "scopes", "created_at", "expires_at",
                                       "last_used_at"]  # fmt: skip


class ApiKeyCreatedSerializer(ApiKeySerializer):
    """A new key."""

    secret = serializers.CharField(help_text="The key itself. It is not shown again.")

    class Meta(ApiKeySerializer.Meta):
        fields: ClassVar[list[str]] = [*ApiKeySerializer.Meta.fields, "secret"]


class ApiKeyUpdateSerializer(serializers.Serializer[Any]):
    """What of a key can be changed."""

    label = serializers.CharField(max_length=services.MAX_LABEL, allow_blank=True)  # type: ignore[assignment]  # the value, not the name of a field


class ApiKeyLimitSerializer(serializers.Serializer[Any]):
    """How far a key reaches from now on."""

    scopes = serializers.ListField(
        child=serializers.CharField(max_length=80), min_length=1, max_length=200,
        help_text="Names of actions (`GET /api/v1/actions/`), all of which it reaches to already.",
    )  # fmt: skip

    def validate_scopes(self, scopes: list[str] | None) -> list[str] | None:
        """Refuse what is no action."""
        unknown = set(scopes or ()) - {name for name, _ in all_actions()}
        if unknown:
            raise serializers.ValidationError(f"Unknown action “{min(unknown)}”.")
        return scopes


class ApiKeyCreateSerializer(ApiKeyLimitSerializer):
    """What makes a key."""

    label = serializers.CharField(max_length=services.MAX_LABEL, allow_blank=True, default="")  # type: ignore[assignment]  # the value, not the name of a field
    expires_at = serializers.DateTimeField(allow_null=True, default=None, help_text="null: never.")
    scopes = serializers.ListField(
        child=serializers.CharField(max_length=80), allow_null=True, default=None, max_length=200,
        help_text="Names of actions (`GET /api/v1/actions/`); null means no limit.",
    )  # fmt: skip


@declare(AccountAction.VIEW_KEYS)
class ApiKeyViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[ApiKey]):
    """List your API keys, newest first."""

    tag = "API keys"
    queryset = ApiKey.objects.all()
    serializer_class = ApiKeySerializer
    view_action = AccountAction.VIEW_KEYS
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"create"})
    object_actions: ClassVar[dict[str, str]] = {
        "list": AccountAction.VIEW_KEYS, "create": AccountAction.CREATE_KEY, "retrieve": AccountAction.VIEW_KEYS,
        "partial_update": AccountAction.RENAME_KEY, "destroy": AccountAction.DELETE_KEY,
        "limit": AccountAction.LIMIT_KEY,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[ApiKey]:
        """Return the caller's own, whoever asks with which rights."""
        keys, text = api_keys_of(signed_in(self.request)), self.request.query_params.get("search", "")
        found = Q(label__icontains=text) | Q(prefix__startswith=text.removeprefix("ry-"))
        return keys.filter(found) if text and self.action == "list" else keys

    @extend_schema(parameters=[query("search", "Part of the label, or how the secret begins.")])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List your API keys, newest first."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=ApiKeyCreateSerializer, responses={201: ApiKeyCreatedSerializer})
    def create(self, request: Request) -> Response:
        """Create an API key; only this response contains its secret.

        A key with scopes makes only keys with some of its own. Organizations may refuse keys that live too long.
        """
        actor = signed_in(request)
        owner = User.objects.get(pk=actor.lookup_id)
        body = validated(ApiKeyCreateSerializer, request.data)
        key, secret = services.create_api_key(actor=actor, owner=owner, **body)
        key.secret = secret  # type: ignore[attr-defined]  # shown this once
        return Response(ApiKeyCreatedSerializer(key).data, status=HTTP_201_CREATED)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return one of your API keys."""
        return super().retrieve(request, *args, **kwargs)

    @extend_schema(request=ApiKeyUpdateSerializer)
    def partial_update(self, request: Request, pk: str) -> Response:
        """Rename a key."""
        body = validated(ApiKeyUpdateSerializer, request.data)
        key = services.rename_api_key(actor=actor_of(request), key=self.get_object(), **body)
        return Response(ApiKeySerializer(key).data)

    @extend_schema(request=ApiKeyLimitSerializer)
    @action(detail=True, methods=["post"])
    def limit(self, request: Request, pk: str) -> Response:
        """Restrict a key; this cannot be undone."""
        key, body = self.get_object(), validated(ApiKeyLimitSerializer, request.data)
        key = services.limit_api_key(actor=actor_of(request), key=key, **body)
        return Response(ApiKeySerializer(key).data)

    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a key; it stops working immediately."""
        services.delete_api_key(actor=actor_of(request), key=self.get_object())
        return Response(status=HTTP_204_NO_CONTENT)
