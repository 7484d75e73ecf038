"""Manage roles: who of an organization's admins looks after its billing (BIL-9). `{entity}` is its name."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.routes import declare
from access.web.requests import actor_of
from accounts.models import User
from accounts.sign_in.reauthentication import reauthenticated
from billing.billing_admins import services as admins
from billing.billing_admins.selectors import billing_admin_list, people_of
from billing.subscriptions.billed import is_billed_organization
from common.errors import Invalid
from common.web.responses import fragment
from teams.members.people import MemberFilter
from teams.models import Organization
from teams.views.base import answer, number_in, organization_of
from usage.access import BillingAction
from usage.views.frame import frame_context


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def roles(request: HttpRequest, entity: str) -> HttpResponse:
    """Search the organization's people, and see and choose who of its admins is a billing admin."""
    organization = organization_of(request, entity, BillingAction.VIEW)
    wanted = MemberFilter.of(request.GET.dict())
    context = {
        **frame_context(organization, "roles"),
        "wanted": wanted,
        "people": people_of(organization, wanted),
        "admins": billing_admin_list(actor_of(request), organization),
    }
    return render(request, fragment(request, "billing/billing_admins/roles.html", "list"), context)


def _page(organization: Organization) -> str:
    return reverse("billing:roles", args=[organization.name])


def _user(request: HttpRequest) -> User:
    row = User.objects.filter(pk=number_in(request, "user")).first()
    if row is None:
        raise Invalid(_("They are no longer in the organization."))
    return row


@declare(BillingAction.ASSIGN)
@require_POST
@reauthenticated
def assign(request: HttpRequest, entity: str) -> HttpResponse:
    """Make an admin the billing admin, or one of them."""
    organization = organization_of(request, entity, BillingAction.ASSIGN)

    def act() -> str:
        user = _user(request)
        lost = admins.assign_billing_admin(actor=actor_of(request), organization=organization, user=user)
        names = {"who": user, "organization": organization, "lost": ", ".join(map(str, lost))}
        return _assigned(is_billed=is_billed_organization(organization), is_moved=bool(lost)) % names

    return answer(request, act, _page(organization))


def _assigned(*, is_billed: bool, is_moved: bool) -> str:
    if is_billed and is_moved:
        return _("%(who)s is now the billing admin of %(organization)s, instead of %(lost)s.")
    if is_billed:
        return _("%(who)s is now a billing admin of %(organization)s.")
    if is_moved:
        return _("%(who)s is now the usage admin of %(organization)s, instead of %(lost)s.")
    return _("%(who)s is now a usage admin of %(organization)s.")


@declare(BillingAction.ASSIGN)
@require_POST
@reauthenticated
def withdraw(request: HttpRequest, entity: str) -> HttpResponse:
    """Take the role from one of several billing admins."""
    organization = organization_of(request, entity, BillingAction.ASSIGN)

    def act() -> str:
        user = _user(request)
        admins.withdraw_billing_admin(actor=actor_of(request), organization=organization, user=user)
        names = {"who": user, "organization": organization}
        if is_billed_organization(organization):
            return _("%(who)s is no longer a billing admin of %(organization)s.") % names
        return _("%(who)s is no longer a usage admin of %(organization)s.") % names

    return answer(request, act, _page(organization))
