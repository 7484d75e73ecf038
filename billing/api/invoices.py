"""REST: an organization's invoices (BIL-10)."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from billing.invoices.selectors import invoice_of, invoices_of
from billing.models import Invoice, InvoiceLine, InvoiceStatus
from billing.views.invoices import as_pdf
from common.rest.responses import NewestFirstPagination
from teams.models import Organization
from teams.teams.selectors import organization_named
from usage.access import BillingAction


class InvoiceLineSerializer(serializers.ModelSerializer[InvoiceLine]):
    """One line; amounts add up to the invoice's total to the cent."""

    class Meta:
        model = InvoiceLine
        fields = ["category", "description", "quantity", "unit", "unit_price_usd", "amount_usd"]


class InvoiceSerializer(serializers.ModelSerializer[Invoice]):
    """An invoice. Amounts are decimals in US dollars, as text; days are UTC."""

    period_last_day = serializers.DateField(read_only=True, help_text="The period's last day, UTC.")
    by_transfer = serializers.BooleanField(read_only=True, help_text="Whether it is paid by bank transfer.")

    class Meta:
        model = Invoice
        fields = [
            "number", "kind", "period_start", "period_last_day", "issued_at", "due_at", "currency", "total_usd",
            "status", "paid_at", "by_transfer", "failure", "next_attempt_at",
        ]  # fmt: skip


class PdfRenderer(BaseRenderer):
    """Names the form; the file is drawn by `billing.invoices.pdf`."""

    media_type, format = "application/pdf", "pdf"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> Any:
        """Write what is no file, a refusal, as JSON."""
        return JSONRenderer().render(data, accepted_media_type, renderer_context)


class InvoicePagination(NewestFirstPagination):
    """By number, the newest first."""

    ordering = "-sequence"


@declare(BillingAction.VIEW)
class InvoiceViewSet(ListModelMixin, GenericViewSet[Invoice]):
    """Invoices of an organization, for its admins. Their numbers have no gaps; they never change but in status."""

    tag = "Billing"
    serializer_class = InvoiceSerializer
    pagination_class = InvoicePagination
    queryset = Invoice.objects.all()
    lookup_field = "number"
    lookup_value_regex = "[^/]+"
    object_actions: ClassVar[dict[str, str]] = {
        "list": BillingAction.VIEW, "retrieve": BillingAction.VIEW, "lines": BillingAction.VIEW,
        "pdf": BillingAction.VIEW,
    }  # fmt: skip

    def _organization(self) -> Organization:
        needed = self.object_actions[self.action]
        return organization_named(actor_of(self.request), self.kwargs["organization"], needed)

    def get_queryset(self) -> QuerySet[Invoice]:
        """Return the organization's invoices, of a status where one is asked for."""
        rows = invoices_of(actor_of(self.request), self._organization())
        status = self.request.query_params.get("status", "")
        return rows.filter(status=status) if status else rows

    def get_object(self) -> Invoice:
        """Return one of them, with its lines."""
        return invoice_of(actor_of(self.request), self._organization(), self.kwargs["number"])

    @extend_schema(parameters=[query("status", "Only those in this status.", enum=InvoiceStatus.values)])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List an organization's invoices, newest first."""
        return super().list(request, *args, **kwargs)

    def retrieve(self, request: Request, **kwargs: str) -> Response:
        """Return an invoice."""
        return Response(InvoiceSerializer(self.get_object()).data)

    @extend_schema(responses=InvoiceLineSerializer(many=True))
    @action(detail=True, pagination_class=None)
    def lines(self, request: Request, **kwargs: str) -> Response:
        """Return an invoice's lines in printed order."""
        return Response(InvoiceLineSerializer(self.get_object().lines.all(), many=True).data)

    @extend_schema(responses={(200, "application/pdf"): OpenApiTypes.BINARY})
    @action(detail=True, renderer_classes=(PdfRenderer, JSONRenderer))
    def pdf(self, request: Request, **kwargs: str) -> HttpResponse:
        """Download an invoice as PDF."""
        return as_pdf(self.get_object())
