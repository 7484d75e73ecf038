"""The page of payment: ways to pay, what stands on invoices, and what is open (BIL-7)."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from csp.decorators import csp_update
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.engine import can, visible
from access.routes import declare
from access.web.requests import actor_of
from accounts.sign_in.reauthentication import reauthenticated
from billing import gateways
from billing.billing_admins.contacts import plan_admins_message
from billing.models import Invoice, PaymentMethod
from billing.payments import services
from billing.payments.forms import DetailsForm
from billing.payments.selectors import bank_details, due_invoices, method_rows
from billing.subscriptions.billed import is_billed_organization
from billing.subscriptions.selectors import subscription_of
from common.errors import Conflict, DomainError, Forbidden, Invalid, NotFound, Unavailable
from common.web.responses import as_json
from teams.models import Organization
from teams.views.base import answer, organization_of
from usage.access import BillingAction
from usage.views.frame import frame_context

_MANAGE = BillingAction.MANAGE


def payment_url(organization: Organization) -> str:
    """Return the page's path."""
    return reverse("billing:payment", args=[organization.name])


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def payment(request: HttpRequest, entity: str) -> HttpResponse:
    """Show how the organization pays; billing admins change it. Where nobody is billed there is no such page."""
    organization = organization_of(request, entity, BillingAction.VIEW)
    if not is_billed_organization(organization):
        return redirect("billing:overview", organization.name)
    return _page(request, organization)


def _page(request: HttpRequest, organization: Organization, form: DetailsForm | None = None) -> HttpResponse:
    actor, subscription = actor_of(request), subscription_of(organization)
    methods = method_rows(actor, subscription)
    context = {
        **frame_context(organization, "payment"),
        "subscription": subscription,
        "methods": methods,
        "due": due_invoices(actor, subscription),
        "charges_cards": gateways.card_of(subscription) is not None,
        "has_transfer": any(listed.is_transfer for listed in methods),
        "takes_cards": gateways.gateway_of(subscription).is_automatic,
        "bank_details": bank_details(),
        "why_needed": services.needed_message(subscription) if len(methods) == 1 else "",
        "may_manage": can(actor, _MANAGE, organization),
        "contacts": plan_admins_message(organization),
        "form": form or DetailsForm(subscription=subscription),
    }
    return render(
        request, "billing/payments/payment.html", context, status=422 if form and form.errors else 200
    )


@declare(_MANAGE)
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated
def add(request: HttpRequest, entity: str) -> HttpResponseBase:
    """Show how a way to pay is added; a POST adds it, and leads back to what asked for it."""
    organization = organization_of(request, entity, _MANAGE)
    subscription, back = subscription_of(organization), _safe_next(request, organization)
    takes_cards = gateways.gateway_of(subscription).is_automatic
    sent = request.POST if request.method == "POST" else None
    form = DetailsForm(sent, subscription=subscription, is_needed=True)
    if request.method == "POST" and (takes_cards or form.is_valid()):
        try:
            if not takes_cards:
                services.change_details(
                    actor=actor_of(request), organization=organization, **form.cleaned_data
                )
            setup = request.POST.get("setup", "")
            method = services.add_method(actor=actor_of(request), organization=organization, setup=setup)
        except (Conflict, Invalid, Unavailable) as error:
            messages.error(request, error.message)
        else:
            messages.success(request, _("%(method)s added.") % {"method": str(method)})
            return redirect(back)
    context = {
        **frame_context(organization, "payment"),
        "next": back,
        "form": form,
        "bank_details": bank_details(),
        "stripe_js": settings.STRIPE_JS_URL,
        "publishable_key": settings.STRIPE_PUBLISHABLE_KEY,
    }
    if not takes_cards:
        return render(request, "billing/payments/transfer.html", context, status=422 if form.errors else 200)
    show = csp_update(card_policy())(lambda request_: render(request_, "billing/payments/card.html", context))
    return show(request)


def card_policy() -> dict[str, Any]:
    """Return what one page may besides: load Stripe's script, hold its frames, speak with it. No other page does."""
    script, api = _origin(settings.STRIPE_JS_URL), _origin(settings.STRIPE_API_URL)
    is_real = script == "https://js.stripe.com"
    more, hooks = (["https://*.js.stripe.com"], ["https://hooks.stripe.com"]) if is_real else ([], [])
    return {
        "script-src": [script, *more],
        "frame-src": [script, *more, *hooks],
        "connect-src": [api],
    }


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _safe_next(request: HttpRequest, organization: Organization) -> str:
    """Return where adding leads back to: a page of ours, by default that of payment."""
    target = request.POST.get("next") or request.GET.get("next", "")
    is_ours = target.startswith("/") and url_has_allowed_host_and_scheme(target, allowed_hosts=None)
    return target if is_ours else payment_url(organization)


@declare(_MANAGE)
@never_cache
@require_POST
@reauthenticated
def setup(request: HttpRequest, entity: str) -> HttpResponse:
    """Return what the browser needs to hand a card to Stripe; the card's number never comes here."""
    organization = organization_of(request, entity, _MANAGE)
    try:
        setup_begun = services.begin_setup(actor=actor_of(request), organization=organization)
    except Forbidden:
        raise
    except DomainError as error:
        reply = as_json({"message": error.message})
        reply.status_code = error.status
        return reply
    return as_json(
        {"client_secret": setup_begun.client_secret, "publishable_key": setup_begun.publishable_key}
    )


@declare(_MANAGE)
@require_POST
@reauthenticated
def act(request: HttpRequest, entity: str, pk: int) -> HttpResponse:
    """Make a way to pay the default, or remove it, as the button ``act`` says."""
    organization = organization_of(request, entity, _MANAGE)
    actor = actor_of(request)

    def chosen() -> PaymentMethod:
        rows = PaymentMethod.objects.filter(subscription__organization=organization, removed_at=None, pk=pk)
        row = visible(actor, _MANAGE, rows).first()
        if row is None:
            raise NotFound(_("This payment method has been removed."))
        return row

    def default() -> str:
        row = services.make_default(actor=actor, method=chosen())
        return _("%(method)s is now the default.") % {"method": str(row)}

    def remove() -> str:
        row = chosen()
        services.remove_method(actor=actor, method=row)
        return _("%(method)s removed.") % {"method": str(row)}

    acts: dict[str, Callable[[], str]] = {"default": default, "remove": remove}
    chosen_act = acts.get(request.POST.get("act", ""))
    back = payment_url(organization)
    return answer(request, chosen_act, back) if chosen_act else redirect(back)


@declare(_MANAGE)
@require_POST
def details(request: HttpRequest, entity: str) -> HttpResponse:
    """Change what stands on the next invoices."""
    organization = organization_of(request, entity, _MANAGE)
    form = DetailsForm(request.POST, subscription=subscription_of(organization))
    if form.is_valid():
        try:
            services.change_details(actor=actor_of(request), organization=organization, **form.cleaned_data)
        except Invalid as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("Saved. New invoices will show these details."))
            return redirect(payment_url(organization))
    return _page(request, organization, form)


@declare(_MANAGE)
@require_POST
@reauthenticated
def pay(request: HttpRequest, entity: str, number: str) -> HttpResponse:
    """Charge an open invoice to the default card now."""
    organization = organization_of(request, entity, _MANAGE)

    def charge() -> str:
        rows = Invoice.objects.filter(subscription__organization=organization, number=number)
        row = visible(actor_of(request), _MANAGE, rows).select_related("subscription").first()
        if row is None:
            raise NotFound(_("This invoice doesn’t exist."))
        services.pay_now(actor=actor_of(request), invoice=row)
        return _("Invoice %(number)s is being charged. You’ll get an email with the result.") % {
            "number": row.number
        }

    return answer(request, charge, payment_url(organization))
