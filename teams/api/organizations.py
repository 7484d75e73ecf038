"""REST: organizations and who belongs to them."""

from typing import Any, ClassVar

from django.db import transaction
from django.db.models import F, QuerySet, Value
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.engine import can
from access.openapi.schema import query
from access.rest.policy import actor_of, in_person
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from accounts.profile import services as profiles
from common.errors import NotFound
from common.rest.responses import NamePagination, OldestFirstPagination, validated
from teams.access import OrganizationAction
from teams.api.serializers import (
    EnforcedPrivacySerializer,
    OrganizationCreateSerializer,
    OrganizationDetailSerializer,
    OrganizationMemberSerializer,
    OrganizationMemberUpdateSerializer,
    OrganizationSerializer,
    OrganizationUpdateSerializer,
    role_named,
)
from teams.api.teams import ANY_NAME, found_by, person_of
from teams.models import Organization, OrganizationMember
from teams.organizations import services as organizations
from teams.organizations.services import create_organization
from teams.roles.builtin import organization_roles
from teams.teams.privacy import enforce_privacy
from teams.teams.selectors import organization_named


@declare(OrganizationAction.VIEW)
class OrganizationViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[Organization]):
    """Organizations."""

    tag = "Organizations"
    queryset = Organization.objects.all()
    serializer_class = OrganizationSerializer
    pagination_class = NamePagination
    lookup_field = "name"
    lookup_value_regex = ANY_NAME
    view_action = OrganizationAction.VIEW
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"partial_update", "destroy", "change_privacy"})
    object_actions: ClassVar[dict[str, str]] = {
        "list": OrganizationAction.VIEW, "create": OrganizationAction.CREATE_TEAM,
        "retrieve": OrganizationAction.VIEW, "partial_update": OrganizationAction.MANAGE_SETTINGS,
        "destroy": OrganizationAction.DELETE, "privacy": OrganizationAction.MANAGE_SETTINGS,
        "change_privacy": OrganizationAction.MANAGE_SETTINGS,
    }  # fmt: skip

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the organizations you belong to, by name."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=OrganizationCreateSerializer, responses={201: OrganizationSerializer})
    def create(self, request: Request) -> Response:
        """Create an organization; you are its first admin."""
        person, body = person_of(request), validated(OrganizationCreateSerializer, request.data)
        row = create_organization(actor=actor_of(request), admin=person, **body)
        return Response(OrganizationSerializer(row).data, status=HTTP_201_CREATED)

    @extend_schema(responses=OrganizationDetailSerializer)
    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return an organization with its profile."""
        return self._whole(self.get_object())

    def _whole(self, row: Organization) -> Response:
        row.profile = profiles.profile_of(row)  # type: ignore[attr-defined]  # an empty one where nothing was told
        return Response(OrganizationDetailSerializer(row).data)

    @extend_schema(request=OrganizationUpdateSerializer, responses=OrganizationDetailSerializer)
    @transaction.atomic
    def partial_update(self, request: Request, name: str) -> Response:
        """Change an organization's display name, intro and API key policy; its name never changes."""
        actor, row, body = (
            actor_of(request),
            self.get_object(),
            validated(OrganizationUpdateSerializer, request.data),
        )
        profile = {"intro": body.pop("intro")} if "intro" in body else {}
        stays = {
            name: getattr(row, name) for name in ("display_name", "api_keys_allowed", "api_key_max_days")
        }
        row = organizations.change_organization(actor=actor, organization=row, **(stays | body))
        profiles.change_profile(actor=actor, row=row, given=profile)
        return self._whole(row)

    def destroy(self, request: Request, name: str) -> Response:
        """Permanently delete an organization that has no teams."""
        row = self.get_object()
        organizations.delete_organization(actor=actor_of(request), organization=row, typed=row.name)
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(responses=EnforcedPrivacySerializer)
    @action(detail=True)
    def privacy(self, request: Request, name: str) -> Response:
        """Return the privacy settings that an organization sets for all its teams."""
        return Response(EnforcedPrivacySerializer(self.get_object()).data)

    @extend_schema(request=EnforcedPrivacySerializer, responses=EnforcedPrivacySerializer)
    @privacy.mapping.patch
    def change_privacy(self, request: Request, name: str) -> Response:
        """Set privacy settings for all teams of an organization, or let each team decide."""
        row, body = self.get_object(), validated(EnforcedPrivacySerializer, request.data)
        enforce_privacy(actor=actor_of(request), organization=row, values=body)
        row.refresh_from_db()
        return Response(EnforcedPrivacySerializer(row).data)


@declare(OrganizationAction.VIEW)
class OrganizationMemberViewSet(ListModelMixin, GenericViewSet[OrganizationMember]):
    """Who belongs to an organization."""

    tag = "Organizations"
    serializer_class = OrganizationMemberSerializer
    pagination_class = OldestFirstPagination
    lookup_field = "username"
    lookup_value_regex = ANY_NAME
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"partial_update"})
    object_actions: ClassVar[dict[str, str]] = {
        "list": OrganizationAction.VIEW, "retrieve": OrganizationAction.VIEW,
        "partial_update": OrganizationAction.MANAGE_MEMBERS, "destroy": OrganizationAction.MANAGE_MEMBERS,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[OrganizationMember]:
        """Return the organization's members, with their addresses for whoever may manage them."""
        actor, needed = actor_of(self.request), self.object_actions[self.action]
        row = organization_named(actor, self.kwargs["organization"], needed)
        may_manage = can(actor, OrganizationAction.MANAGE_MEMBERS, row)
        rows = OrganizationMember.objects.filter(organization=row).annotate(
            address=F("user__email") if may_manage else Value("")
        )
        rows = rows.select_related("organization", "user", "role")
        search = self.request.query_params.get("search", "") if self.action == "list" else ""
        return rows.filter(found_by(search)) if search else rows

    def get_object(self) -> OrganizationMember:
        """Return one of them."""
        row = self.get_queryset().filter(user__username=self.kwargs["username"]).first()
        if row is None:
            raise NotFound(f"{self.kwargs['username'][:80]!r} does not belong to the organization.")
        return row

    @extend_schema(parameters=[query("search", "Part of a username or display name.")])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the members of an organization in the order in which they joined."""
        return super().list(request, *args, **kwargs)

    def retrieve(self, request: Request, **kwargs: str) -> Response:
        """Return a member of an organization."""
        return Response(OrganizationMemberSerializer(self.get_object()).data)

    @extend_schema(request=OrganizationMemberUpdateSerializer)
    def partial_update(self, request: Request, **kwargs: str) -> Response:
        """Change a member's role or product access in an organization."""
        row, body = self.get_object(), validated(OrganizationMemberUpdateSerializer, request.data)
        if "role" in body:
            body["role"] = role_named(organization_roles(), body["role"])
        row = organizations.change_organization_member(actor=actor_of(request), member=row, **body)
        return Response(OrganizationMemberSerializer(row).data)

    def destroy(self, request: Request, **kwargs: str) -> Response:
        """Remove a member, or yourself, from an organization and all its teams; logged runs are kept."""
        actor = actor_of(request)
        if actor.name == kwargs["username"] and actor.user_id is not None:
            row = organization_named(actor, kwargs["organization"])
            organizations.leave_organization(actor=in_person(request), organization=row)
        else:
            organizations.remove_from_organization(actor=actor, member=self.get_object())
        return Response(status=HTTP_204_NO_CONTENT)
