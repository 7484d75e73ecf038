"""REST: an organization's billing admins."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.rest.policy import actor_of
from access.routes import declare
from accounts.models import User
from billing.billing_admins import services as admins
from billing.models import BillingAdmin
from common.errors import NotFound
from common.rest.responses import OldestFirstPagination, validated
from teams.api.serializers import PersonSerializer
from teams.api.teams import ANY_NAME
from teams.models import Organization, OrganizationMember
from teams.teams.selectors import organization_named
from usage.access import BillingAction


class BillingAdminSerializer(serializers.ModelSerializer[BillingAdmin]):
    """Somebody who manages an organization's billing."""

    user = PersonSerializer()
    since = serializers.DateTimeField(source="created_at")

    class Meta:
        model = BillingAdmin
        fields = ["id", "user", "since"]


class BillingAdminCreateSerializer(serializers.Serializer[Any]):
    """Whom to make one."""

    username = serializers.CharField(max_length=150, help_text="An admin of the organization.")


@declare(BillingAction.VIEW)
class BillingAdminViewSet(ListModelMixin, GenericViewSet[BillingAdmin]):
    """Who gets an organization's billing mail and manages payment."""

    tag = "Billing"
    serializer_class = BillingAdminSerializer
    pagination_class = OldestFirstPagination
    lookup_field = "username"
    lookup_value_regex = ANY_NAME
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"create", "destroy"})
    object_actions: ClassVar[dict[str, str]] = {
        "list": BillingAction.VIEW, "create": BillingAction.ASSIGN, "destroy": BillingAction.ASSIGN,
    }  # fmt: skip

    def _organization(self) -> Organization:
        needed = self.object_actions[self.action]
        return organization_named(actor_of(self.request), self.kwargs["organization"], needed)

    def _user(self, username: str) -> User:
        here = OrganizationMember.objects.filter(organization__name=self.kwargs["organization"])
        user = User.objects.filter(username=username, pk__in=here.values("user_id")).first()
        if user is None:
            raise NotFound(f"{username[:80]!r} does not belong to the organization.")
        return user

    def get_queryset(self) -> QuerySet[BillingAdmin]:
        """Return the organization's billing admins."""
        rows = BillingAdmin.objects.filter(organization=self._organization())
        return rows.select_related("user")

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the billing admins of an organization, in the order in which they were chosen."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=BillingAdminCreateSerializer, responses={201: BillingAdminSerializer})
    def create(self, request: Request, organization: str) -> Response:
        """Make an admin of the organization a billing admin; on plans with a single one, the role moves."""
        row, body = self._organization(), validated(BillingAdminCreateSerializer, request.data)
        user = self._user(body["username"])
        admins.assign_billing_admin(actor=actor_of(request), organization=row, user=user)
        saved = BillingAdmin.objects.select_related("user").get(organization=row, user=user)
        return Response(BillingAdminSerializer(saved).data, status=HTTP_201_CREATED)

    def destroy(self, request: Request, organization: str, username: str) -> Response:
        """Remove a billing admin other than the last one."""
        row = self._organization()
        admins.withdraw_billing_admin(actor=actor_of(request), organization=row, user=self._user(username))
        return Response(status=HTTP_204_NO_CONTENT)
