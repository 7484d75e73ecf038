"""Changing plans and bought storage (BIL-8): a summary to read, then a confirmation of exactly that."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.routes import declare
from access.web.requests import actor_of
from accounts.sign_in.reauthentication import reauthenticated_post
from billing.changes import services
from billing.changes.forms import StorageForm
from billing.changes.preview import ChangeKind, ChangeSummary
from billing.gateways import gateway_and_method
from billing.invoices.drafts import CREDIT, EXTRA_STORAGE, PLAN
from billing.models import Plan, Subscription
from billing.subscriptions.selectors import subscription_of
from common.errors import Conflict, Invalid, NotFound
from teams.models import Organization
from teams.views.base import organization_of
from usage.access import BillingAction
from usage.units import ZERO
from usage.views.frame import frame_context

_MANAGE = BillingAction.MANAGE


@dataclass(frozen=True, slots=True)
class Change:
    """One kind of change, as its page shows and does it."""

    organization: Organization
    preview: Callable[[], ChangeSummary]
    apply: Callable[[str], services.ChangeResult]
    """Takes what the summary's form sent back."""
    sends: dict[str, str]
    """What the form and the way back from adding a way to pay carry."""


def _overview(organization: Organization) -> str:
    return reverse("billing:overview", args=[organization.name])


def _show_summary(request: HttpRequest, change: Change, *, status: int = 200) -> HttpResponse:
    """Show the summary of a change, or why there is none."""
    organization = change.organization
    try:
        summary = change.preview()
    except services.NothingToChange as error:
        messages.info(request, error.message)
        return redirect(_overview(organization))
    except (Conflict, Invalid, NotFound) as error:
        messages.error(request, error.message)
        return redirect("billing:plans", organization.name)
    subscription = subscription_of(organization)
    gateway, method = gateway_and_method(subscription)
    here = f"{request.path}?{urlencode(change.sends)}" if change.sends else request.path
    context = {
        **frame_context(organization, "overview"),
        "summary": summary,
        "lines": summary_lines(summary),
        "heading": _heading(summary),
        "sends": change.sends,
        "default": method,
        "by_transfer": not gateway.is_automatic,
        "is_small": ZERO < summary.now_usd < gateway.minimum_usd,
        "replaced": subscription.has_next and summary.is_immediate,
        "add_url": f"{reverse('billing:payment_add', args=[organization.name])}?{urlencode({'next': here})}",
        "back_url": reverse("billing:plans", args=[organization.name])
        if summary.before.plan.pk != summary.after.plan.pk
        else _overview(organization),
    }
    return render(request, "billing/changes/change.html", context, status=status)


def _confirm(request: HttpRequest, change: Change) -> HttpResponse:
    """Do what was confirmed; where it is not what was read, show what it is now."""
    organization = change.organization
    try:
        done = change.apply(request.POST.get("confirm", ""))
    except services.NothingToChange as error:  # such as the second of two clicks
        messages.info(request, error.message)
        return redirect(_overview(organization))
    except (services.OutdatedSummary, services.PaymentMethodNeeded) as error:
        messages.error(request, error.message)
        return _show_summary(request, change, status=error.status)
    except (Conflict, Invalid, NotFound) as error:
        messages.error(request, error.message)
        return redirect("billing:plans", organization.name)
    messages.success(request, _result_message(done))
    return redirect(_overview(organization))


def _result_message(done: services.ChangeResult) -> str:
    """Say what was done, and what happens next."""
    summary = done.summary
    names = {
        "plan": summary.after.plan.name,
        "day": date_format(summary.starts),
        "gb": f"{summary.after.extra_gb:,}",
    }
    message = {
        ChangeKind.UPGRADE: _("Your plan is now %(plan)s."),
        ChangeKind.DOWNGRADE: _("Your plan changes to %(plan)s on %(day)s. You can undo this until then."),
        ChangeKind.SWITCH: _("Your plan changes to %(plan)s on %(day)s. You can undo this until then."),
        ChangeKind.CANCEL: _(
            "Your plan ends with this period and changes to %(plan)s on %(day)s. You can undo this "
            "until then."
        ),
        ChangeKind.MORE_STORAGE: _("You now have %(gb)s GB of extra storage."),
        ChangeKind.LESS_STORAGE: _(
            "From %(day)s, you will have %(gb)s GB of extra storage. You can undo this until then."
        ),
    }[summary.kind] % names
    if done.invoice is None:
        return message
    return f"{message} " + _("Your invoice is %(number)s.") % {"number": done.invoice.number}


def _heading(summary: ChangeSummary) -> str:
    names = {"plan": summary.after.plan.name, "before": summary.before.plan.name}
    return {
        ChangeKind.UPGRADE: _("Upgrade to %(plan)s"),
        ChangeKind.DOWNGRADE: _("Switch to %(plan)s"),
        ChangeKind.SWITCH: _("Switch to %(plan)s"),
        ChangeKind.CANCEL: _("Cancel %(before)s"),
        ChangeKind.MORE_STORAGE: _("Buy storage"),
        ChangeKind.LESS_STORAGE: _("Reduce extra storage"),
    }[summary.kind] % names


def summary_lines(summary: ChangeSummary) -> list[tuple[str, Decimal]]:
    """Return what the invoice will say, in the reader's language, with amounts."""
    names = {"n": summary.days_left, "days": summary.period.days}
    words = {
        CREDIT: _("Unused: %(what)s, %(n)d of %(days)d days"),
        PLAN: _("%(what)s, %(n)d of %(days)d days"),
        EXTRA_STORAGE: _("Extra storage: %(what)s, %(n)d of %(days)d days"),
    }
    return [
        (words[line.draft.category] % {"what": line.what, **names}, line.draft.amount_usd)
        for line in summary.lines
    ]


def _plan_change(request: HttpRequest, organization: Organization, plan: Plan) -> Change:
    given: dict[str, Any] = {"actor": actor_of(request), "organization": organization, "plan": plan}
    return Change(
        organization,
        preview=lambda: services.preview_plan(**given),
        apply=lambda confirm: services.change_plan(**given, confirm=confirm),
        sends={"plan": plan.key},
    )


@declare(_MANAGE)
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated_post
def change(request: HttpRequest, entity: str) -> HttpResponse:
    """Show what going to the plan ``plan`` means; a POST goes there."""
    organization = organization_of(request, entity, _MANAGE)
    given = request.POST if request.method == "POST" else request.GET
    plan = Plan.objects.filter(key=given.get("plan", "")).first()
    if plan is None:
        return redirect("billing:plans", organization.name)
    requested = _plan_change(request, organization, plan)
    return _confirm(request, requested) if request.method == "POST" else _show_summary(request, requested)


@declare(_MANAGE)
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated_post
def storage(request: HttpRequest, entity: str) -> HttpResponse:
    """Ask how much extra storage there is to be, then show what that means; a POST buys it."""
    organization = organization_of(request, entity, _MANAGE)
    subscription = subscription_of(organization)
    query = request.POST if request.method == "POST" else request.GET
    form = StorageForm(query if "gb" in query else None, initial={"gb": subscription.extra_storage_gb})
    if not form.is_valid():
        return _ask_storage(request, organization, subscription, form)
    given: dict[str, Any] = {
        "actor": actor_of(request), "organization": organization, "extra_gb": form.cleaned_data["gb"],
    }  # fmt: skip
    requested = Change(
        organization,
        preview=lambda: services.preview_storage(**given),
        apply=lambda confirm: services.buy_storage(**given, confirm=confirm),
        sends={"gb": str(form.cleaned_data["gb"])},
    )
    return _confirm(request, requested) if request.method == "POST" else _show_summary(request, requested)


def _ask_storage(
    request: HttpRequest, organization: Organization, subscription: Subscription, form: StorageForm
) -> HttpResponse:
    if not subscription.plan.sells_storage:
        names = {"plan": subscription.plan.name}
        messages.error(request, _("The plan %(plan)s does not offer extra storage.") % names)
        return redirect("billing:plans", organization.name)
    context = {
        **frame_context(organization, "overview"),
        "subscription": subscription,
        "form": form,
        "back_url": _overview(organization),
    }
    return render(request, "billing/changes/storage.html", context, status=422 if form.errors else 200)


@declare(_MANAGE)
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated_post
def cancel(request: HttpRequest, entity: str) -> HttpResponse:
    """Show what ending the paid plan means; a POST ends it with the period."""
    organization = organization_of(request, entity, _MANAGE)
    given: dict[str, Any] = {"actor": actor_of(request), "organization": organization}
    requested = Change(
        organization,
        preview=lambda: services.preview_cancel(**given),
        apply=lambda confirm: services.cancel(**given, confirm=confirm),
        sends={},
    )
    return _confirm(request, requested) if request.method == "POST" else _show_summary(request, requested)


@declare(_MANAGE)
@require_POST
def undo(request: HttpRequest, entity: str) -> HttpResponse:
    """Stay on the plan and the storage there are."""
    organization = organization_of(request, entity, _MANAGE)
    try:
        row = services.undo_change(actor=actor_of(request), organization=organization)
    except services.NothingToChange as error:
        messages.info(request, error.message)
    else:
        messages.success(request, _("The plan stays %(plan)s.") % {"plan": row.plan.name})
    return redirect(_overview(organization))
