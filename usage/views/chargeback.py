"""Pages of chargeback: what teams would pay at the organization's own prices."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from access.engine import can
from access.routes import declare
from access.web.requests import actor_of
from common.errors import Invalid
from common.formats.csv_safety import csv_text
from common.web.responses import fragment
from teams.models import Organization
from teams.views.base import organization_of
from usage.access import BillingAction
from usage.chargeback.forms import CURRENCIES, PricesForm
from usage.chargeback.selectors import BY, Chargeback, chargeback, month_from, months_until, prices_of
from usage.chargeback.services import set_prices
from usage.reports.page import PER_PAGE
from usage.reports.sums import teams_of
from usage.reports.usage_totals import metered_at, until_between
from usage.views.frame import frame_context


def _read_chargeback(request: HttpRequest, row: Organization) -> Chargeback:
    month = month_from(request.GET.get("month", ""), timezone.now())
    by = request.GET.get("by", "")
    team_ids = teams_of(row)
    until = until_between(month, metered_at())
    by = by if by in BY else "team"
    return chargeback(actor_of(request), row, team_ids, month=month, until=until, by=by)


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def page(request: HttpRequest, entity: str) -> HttpResponse:
    """Show what teams and projects would pay for a month."""
    row = organization_of(request, entity, BillingAction.VIEW)
    found = _read_chargeback(request, row)
    context = {
        **frame_context(row, "chargeback"),
        "found": found,
        "rows": Paginator(found.rows, PER_PAGE).get_page(request.GET.get("page")),
        "months": months_until(timezone.now()),
        "may_manage": can(actor_of(request), BillingAction.MANAGE, row),
    }
    return render(request, fragment(request, "usage/chargeback/chargeback.html", "chargeback"), context)


@declare(BillingAction.MANAGE)
@never_cache
@require_http_methods(["GET", "POST"])
def prices(request: HttpRequest, entity: str) -> HttpResponse:
    """Change the organization's own prices."""
    row = organization_of(request, entity, BillingAction.MANAGE)
    form = PricesForm(request.POST) if request.method == "POST" else PricesForm.of(prices_of(row))
    if request.method == "POST" and form.is_valid():
        try:
            set_prices(actor=actor_of(request), organization=row, **form.cleaned_data)
        except Invalid as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("Prices saved."))
            return redirect(reverse("usage:chargeback", args=[row.name]))
    context: dict[str, Any] = {**frame_context(row, "chargeback"), "form": form, "currencies": CURRENCIES}
    return render(request, "usage/chargeback/prices.html", context, status=422 if form.errors else 200)


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def as_csv(request: HttpRequest, entity: str) -> HttpResponse:
    """Download a month by team or project as CSV; docs/use/usage.md describes the columns."""
    row = organization_of(request, entity, BillingAction.VIEW)
    found = _read_chargeback(request, row)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"{row.name}-chargeback-{found.month.start:%Y-%m}.csv"
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
    response.write(csv_text(_lines(found)))
    return response


def _lines(found: Chargeback) -> Iterator[list[Any]]:
    yield [
        "month", "team", *(["project", "project_id"] if found.by == "project" else []), "gpu_hours", "gb_months",
        "kwh", "currency", "gpu_cost", "storage_cost", "energy_cost", "cost",
        "host_gpu_hours", "host_kwh",
    ]  # fmt: skip
    for one in found.rows:
        name, cost = one.name, one.cost
        place: list[Any] = [name.text]
        if found.by == "project":
            place = [name.team, name.text if one.pk else "", one.pk or None]
        yield [
            f"{found.month.start:%Y-%m}", *place, f"{cost.gpu_hours:.6f}", f"{cost.gb_months:.6f}",
            f"{cost.kwh:.6f}", found.prices.currency, cost.gpu_cost, cost.storage_cost, cost.energy_cost, cost.total,
            f"{cost.host_gpu_hours:.6f}", f"{cost.host_kwh:.6f}",
        ]  # fmt: skip
