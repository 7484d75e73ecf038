"""REST: service accounts and their keys, for who manages them (TEAM-30)."""

from datetime import datetime
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from accounts.api_keys.scopes import all_scopes
from accounts.models import ApiKey
from common.errors import Invalid, NotFound
from common.rest.responses import NewestFirstPagination, is_key, validated
from teams.access import TeamAction
from teams.models import Organization, Role, ServiceAccount
from teams.roles.builtin import roles_of_service_accounts
from teams.service_accounts import keys as service_account_keys
from teams.service_accounts import services as service_accounts
from teams.service_accounts.keys import MAX_OVERLAP_HOURS
from teams.teams.selectors import organization_named, shared_team

_MANAGE = TeamAction.MANAGE_SERVICE_ACCOUNTS


class ServiceAccountSerializer(serializers.ModelSerializer[ServiceAccount]):
    """A service account; either ``team`` or ``organization`` is null."""

    username = serializers.CharField(
        source="user.username", help_text="Never changes; runs are filtered by it."
    )
    team = serializers.CharField(source="team.name", default=None, allow_null=True)
    organization = serializers.CharField(source="organization.name", default=None, allow_null=True)
    default_team = serializers.CharField(source="default_team.name", default=None, allow_null=True)
    role = serializers.CharField(source="effective_role.name", default=None, allow_null=True)
    is_active = serializers.BooleanField(source="user.is_active")
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)

    class Meta:
        model = ServiceAccount
        fields: ClassVar[list[str]] = [
            "id", "username", "label", "description", "team", "organization", "default_team", "role", "is_active",
            "created_at", "created_by",
        ]  # fmt: skip


class ServiceAccountUpdateSerializer(serializers.Serializer[Any]):
    """What of a service account is to change."""

    label = serializers.CharField(required=False, max_length=64)  # type: ignore[assignment]  # a field's own name
    description = serializers.CharField(required=False, allow_blank=True, max_length=200)
    role = serializers.CharField(required=False, help_text="Name of a role of teams; Member unless given.")
    default_team = serializers.CharField(
        required=False,
        allow_null=True,
        help_text="Of an organization’s account: where runs go that name no team.",
    )
    is_active = serializers.BooleanField(required=False, help_text="false: its keys are refused.")


class ServiceAccountCreateSerializer(serializers.Serializer[Any]):
    """What makes a service account: give ``team`` or ``organization``."""

    label = serializers.CharField(max_length=64)  # type: ignore[assignment]  # as above
    team = serializers.CharField(required=False)
    organization = serializers.CharField(required=False)
    description = serializers.CharField(required=False, allow_blank=True, max_length=200)
    role = serializers.CharField(required=False, help_text="Name of a role of teams; Member unless given.")
    default_team = serializers.CharField(required=False, allow_null=True)


class ServiceAccountKeySerializer(serializers.ModelSerializer[ApiKey]):
    """A key of a service account, without its secret."""

    account = serializers.IntegerField(source="user.service_account.pk")
    scopes = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Actions it is limited to; null means no limit.",
    )
    prefix = serializers.SerializerMethodField()

    class Meta:
        model = ApiKey
        fields: ClassVar[list[str]] = [
            "id", "account", "label", "prefix", "scopes", "created_at", "expires_at", "last_used_at",
            "last_used_address",
        ]  # fmt: skip

    def get_prefix(self, key: ApiKey) -> str:
        """Return how the secret begins."""
        return f"ry-{key.prefix}"


class ServiceAccountKeyCreatedSerializer(ServiceAccountKeySerializer):
    """A new key with its secret, which is told this once."""

    secret = serializers.SerializerMethodField()

    class Meta(ServiceAccountKeySerializer.Meta):
        fields: ClassVar[list[str]] = [*ServiceAccountKeySerializer.Meta.fields, "secret"]

    def get_secret(self, key: ApiKey) -> str:
        """Return what clients send."""
        return str(self.context["secret"])


class ServiceAccountKeyCreateSerializer(serializers.Serializer[Any]):
    """What makes a key."""

    account = serializers.IntegerField(help_text="Id of the service account.")
    label = serializers.CharField(  # type: ignore[assignment]  # as above
        required=False, allow_blank=True, max_length=120
    )
    expires_at = serializers.DateTimeField(required=False, allow_null=True)
    scopes = serializers.ListField(
        child=serializers.CharField(), required=False, allow_null=True, allow_empty=False,
        help_text="Actions it is limited to; null or absent means no limit.",
    )  # fmt: skip

    def validate_scopes(self, scopes: list[str] | None) -> list[str] | None:
        """Take only actions that there are."""
        unknown = sorted(set(scopes or ()) - all_scopes())
        if unknown:
            raise serializers.ValidationError(f"Unknown actions: {', '.join(unknown)}.")
        return scopes

    def validate_expires_at(self, moment: datetime | None) -> datetime | None:
        """Want an end that is still to come."""
        if moment is not None and moment <= timezone.now():
            raise serializers.ValidationError("The end is in the past.")
        return moment


class KeyRotationSerializer(serializers.Serializer[Any]):
    """How long the old key goes on."""

    overlap_hours = serializers.IntegerField(default=0, min_value=0, max_value=MAX_OVERLAP_HOURS)


def _number(text: Any) -> int:
    return int(text) if is_key(str(text)) else 0


def _role(organization: Organization, name: str) -> Role:
    roles = roles_of_service_accounts(organization.pk)
    role = roles.filter(name__iexact=name).first()
    if role is None:
        known = ", ".join(roles.values_list("name", flat=True))
        raise Invalid(f"Unknown role “{name}”. Available: {known}.")
    return role


@declare(_MANAGE)
class ServiceAccountViewSet(ListModelMixin, GenericViewSet[ServiceAccount]):
    """Service accounts that the caller manages.

    Admins of a team manage its own, admins of an organization also the organization's, which work in all its teams.
    """

    tag = "Service accounts"
    serializer_class = ServiceAccountSerializer
    pagination_class = NewestFirstPagination
    queryset = ServiceAccount.objects.all()
    object_actions: ClassVar[dict[str, str]] = {
        "list": _MANAGE, "create": _MANAGE, "retrieve": _MANAGE, "partial_update": _MANAGE, "destroy": _MANAGE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[ServiceAccount]:
        """Narrow to a team or an organization."""
        given = self.request.query_params
        rows = service_accounts.managed_accounts(actor_of(self.request))
        if given.get("team"):
            rows = rows.filter(team__name=given["team"])
        return rows.filter(organization__name=given["organization"]) if given.get("organization") else rows

    @extend_schema(
        parameters=[
            query("team", "Only those of this team."),
            query("organization", "Only those of this organization."),
        ]
    )
    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        """List the service accounts that you manage."""
        return super().list(request, *args, **kwargs)

    def _account(self) -> ServiceAccount:
        row = self.get_queryset().filter(pk=_number(self.kwargs["pk"])).first()
        if row is None:
            raise NotFound(_("This service account doesn’t exist."))
        return row

    @extend_schema(request=ServiceAccountCreateSerializer, responses={201: ServiceAccountSerializer})
    def create(self, request: Request) -> Response:
        """Create a service account for a team or an organization, without a key."""
        body = validated(ServiceAccountCreateSerializer, request.data)
        team = shared_team(actor_of(request), body.pop("team")) if "team" in body else None
        organization = (
            organization_named(actor_of(request), body.pop("organization"))
            if "organization" in body
            else None
        )
        owner = organization or (team.organization if team else None)
        if owner is None:
            raise Invalid("Give `team` or `organization`.")
        self._read_names(request, owner, body)
        account = service_accounts.create_service_account(
            actor=actor_of(request), team=team, organization=organization, **body
        )
        return Response(ServiceAccountSerializer(account).data, status=HTTP_201_CREATED)

    def _read_names(self, request: Request, owner: Organization, body: dict[str, Any]) -> None:
        """Put rows in place of the names of a role and a team."""
        if "role" in body:
            body["role"] = _role(owner, body["role"])
        if body.get("default_team") is not None:
            body["default_team"] = shared_team(actor_of(request), body["default_team"])

    def retrieve(self, request: Request, pk: str) -> Response:
        """Return a service account."""
        return Response(ServiceAccountSerializer(self._account()).data)

    @extend_schema(request=ServiceAccountUpdateSerializer)
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change label, description, role or default team; deactivate or reactivate."""
        account, actor = self._account(), actor_of(request)
        body = validated(ServiceAccountUpdateSerializer, request.data)
        is_active = body.pop("is_active", None)
        self._read_names(request, service_accounts.organization_of_account(account), body)
        no_default = "default_team" in body and body["default_team"] is None
        service_accounts.change_service_account(
            actor=actor, account=account, no_default_team=no_default, **body
        )
        if is_active is not None:
            service_accounts.set_service_account_active(actor=actor, account=account, is_active=is_active)
        return Response(ServiceAccountSerializer(self._account()).data)

    def destroy(self, request: Request, pk: str) -> Response:
        """Permanently delete a service account; its keys stop working immediately, its runs are kept."""
        service_accounts.delete_service_account(actor=actor_of(request), account=self._account())
        return Response(status=HTTP_204_NO_CONTENT)


@declare(_MANAGE)
class ServiceAccountKeyViewSet(ListModelMixin, GenericViewSet[ApiKey]):
    """Keys of the service accounts that the caller manages, without their secrets."""

    tag = "Service accounts"
    serializer_class = ServiceAccountKeySerializer
    pagination_class = NewestFirstPagination
    queryset = ApiKey.objects.all()
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"create", "rotate"})
    object_actions: ClassVar[dict[str, str]] = {
        "list": _MANAGE, "create": _MANAGE, "retrieve": _MANAGE, "destroy": _MANAGE, "rotate": _MANAGE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[ApiKey]:
        """Narrow to an account."""
        keys = service_account_keys.managed_keys(actor_of(self.request))
        account = self.request.query_params.get("account")
        return keys.filter(user__service_account=_number(account)) if account else keys

    @extend_schema(parameters=[query("account", "Only those of the account with this id.", type=int)])
    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        """List the keys of the service accounts that you manage, newest first."""
        return super().list(request, *args, **kwargs)

    def _key(self) -> ApiKey:
        key = self.get_queryset().filter(pk=_number(self.kwargs["pk"])).first()
        if key is None:
            raise NotFound(_("The key was already deleted."))
        return key

    def _account(self, number: int) -> ServiceAccount:
        account = service_accounts.managed_accounts(actor_of(self.request)).filter(pk=number).first()
        if account is None:
            raise NotFound(_("This service account doesn’t exist."))
        return account

    @extend_schema(
        request=ServiceAccountKeyCreateSerializer, responses={201: ServiceAccountKeyCreatedSerializer}
    )
    def create(self, request: Request) -> Response:
        """Create a key; only this response contains its secret."""
        body = validated(ServiceAccountKeyCreateSerializer, request.data)
        account = self._account(body.pop("account"))
        key, secret = service_account_keys.create_key(actor=actor_of(request), account=account, **body)
        return Response(
            ServiceAccountKeyCreatedSerializer(key, context={"secret": secret}).data, status=HTTP_201_CREATED
        )

    def retrieve(self, request: Request, pk: str) -> Response:
        """Return a key without its secret."""
        return Response(ServiceAccountKeySerializer(self._key()).data)

    def destroy(self, request: Request, pk: str) -> Response:
        """Revoke a key immediately."""
        key = self._key()
        account = self._account(key.user.service_account.pk)
        service_account_keys.revoke_key(actor=actor_of(request), account=account, key=key)
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=KeyRotationSerializer, responses={201: ServiceAccountKeyCreatedSerializer})
    @action(detail=True, methods=["post"])
    def rotate(self, request: Request, pk: str) -> Response:
        """Create a key with the same permissions; the old one expires immediately or after overlap_hours."""
        body, key = validated(KeyRotationSerializer, request.data), self._key()
        account = self._account(key.user.service_account.pk)
        new_key, secret = service_account_keys.rotate_key(
            actor=actor_of(request), account=account, key=key, **body
        )
        return Response(
            ServiceAccountKeyCreatedSerializer(new_key, context={"secret": secret}).data,
            status=HTTP_201_CREATED,
        )
