"""REST: how an organization pays, and what stands on its invoices (BIL-7)."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_202_ACCEPTED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet, ViewSet

from access.engine import visible
from access.rest.policy import actor_of
from access.routes import declare
from billing.api.payment_serializers import (
    BillingDetailsSerializer,
    PaymentCreateSerializer,
    PaymentMethodCreateSerializer,
    PaymentMethodSerializer,
    PaymentSerializer,
    PaymentSetupSerializer,
)
from billing.models import Invoice, PaymentMethod
from billing.payments import services
from billing.subscriptions.selectors import subscription_of
from common.errors import NotFound
from common.rest.responses import NewestFirstPagination, is_key, validated
from teams.models import Organization
from teams.teams.selectors import organization_named
from usage.access import BillingAction

_VIEW, _MANAGE = BillingAction.VIEW, BillingAction.MANAGE


@declare(_VIEW)
class PaymentMethodViewSet(ListModelMixin, GenericViewSet[PaymentMethod]):
    """How an organization pays: its admins see it, its billing admins change it."""

    tag = "Billing"
    serializer_class = PaymentMethodSerializer
    pagination_class = NewestFirstPagination
    queryset = PaymentMethod.objects.all()
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"create", "begin", "default", "destroy"})
    object_actions: ClassVar[dict[str, str]] = {
        "list": _VIEW, "retrieve": _VIEW, "create": _MANAGE, "begin": _MANAGE, "default": _MANAGE, "destroy": _MANAGE,
    }  # fmt: skip

    def _organization(self) -> Organization:
        needed = self.object_actions[self.action]
        return organization_named(actor_of(self.request), self.kwargs["organization"], needed)

    def get_queryset(self) -> QuerySet[PaymentMethod]:
        """Return those of the organization that are not removed."""
        rows = PaymentMethod.objects.filter(subscription__organization=self._organization(), removed_at=None)
        return visible(actor_of(self.request), _VIEW, rows)

    def get_object(self) -> PaymentMethod:
        """Return one of them."""
        number = str(self.kwargs["pk"])
        row = self.get_queryset().filter(pk=int(number) if is_key(number) else 0).first()
        if row is None:
            raise NotFound(_("This payment method doesn’t exist."))
        return row

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List an organization's payment methods, newest first."""
        return super().list(request, *args, **kwargs)

    def retrieve(self, request: Request, **kwargs: str) -> Response:
        """Return a payment method."""
        return Response(PaymentMethodSerializer(self.get_object()).data)

    @extend_schema(request=None, responses=PaymentSetupSerializer)
    @action(detail=False, methods=["post"], url_path="setup")
    def begin(self, request: Request, **kwargs: str) -> Response:
        """Start adding a card: the response lets a browser send it to Stripe."""
        setup = services.begin_setup(actor=actor_of(request), organization=self._organization())
        return Response(PaymentSetupSerializer(setup).data)

    @extend_schema(request=PaymentMethodCreateSerializer, responses={201: PaymentMethodSerializer})
    def create(self, request: Request, **kwargs: str) -> Response:
        """Add the card of a setup that a browser confirmed, or bank transfer, which requires billing details."""
        organization, body = self._organization(), validated(PaymentMethodCreateSerializer, request.data)
        method = services.add_method(actor=actor_of(request), organization=organization, **body)
        return Response(PaymentMethodSerializer(method).data, status=HTTP_201_CREATED)

    @extend_schema(request=None, responses=PaymentMethodSerializer)
    @action(detail=True, methods=["post"])
    def default(self, request: Request, **kwargs: str) -> Response:
        """Make a payment method the default."""
        row = services.make_default(actor=actor_of(request), method=self.get_object())
        return Response(PaymentMethodSerializer(row).data)

    def destroy(self, request: Request, **kwargs: str) -> Response:
        """Remove a payment method; the last one stays while the plan or an open invoice needs it."""
        services.remove_method(actor=actor_of(request), method=self.get_object())
        return Response(status=HTTP_204_NO_CONTENT)


@declare(_VIEW)
class BillingDetailsViewSet(ViewSet):
    """What stands on an organization's invoices."""

    tag = "Billing"
    object_actions: ClassVar[dict[str, str]] = {"retrieve": _VIEW, "partial_update": _MANAGE}

    @extend_schema(responses=BillingDetailsSerializer)
    def retrieve(self, request: Request, organization: str) -> Response:
        """Return the billing details shown on new invoices."""
        row = organization_named(actor_of(request), organization, _VIEW)
        return Response(BillingDetailsSerializer(subscription_of(row)).data)

    @extend_schema(request=BillingDetailsSerializer, responses=BillingDetailsSerializer)
    def partial_update(self, request: Request, organization: str) -> Response:
        """Change the given billing details; existing invoices do not change."""
        row = organization_named(actor_of(request), organization, _MANAGE)
        body = validated(BillingDetailsSerializer, request.data)
        changed = services.change_details(actor=actor_of(request), organization=row, **body)
        return Response(BillingDetailsSerializer(changed).data)


@declare(_MANAGE)
class PaymentViewSet(ViewSet):
    """Paying what is open."""

    tag = "Billing"
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"create"})
    object_actions: ClassVar[dict[str, str]] = {"create": _MANAGE}

    @extend_schema(request=PaymentCreateSerializer, responses={202: PaymentSerializer})
    def create(self, request: Request, organization: str) -> Response:
        """Charge an open invoice to the default card now; the invoice shows the result later."""
        row, actor = organization_named(actor_of(request), organization, _MANAGE), actor_of(request)
        number = validated(PaymentCreateSerializer, request.data)["invoice"]
        rows = Invoice.objects.filter(subscription__organization=row, number=number)
        invoice = visible(actor, _MANAGE, rows).select_related("subscription").first()
        if invoice is None:
            raise NotFound(_("This invoice doesn’t exist."))
        charged = services.pay_now(actor=actor, invoice=invoice)
        return Response(PaymentSerializer(charged).data, status=HTTP_202_ACCEPTED)
