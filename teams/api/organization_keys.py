"""REST: the API keys of an organization's members and service accounts, for its admins."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from accounts.api.keys import ApiKeySerializer
from accounts.models import ApiKey, UserKind
from common.errors import Invalid, NotFound
from common.formats.numbers import parse_int
from common.rest.responses import NewestFirstPagination, is_yes
from teams.access import OrganizationAction
from teams.models import Organization
from teams.organizations.keys import KeyFilter, filtered_keys, keys_of_organization, revoke_keys
from teams.teams.selectors import organization_named


class OrganizationKeySerializer(ApiKeySerializer):
    """A key with whose it is."""

    owner = serializers.CharField(source="user.username")
    kind = serializers.CharField(source="user.kind", help_text="person or service.")

    class Meta(ApiKeySerializer.Meta):
        fields: ClassVar[list[str]] = [*ApiKeySerializer.Meta.fields, "owner", "kind"]


@declare(OrganizationAction.MANAGE_MEMBERS)
class OrganizationKeyViewSet(ListModelMixin, GenericViewSet[ApiKey]):
    """The API keys of an organization's members and service accounts."""

    tag = "Organizations"
    serializer_class = OrganizationKeySerializer
    pagination_class = NewestFirstPagination
    object_actions: ClassVar[dict[str, str]] = {
        "list": OrganizationAction.MANAGE_MEMBERS, "destroy": OrganizationAction.MANAGE_MEMBERS,
    }  # fmt: skip

    def _organization(self) -> Organization:
        needed = self.object_actions[self.action]
        return organization_named(actor_of(self.request), self.kwargs["organization"], needed)

    def get_queryset(self) -> QuerySet[ApiKey]:
        """Return the keys that are asked for."""
        row, given = self._organization(), self.request.query_params
        keys, whose = keys_of_organization(actor_of(self.request), row), given.get("kind", "")
        if whose not in {"", *UserKind.values}:
            raise Invalid(f"kind must be {' or '.join(UserKind.values)}, not {whose[:40]!r}.")
        text = given.get("search", "").strip()
        wanted = KeyFilter(text=text, whose=whose, beyond=is_yes(given, "beyond_policy"))
        return filtered_keys(keys, row, wanted)

    @extend_schema(
        parameters=[
            query("search", "Part of the label or the owner's name, or how the secret begins."),
            query("kind", "Only those of a person, or of a service account.", enum=UserKind.values),
            query("beyond_policy", "Only those that the organization's key policy would refuse.", type=bool),
        ]
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the API keys of an organization's members and service accounts, newest first."""
        return super().list(request, *args, **kwargs)

    def destroy(self, request: Request, organization: str, pk: str) -> Response:
        """Revoke a key; it stops working immediately, and its owner is notified by email."""
        row, number = self._organization(), parse_int(pk)
        numbers = [] if number is None else [number]
        if not revoke_keys(actor=actor_of(request), organization=row, numbers=numbers):
            raise NotFound(f"The key “{pk[:40]}” doesn’t belong to a member or service account of {row}.")
        return Response(status=HTTP_204_NO_CONTENT)
