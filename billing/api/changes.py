"""REST: changing plans and bought storage (BIL-8): preview, then confirm exactly that."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED
from rest_framework.viewsets import ViewSet

from access.rest.policy import actor_of
from access.routes import declare
from billing.api.payment_serializers import (
    CurrentPlanSerializer,
    PlanChangeCreateSerializer,
    PlanChangePreviewSerializer,
    PlanChangeResultSerializer,
    PlanChangeSerializer,
)
from billing.changes import services
from billing.changes.preview import ChangeSummary
from billing.models import Plan
from billing.subscriptions.selectors import subscription_of
from common.errors import NotFound
from common.rest.responses import validated
from teams.teams.selectors import organization_named
from usage.access import BillingAction

_MANAGE = BillingAction.MANAGE


@declare(_MANAGE)
class PlanChangeViewSet(ViewSet):
    """Changes of an organization's plan and bought storage, by its billing admins."""

    tag = "Billing"
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"create"})
    object_actions: ClassVar[dict[str, str]] = {"preview": _MANAGE, "create": _MANAGE, "undo": _MANAGE}

    def _given(self, request: Request, organization: str) -> dict[str, Any]:
        row = organization_named(actor_of(request), organization, _MANAGE)
        return {"actor": actor_of(request), "organization": row}

    @extend_schema(request=PlanChangeSerializer, responses=PlanChangePreviewSerializer)
    @action(detail=False, methods=["post"])
    def preview(self, request: Request, organization: str) -> Response:
        """Preview the effect and cost of a change."""
        given, body = self._given(request, organization), validated(PlanChangeSerializer, request.data)
        return Response(PlanChangePreviewSerializer(_preview(given, body)).data)

    @extend_schema(request=PlanChangeCreateSerializer, responses={201: PlanChangeResultSerializer})
    def create(self, request: Request, organization: str) -> Response:
        """Apply a previewed change; 409 outdated if the preview no longer holds."""
        given, body = self._given(request, organization), validated(PlanChangeCreateSerializer, request.data)
        given["confirm"] = body["confirm"]
        if "plan" in body:
            done = services.change_plan(**given, plan=_plan(body["plan"]))
        elif "extra_storage_gb" in body:
            done = services.buy_storage(**given, extra_gb=body["extra_storage_gb"])
        else:
            done = services.cancel(**given)
        return Response(PlanChangeResultSerializer(done).data, status=HTTP_201_CREATED)

    @extend_schema(request=None, responses=CurrentPlanSerializer)
    @action(detail=False, methods=["post"])
    def undo(self, request: Request, organization: str) -> Response:
        """Undo the scheduled change."""
        given = self._given(request, organization)
        try:
            row = services.undo_change(**given)
        except services.NothingToChange:
            row = subscription_of(given["organization"])
        return Response(CurrentPlanSerializer(row).data)


def _preview(given: dict[str, Any], body: dict[str, Any]) -> ChangeSummary:
    if "plan" in body:
        return services.preview_plan(**given, plan=_plan(body["plan"]))
    if "extra_storage_gb" in body:
        return services.preview_storage(**given, extra_gb=body["extra_storage_gb"])
    return services.preview_cancel(**given)


def _plan(key: str) -> Plan:
    plan = Plan.objects.filter(key=key).first()
    if plan is None:
        raise NotFound(f"The plan “{key[:40]}” doesn’t exist.")
    return plan
