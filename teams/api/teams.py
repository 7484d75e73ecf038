"""REST: teams and who is in them."""

from datetime import timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.actor import ActorKind
from access.engine import visible
from access.openapi.schema import query
from access.rest.policy import actor_of, in_person, signed_in
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from accounts.models import User
from accounts.profile import services as profiles
from common.errors import Forbidden, Invalid, NotFound
from common.rest.responses import NamePagination, OldestFirstPagination, is_yes, validated
from teams.access import OrganizationAction, TeamAction
from teams.api.serializers import (
    MemberCreateSerializer,
    MemberUpdateSerializer,
    PrivacySerializer,
    TeamCreateSerializer,
    TeamDetailSerializer,
    TeamMemberSerializer,
    TeamSerializer,
    TeamUpdateSerializer,
    role_named,
)
from teams.members import services
from teams.models import SHARED_KINDS, Membership, OrganizationMember, Team
from teams.roles.builtin import roles_for
from teams.teams import deletion, privacy
from teams.teams.new_bucket import bucket_connector
from teams.teams.selectors import organization_named, shared_team
from teams.teams.services import change_team, create_team

ANY_NAME = "[^/]+"


def person_of(request: Request) -> User:
    """Return the person who asks, who will be the admin of what they make.

    Raises:
        Unauthenticated: nobody is known to.
        Forbidden: a service account, which administers nothing.
    """
    actor = signed_in(request)
    if actor.kind is ActorKind.SERVICE:
        raise Forbidden("Service accounts cannot create teams.", action=OrganizationAction.CREATE_TEAM)
    return User.objects.get(pk=actor.lookup_id)


def found_by(search: str) -> Q:
    """Return the condition that a member's names have what was searched for."""
    return Q(user__username__icontains=search) | Q(user__display_name__icontains=search)


@declare(TeamAction.VIEW)
class TeamViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[Team]):
    """Teams; personal entities are none."""

    tag = "Teams"
    queryset = Team.objects.select_related("organization")
    serializer_class = TeamSerializer
    pagination_class = NamePagination
    lookup_field = "name"
    lookup_value_regex = ANY_NAME
    view_action = TeamAction.VIEW
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"destroy", "change_privacy"})
    object_actions: ClassVar[dict[str, str]] = {
        "list": TeamAction.VIEW, "create": OrganizationAction.CREATE_TEAM, "retrieve": TeamAction.VIEW,
        "partial_update": TeamAction.MANAGE_SETTINGS, "destroy": TeamAction.DELETE, "restore": TeamAction.DELETE,
        "privacy": TeamAction.MANAGE_PRIVACY, "change_privacy": TeamAction.MANAGE_PRIVACY,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Team]:
        """Return live teams; deleted ones that can be restored where they are asked for."""
        given, listed, actor = self.request.query_params, self.action == "list", actor_of(self.request)
        since = timezone.now() - timedelta(days=settings.DELETED_KEPT_DAYS)
        shared = Team.objects.filter(kind__in=SHARED_KINDS)
        live, gone = shared.filter(deleted_at=None), shared.filter(deleted_at__gt=since)
        if self.action == "restore":
            return self.restorable(live, gone)
        wants_gone = listed and is_yes(given, "deleted")
        rows = visible(actor, *((TeamAction.DELETE, gone) if wants_gone else (TeamAction.VIEW, live)))
        rows = rows.select_related("organization")
        organization = given.get("organization", "") if listed else ""
        return rows.filter(organization__name=organization) if organization else rows

    @extend_schema(
        parameters=[
            query("organization", "Only teams of this organization."),
            query("deleted", "Those that you can restore instead.", type=bool),
        ]
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the teams you can see, by name."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=TeamCreateSerializer, responses={201: TeamSerializer})
    def create(self, request: Request) -> Response:
        """Create a team in an organization; you are its first admin."""
        actor, body = signed_in(request), validated(TeamCreateSerializer, request.data)
        organization = organization_named(actor, body["organization"], OrganizationAction.CREATE_TEAM)
        admin, bucket = person_of(request), body.pop("storage", None)
        if bucket:
            body["give_bucket"] = bucket_connector().check(actor, **bucket)
        team = create_team(actor=actor, admin=admin, **body | {"organization": organization})
        return Response(TeamSerializer(team).data, status=HTTP_201_CREATED)

    @extend_schema(responses=TeamDetailSerializer)
    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return a team with its profile."""
        return self._whole(self.get_object())

    def _whole(self, team: Team) -> Response:
        team.profile = profiles.profile_of(team)  # type: ignore[attr-defined]  # an empty one where nothing was told
        return Response(TeamDetailSerializer(team).data)

    @extend_schema(request=TeamUpdateSerializer, responses=TeamDetailSerializer)
    @transaction.atomic
    def partial_update(self, request: Request, name: str) -> Response:
        """Change a team's display name, type or profile; its name never changes."""
        actor, team, body = (
            actor_of(request),
            self.get_object(),
            validated(TeamUpdateSerializer, request.data),
        )
        named = ("display_name", "kind", "project_visibility")
        of_team = {name: body.pop(name) for name in named if name in body}
        if of_team:
            stays = {"display_name": team.display_name, "kind": team.kind}
            team = change_team(actor=actor, team=team, **(stays | of_team))
        profiles.change_profile(actor=actor, row=team, given=body)
        return self._whole(team)

    def destroy(self, request: Request, name: str) -> Response:
        """Delete a team with its projects and runs; it can be restored for some days."""
        team = self.get_object()
        deletion.delete_team(actor=actor_of(request), team=team, typed=team.name)
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, name: str) -> Response:
        """Restore a deleted team with everything deleted with it."""
        team = deletion.restore_team(actor=actor_of(request), team=self.get_object())
        return Response(TeamSerializer(team).data)

    @extend_schema(responses=PrivacySerializer)
    @action(detail=True)
    def privacy(self, request: Request, name: str) -> Response:
        """Return a team's privacy settings."""
        return Response(PrivacySerializer(self.get_object()).data)

    @extend_schema(request=PrivacySerializer, responses=PrivacySerializer)
    @privacy.mapping.patch
    def change_privacy(self, request: Request, name: str) -> Response:
        """Change a team's privacy settings; those that its organization sets for all teams stay."""
        body = validated(PrivacySerializer, request.data)
        team = privacy.set_privacy(actor=actor_of(request), team=self.get_object(), values=body)
        return Response(PrivacySerializer(team).data)


@declare(TeamAction.VIEW)
class TeamMemberViewSet(ListModelMixin, GenericViewSet[Membership]):
    """Who is in a team."""

    tag = "Teams"
    serializer_class = TeamMemberSerializer
    pagination_class = OldestFirstPagination
    lookup_field = "username"
    lookup_value_regex = ANY_NAME
    object_actions: ClassVar[dict[str, str]] = {
        "list": TeamAction.VIEW, "create": TeamAction.MANAGE_MEMBERS, "retrieve": TeamAction.VIEW,
        "partial_update": TeamAction.MANAGE_MEMBERS, "destroy": TeamAction.MANAGE_MEMBERS,
    }  # fmt: skip

    def _team(self) -> Team:
        return shared_team(actor_of(self.request), self.kwargs["team"], self.object_actions[self.action])

    def get_queryset(self) -> QuerySet[Membership]:
        """Return the team's members."""
        rows = Membership.objects.filter(team=self._team()).select_related(
            "team__organization", "user", "role"
        )
        search = self.request.query_params.get("search", "") if self.action == "list" else ""
        return rows.filter(found_by(search)) if search else rows

    def get_object(self) -> Membership:
        """Return one of them."""
        row = self.get_queryset().filter(user__username=self.kwargs["username"]).first()
        if row is None:
            raise NotFound(f"{self.kwargs['username'][:80]!r} is not in the team.")
        return row

    @extend_schema(parameters=[query("search", "Part of a username or display name.")])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the members of a team in the order in which they joined."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=MemberCreateSerializer, responses={201: TeamMemberSerializer})
    def create(self, request: Request, team: str) -> Response:
        """Add a member of the organization to a team; invite everyone else."""
        row, body = self._team(), validated(MemberCreateSerializer, request.data)
        place = OrganizationMember.objects.filter(
            organization=row.organization_id, user__username=body["username"], user__is_active=True
        ).first()
        if place is None:
            raise Invalid(f"{body['username']!r} does not belong to {row.organization}: invite them.")
        role = role_named(roles_for(row.organization_id), body["role"])
        membership = services.add_member(actor=actor_of(request), team=row, user=place.user, role=role)
        return Response(TeamMemberSerializer(membership).data, status=HTTP_201_CREATED)

    def retrieve(self, request: Request, **kwargs: str) -> Response:
        """Return a member of a team."""
        return Response(TeamMemberSerializer(self.get_object()).data)

    @extend_schema(request=MemberUpdateSerializer)
    def partial_update(self, request: Request, **kwargs: str) -> Response:
        """Change a member's role."""
        row, body = self.get_object(), validated(MemberUpdateSerializer, request.data)
        role = role_named(roles_for(row.team.organization_id), body["role"])
        row = services.change_role(actor=actor_of(request), membership=row, role=role)
        return Response(TeamMemberSerializer(row).data)

    def destroy(self, request: Request, **kwargs: str) -> Response:
        """Remove a member, who is notified by email, or yourself; logged runs are kept."""
        actor = actor_of(request)
        if actor.name == kwargs["username"] and actor.user_id is not None:
            services.leave_team(actor=in_person(request), team=shared_team(actor, kwargs["team"]))
        else:
            services.remove_member(actor=actor, membership=self.get_object())
        return Response(status=HTTP_204_NO_CONTENT)
