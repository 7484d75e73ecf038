"""The page of an organization's API keys."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.routes import declare
from access.web.requests import actor_of
from accounts.models import UserKind
from common.formats.numbers import parse_int
from common.web.responses import fragment
from teams.access import OrganizationAction
from teams.organizations.key_policy import keys_beyond_policy
from teams.organizations.keys import KeyFilter, filtered_keys, keys_of_organization, revoke_keys
from teams.views.base import organization_of

_PAGE = 50


@declare(OrganizationAction.MANAGE_MEMBERS)
@never_cache
@require_GET
def keys(request: HttpRequest, entity: str) -> HttpResponse:
    """List the keys of members and service accounts: search, whose, which the policy would refuse."""
    organization = organization_of(request, entity, OrganizationAction.MANAGE_MEMBERS)
    wanted = KeyFilter.of(request.GET.dict())
    rows = keys_of_organization(actor_of(request), organization)
    page = Paginator(filtered_keys(rows, organization, wanted), _PAGE).get_page(request.GET.get("page"))
    shown = [key.pk for key in page]
    context = {
        "organization": organization,
        "wanted": wanted,
        "kinds": UserKind.choices,
        "page": page,
        "any": bool(shown) or rows.exists(),
        "beyond": set(keys_beyond_policy(organization).filter(pk__in=shown).values_list("pk", flat=True)),
    }
    return render(request, fragment(request, "teams/organizations/keys.html", "list"), context)


@declare(OrganizationAction.MANAGE_MEMBERS)
@require_POST
def keys_revoke(request: HttpRequest, entity: str) -> HttpResponse:
    """Revoke the keys named by ``key``, repeated."""
    organization = organization_of(request, entity, OrganizationAction.MANAGE_MEMBERS)
    numbers = [number for text in request.POST.getlist("key") if (number := parse_int(text))][:_PAGE]
    gone = revoke_keys(actor=actor_of(request), organization=organization, numbers=numbers)
    if gone:
        message = ngettext("%(count)d key revoked.", "%(count)d keys revoked.", len(gone))
        messages.success(request, message % {"count": len(gone)})
    return redirect("teams:organization_keys", organization.name)
