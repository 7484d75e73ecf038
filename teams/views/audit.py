"""Pages of the audit log: of one organization in its settings, of everything for operators."""

from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.actor import Actor
from access.audit.words import groups, kinds
from access.routes import Open, declare
from access.web.requests import actor_of, operator_of
from common.web.responses import fragment
from teams.access import OrganizationAction
from teams.audit.export import export
from teams.audit.log import PAGE, AuditFilter, after, audit_lines, cursor_of, includes_log, matching
from teams.models import Organization, Team
from teams.views.base import organization_of


def _context(actor: Actor, request: HttpRequest, row: Organization | None) -> dict[str, Any]:
    """Read one page; one entry more than it shows tells whether there are older ones."""
    query = request.GET.dict()
    wanted, cursor = AuditFilter.of(query), query.get("before", "")
    entries = list(after(matching(actor, wanted, row), cursor)[: PAGE + 1])
    teams = Team.objects.filter(organization=row) if row else Team.objects.none()
    return {
        "wanted": wanted,
        "lines": audit_lines(actor, entries[:PAGE]),
        "older": cursor_of(entries[PAGE - 1]) if len(entries) > PAGE else "",
        "is_first": not cursor,
        "groups": groups(),
        "kinds": sorted(kinds().items(), key=lambda kind: str(kind[1])),
        "teams": teams.order_by("name").values_list("name", flat=True),
        "audited": row,
    }


@declare(OrganizationAction.VIEW_AUDIT)
@never_cache
@require_GET
def organization(request: HttpRequest, entity: str) -> HttpResponse:
    """Show what was done in an organization, newest first (BIL-11)."""
    row = organization_of(request, entity, OrganizationAction.VIEW_AUDIT)
    if not includes_log(actor_of(request), row):
        return render(request, "teams/audit/organization_off.html", {"organization": row})
    context = _context(actor_of(request), request, row) | {
        "organization": row,
        "export_url": reverse("teams:organization_audit_export", args=[row.name]),
    }
    return render(request, fragment(request, "teams/audit/organization.html", "list"), context)


@declare(OrganizationAction.VIEW_AUDIT)
@never_cache
@require_GET
def organization_export(request: HttpRequest, entity: str) -> StreamingHttpResponse:
    """Download what matches as CSV or JSON lines (`form`)."""
    row = organization_of(request, entity, OrganizationAction.VIEW_AUDIT)
    return _export(actor_of(request), request, row)


@declare(Open.OPERATOR)
@never_cache
@require_GET
def everything(request: HttpRequest) -> HttpResponse:
    """Show operators what was done anywhere, newest first."""
    context = _context(operator_of(request), request, None) | {"export_url": reverse("teams:audit_export")}
    return render(request, fragment(request, "teams/audit/installation.html", "list"), context)


@declare(Open.OPERATOR)
@never_cache
@require_GET
def everything_export(request: HttpRequest) -> StreamingHttpResponse:
    """Download what matches anywhere."""
    return _export(operator_of(request), request, None)


def _export(actor: Actor, request: HttpRequest, row: Organization | None) -> StreamingHttpResponse:
    return export(actor, AuditFilter.of(request.GET.dict()), row, request.GET.get("form", "csv"))
