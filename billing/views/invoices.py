"""Pages of invoices (BIL-10): the list, one to read or print, and one as PDF."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.actor import Actor
from access.engine import can
from access.routes import declare
from access.web.requests import actor_of
from billing.billing_admins.contacts import sales_contact
from billing.gateways import card_of, gateway_and_method
from billing.invoices.selectors import invoice_of, invoices_of, payments_of
from billing.models import Invoice, InvoiceStatus
from billing.subscriptions.billed import is_billed_organization
from billing.subscriptions.selectors import subscription_of
from teams.views.base import organization_of
from usage.access import BillingAction
from usage.views.frame import frame_context

PER_PAGE = 50


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def invoices(request: HttpRequest, entity: str) -> HttpResponse:
    """List an organization's invoices; who has a contract and pays by bank transfer finds whom to ask."""
    organization = organization_of(request, entity, BillingAction.VIEW)
    if not is_billed_organization(organization):
        return redirect("billing:overview", organization.name)
    subscription = subscription_of(organization)
    gateway, _method = gateway_and_method(subscription)
    page = Paginator(invoices_of(actor_of(request), organization), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        **frame_context(organization, "invoices"),
        "plan": subscription.plan,
        "page": page,
        "by_contract": subscription.plan.by_contact and not gateway.is_automatic,
        "sales": sales_contact(),
    }
    return render(request, "billing/invoices/invoices.html", context)


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def invoice(request: HttpRequest, entity: str, number: str) -> HttpResponse:
    """Show an invoice as it is printed, and what became of it."""
    organization = organization_of(request, entity, BillingAction.VIEW)
    actor = actor_of(request)
    row = invoice_of(actor, organization, number)
    context = {
        **frame_context(organization, "invoices"),
        "invoice": row,
        "payments": payments_of(row),
        "may_pay": _may_pay(actor, row),
    }
    return render(request, "billing/invoices/invoice.html", context)


def _may_pay(actor: Actor, row: Invoice) -> bool:
    """Whether the viewer may have it charged to a card now."""
    can_be = row.status == InvoiceStatus.OPEN and card_of(row.subscription) is not None
    return can_be and can(actor, BillingAction.MANAGE, row)


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def invoice_pdf(request: HttpRequest, entity: str, number: str) -> HttpResponse:
    """Download an invoice as PDF."""
    return as_pdf(invoice_of(actor_of(request), organization_of(request, entity, BillingAction.VIEW), number))


def as_pdf(row: Invoice) -> HttpResponse:
    """Answer with an invoice as a file."""
    from billing.invoices.pdf import pdf_of  # its library takes 14 MB

    reply = HttpResponse(pdf_of(row), content_type="application/pdf")
    reply["Content-Disposition"] = f'attachment; filename="{row.number}.pdf"'
    return reply
