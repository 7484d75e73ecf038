"""REST: asking people into teams, and answering."""

from typing import ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.rest.policy import actor_of, in_person, signed_in
from access.routes import declare
from common.errors import Conflict, NotFound
from common.rest.responses import NewestFirstPagination, is_key, validated
from teams.access import OrganizationAction, TeamAction
from teams.api.serializers import (
    InvitationCreateSerializer,
    InvitationResultSerializer,
    InvitationSerializer,
    OrganizationInvitationCreateSerializer,
    TeamMemberSerializer,
    role_named,
)
from teams.invitations import answering
from teams.invitations import services as invitations
from teams.invitations.bulk import InvitationResults, invite_people, invite_within, people_in
from teams.invitations.selectors import invitations_for
from teams.models import Invitation, Organization, Team
from teams.roles.builtin import organization_roles, roles_for
from teams.teams.selectors import organization_named, shared_team


def _found(rows: QuerySet[Invitation], key: str) -> Invitation:
    row = rows.filter(pk=key).first() if is_key(key) else None
    if row is None:
        raise NotFound("This invitation doesn’t exist, or it has already been answered or revoked.")
    return row


_SHOWN = ("team__organization", "organization", "user", "role", "base_role", "invited_by")


class NobodyInvited(Conflict):
    """Each of those who were to be invited was refused."""

    def __init__(self, refused: list[dict[str, str]]) -> None:
        super().__init__(" ".join(f"{each['who']}: {each['reason']}" for each in refused[:5]))
        self.detail = {"invited": [], "refused": refused}


def _result_response(results: InvitationResults) -> Response:
    """Say what became of those who were to be invited.

    Raises:
        NobodyInvited: all were refused.
    """
    refused = [{"who": who, "reason": why} for who, why in results.refused]
    if not results.invited:
        raise NobodyInvited(refused)
    return Response({"invited": results.invited, "refused": refused}, status=HTTP_201_CREATED)


@declare(TeamAction.INVITE)
class TeamInvitationViewSet(ListModelMixin, GenericViewSet[Invitation]):
    """Who is asked into a team and has not answered."""

    tag = "Invitations"
    serializer_class = InvitationSerializer
    pagination_class = NewestFirstPagination
    object_actions: ClassVar[dict[str, str]] = {
        "list": TeamAction.INVITE, "create": TeamAction.INVITE, "destroy": TeamAction.MANAGE_MEMBERS,
        "resend": TeamAction.INVITE,
    }  # fmt: skip

    def _team(self) -> Team:
        return shared_team(actor_of(self.request), self.kwargs["team"], self.object_actions[self.action])

    def get_queryset(self) -> QuerySet[Invitation]:
        """Return the pending ones of the team."""
        return Invitation.objects.pending().filter(team=self._team()).select_related(*_SHOWN)

    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        """List the pending invitations to a team, newest first."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=InvitationCreateSerializer, responses={201: InvitationResultSerializer})
    def create(self, request: Request, team: str) -> Response:
        """Invite up to 100 people to a team by email.

        A refusal of one stops no other. Who was asked already is sent a new link. Where all are refused, the answer is
        409, and its ``detail`` has each reason.
        """
        row, body = self._team(), validated(InvitationCreateSerializer, request.data)
        role = role_named(roles_for(row.organization_id), body["role"])
        people = people_in("\n".join(body["people"]))
        return _result_response(invite_people(actor=actor_of(request), team=row, role=role, people=people))

    def destroy(self, request: Request, team: str, pk: str) -> Response:
        """Revoke an invitation; its link stops working immediately."""
        invitations.revoke_invitation(actor=actor_of(request), invitation=_found(self.get_queryset(), pk))
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def resend(self, request: Request, team: str, pk: str) -> Response:
        """Send a new link; the previous one stops working."""
        row = invitations.resend_invitation(
            actor=actor_of(request), invitation=_found(self.get_queryset(), pk)
        )
        return Response(InvitationSerializer(row).data)


@declare(OrganizationAction.MANAGE_MEMBERS)
class OrganizationInvitationViewSet(ListModelMixin, GenericViewSet[Invitation]):
    """Who is asked into an organization or its teams and has not answered."""

    tag = "Invitations"
    serializer_class = InvitationSerializer
    pagination_class = NewestFirstPagination
    object_actions: ClassVar[dict[str, str]] = dict.fromkeys(
        ("list", "create", "destroy", "resend"), OrganizationAction.MANAGE_MEMBERS
    )

    def _organization(self) -> Organization:
        needed = self.object_actions[self.action]
        return organization_named(actor_of(self.request), self.kwargs["organization"], needed)

    def get_queryset(self) -> QuerySet[Invitation]:
        """Return the pending ones of the organization and its teams."""
        return Invitation.objects.within(self._organization()).select_related(*_SHOWN)

    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        """List the pending invitations to an organization and its teams, newest first."""
        return super().list(request, *args, **kwargs)

    @extend_schema(
        request=OrganizationInvitationCreateSerializer, responses={201: InvitationResultSerializer}
    )
    def create(self, request: Request, organization: str) -> Response:
        """Invite up to 100 people to an organization without a team; the response is that of a team.

        Who is to be in a team is asked into the team, and belongs to the organization once they accept.
        """
        row, body = self._organization(), validated(OrganizationInvitationCreateSerializer, request.data)
        role, people = role_named(organization_roles(), body["role"]), people_in("\n".join(body["people"]))
        return _result_response(
            invite_within(actor=actor_of(request), organization=row, role=role, people=people)
        )

    def destroy(self, request: Request, organization: str, pk: str) -> Response:
        """Revoke an invitation; its link stops working immediately."""
        invitations.revoke_invitation(actor=actor_of(request), invitation=_found(self.get_queryset(), pk))
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def resend(self, request: Request, organization: str, pk: str) -> Response:
        """Send a new link; the previous one stops working."""
        row = invitations.resend_invitation(
            actor=actor_of(request), invitation=_found(self.get_queryset(), pk)
        )
        return Response(InvitationSerializer(row).data)


@declare(TeamAction.VIEW)
class InvitationViewSet(ListModelMixin, GenericViewSet[Invitation]):
    """What the caller is invited to."""

    tag = "Invitations"
    serializer_class = InvitationSerializer
    pagination_class = NewestFirstPagination
    object_actions: ClassVar[dict[str, str]] = {
        "list": TeamAction.VIEW, "accept": TeamAction.VIEW, "decline": TeamAction.VIEW
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Invitation]:
        """Return what is addressed to the caller, by name or by a verified address."""
        return invitations_for(signed_in(self.request))

    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        """List your invitations to teams and organizations, newest first."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=None, responses=TeamMemberSerializer)
    @action(detail=True, methods=["post"])
    def accept(self, request: Request, pk: str) -> Response:
        """Join the team or organization."""
        row = _found(self.get_queryset(), pk)
        place = answering.accept_invitation(actor=in_person(request), number=row.pk)
        return Response(TeamMemberSerializer(place).data)

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["post"])
    def decline(self, request: Request, pk: str) -> Response:
        """Decline the invitation."""
        row = _found(self.get_queryset(), pk)
        answering.decline_invitation(actor=in_person(request), number=row.pk)
        return Response(status=HTTP_204_NO_CONTENT)
