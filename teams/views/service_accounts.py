"""Pages of service accounts (TEAM-30), of a team and of an organization: the same pages at two places."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.routes import declare
from access.web.requests import actor_of
from accounts.api_keys.forms import ApiKeyForm
from accounts.models import ApiKey
from accounts.sign_in.reauthentication import reauthenticated
from common.errors import DomainError, Forbidden, NotFound
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, ServiceAccount, Team
from teams.policy.features import has_feature
from teams.service_accounts import keys
from teams.service_accounts import services as service_accounts
from teams.service_accounts.forms import ServiceAccountForm
from teams.views.base import answer, number_in, organization_of, team_of

OVERLAPS = (0, 1, 24, 168)
"""Hours for which the old key goes on, as the page offers them."""


@dataclass(frozen=True, slots=True)
class Place:
    """Whose service accounts a page shows: a team's or an organization's."""

    organization: Organization
    team: Team | None
    start: str
    """What the names of its routes begin with."""

    @property
    def name(self) -> str:
        """What addresses call it."""
        return (self.team or self.organization).name

    @property
    def context(self) -> dict[str, Any]:
        """What its frame and templates need."""
        frame = "settings/team.html" if self.team else "settings/organization.html"
        rows = {"team": self.team} if self.team else {"organization": self.organization}
        return {**rows, "frame": frame, "place": self, "section_route": f"{self.start}service_accounts"}

    def url(self, route: str, *args: Any) -> str:
        """Return the path of one of its pages."""
        return reverse(f"{self.start}service_account{route}", args=[self.name, *args])

    @property
    def list_url(self) -> str:
        """The list's path."""
        return self.url("s")


def _place_of_team(request: HttpRequest, entity: str) -> Place:
    team = team_of(request, entity, TeamAction.MANAGE_SERVICE_ACCOUNTS)
    assert team.organization is not None  # noqa: S101 - shared teams have one
    return Place(team.organization, team, "teams:")


def _place_of_organization(request: HttpRequest, entity: str) -> Place:
    row = organization_of(request, entity, OrganizationAction.MANAGE_MEMBERS)
    return Place(row, None, "teams:organization_")


def _account(request: HttpRequest, place: Place, pk: int) -> ServiceAccount:
    rows = service_accounts.managed_accounts(actor_of(request))
    mine = rows.filter(team=place.team) if place.team else rows.filter(organization=place.organization)
    row = mine.filter(pk=pk).first()
    if row is None:
        raise NotFound(_("This service account doesn’t exist."))
    return row


def _list(request: HttpRequest, place: Place) -> HttpResponse:
    """List accounts with their keys; a POST makes an account and leads to its page."""
    form = ServiceAccountForm(request.POST or None, organization=place.organization, team=place.team)
    if request.method == "POST" and form.is_valid():
        whose: dict[str, Any] = {"team": place.team} if place.team else {"organization": place.organization}
        try:
            made = service_accounts.create_service_account(
                actor=actor_of(request), **whose, **form.cleaned_data
            )
        except Forbidden:
            raise
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("%(account)s created. It needs a key now.") % {"account": made})
            return redirect(place.url("", made.pk))
    rows = service_accounts.managed_accounts(actor_of(request)).prefetch_related(
        Prefetch("user__api_keys", ApiKey.objects.order_by("-pk"))
    )
    mine = rows.filter(team=place.team) if place.team else rows.filter(organization=place.organization)
    accounts = [(row, place.url("", row.pk)) for row in mine.order_by("label", "pk")]
    context = {
        **place.context, "form": form, "accounts": accounts,
        "has_feature": has_feature(place.organization, "service_accounts"), "plan_organization": place.organization,
    }  # fmt: skip
    status = 422 if form.errors else 200
    return render(request, "teams/service_accounts/list.html", context, status=status)


def _page(
    request: HttpRequest,
    place: Place,
    account: ServiceAccount,
    *,
    form: ServiceAccountForm | None = None,
    key_form: ApiKeyForm | None = None,
    new_key: str = "",
) -> HttpResponse:
    whose: dict[str, Any] = {"organization": place.organization, "team": place.team, "account": account}
    forms = [given for given in (form, key_form) if given is not None and given.errors]
    context = {
        **place.context,
        "account": account,
        "form": form or ServiceAccountForm(**whose),
        "key_form": key_form or ApiKeyForm(auto_id="key_%s", initial={"reach": "log"}),
        "new_key": new_key,
        "keys": list(ApiKey.objects.filter(user=account.user_id)),
        "overlaps": OVERLAPS,
        "key_url": place.url("_key", account.pk),
        "act_url": place.url("_act", account.pk),
    }
    return render(request, "teams/service_accounts/detail.html", context, status=422 if forms else 200)


def _show(request: HttpRequest, place: Place, pk: int) -> HttpResponse:
    """Show one account; a POST changes what it is called and may."""
    account = _account(request, place, pk)
    if request.method != "POST":
        return _page(request, place, account)
    form = ServiceAccountForm(request.POST, organization=place.organization, team=place.team, account=account)
    if form.is_valid():
        no_default = place.team is None and form.cleaned_data["default_team"] is None
        try:
            service_accounts.change_service_account(
                actor=actor_of(request), account=account, no_default_team=no_default, **form.cleaned_data
            )
        except Forbidden:
            raise
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("Saved."))
            return redirect(place.url("", account.pk))
    return _page(request, place, _account(request, place, pk), form=form)


def _keys(request: HttpRequest, place: Place, pk: int) -> HttpResponse:
    """Make a key, or rotate the one named by ``rotate``; the secret is shown this once."""
    account, actor = _account(request, place, pk), actor_of(request)
    if number_in(request, "rotate"):
        return _rotate(request, place, account)
    form = ApiKeyForm(request.POST, auto_id="key_%s")
    if form.is_valid():
        try:
            _key, secret = keys.create_key(
                actor=actor, account=account, label=form.cleaned_data["label"],
                expires_at=form.expires_at(), scopes=form.scopes(),
            )  # fmt: skip
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            return _page(request, place, account, new_key=secret)
    return _page(request, place, account, key_form=form)


def _key_named(account: ServiceAccount, number: int) -> ApiKey:
    key = ApiKey.objects.select_related("user").filter(user=account.user_id, pk=number).first()
    if key is None:
        raise NotFound(_("The key was already deleted."))
    return key


def _rotate(request: HttpRequest, place: Place, account: ServiceAccount) -> HttpResponse:
    hours = number_in(request, "overlap")
    try:
        _key, secret = keys.rotate_key(
            actor=actor_of(request), account=account, overlap_hours=hours,
            key=_key_named(account, number_in(request, "rotate")),
        )  # fmt: skip
    except Forbidden:
        raise
    except DomainError as error:
        messages.error(request, error.message)
        return redirect(place.url("", account.pk))
    return _page(request, place, account, new_key=secret)


def _act(request: HttpRequest, place: Place, pk: int) -> HttpResponse:
    """Revoke a key, deactivate, reactivate or delete the account, as the button ``act`` says."""
    account, actor = _account(request, place, pk), actor_of(request)
    back = place.url("", pk)

    def revoke() -> str:
        key = _key_named(account, number_in(request, "key"))
        keys.revoke_key(actor=actor, account=account, key=key)
        return _("Key %(name)s revoked.") % {"name": key.shown_name}

    def switch() -> str:
        is_active = request.POST.get("act") == "reactivate"
        service_accounts.set_service_account_active(actor=actor, account=account, is_active=is_active)
        told = _("%(account)s reactivated.") if is_active else _("%(account)s deactivated.")
        return told % {"account": account}

    def delete() -> str:
        service_accounts.delete_service_account(actor=actor, account=account)
        return _("%(account)s deleted. Its runs are kept.") % {"account": account}

    acts: dict[str, Callable[[], str]] = {
        "revoke": revoke, "deactivate": switch, "reactivate": switch, "delete": delete
    }  # fmt: skip
    act = acts.get(request.POST.get("act", ""))
    if act is None:
        return redirect(back)
    return answer(request, act, place.list_url if act is delete else back)


@declare(TeamAction.MANAGE_SERVICE_ACCOUNTS)
@never_cache
@require_http_methods(["GET", "POST"])
def of_team(request: HttpRequest, entity: str) -> HttpResponse:
    """List a team's service accounts, or make one."""
    return _list(request, _place_of_team(request, entity))


@declare(TeamAction.MANAGE_SERVICE_ACCOUNTS)
@never_cache
@require_http_methods(["GET", "POST"])
def one_of_team(request: HttpRequest, entity: str, pk: int) -> HttpResponse:
    """Show or change one of a team."""
    return _show(request, _place_of_team(request, entity), pk)


@declare(TeamAction.MANAGE_SERVICE_ACCOUNTS)
@never_cache
@require_POST
@reauthenticated
def key_of_team(request: HttpRequest, entity: str, pk: int) -> HttpResponse:
    """Make or rotate a key of one of a team."""
    return _keys(request, _place_of_team(request, entity), pk)


@declare(TeamAction.MANAGE_SERVICE_ACCOUNTS)
@require_POST
def act_of_team(request: HttpRequest, entity: str, pk: int) -> HttpResponse:
    """End a key of one of a team, or the account itself."""
    return _act(request, _place_of_team(request, entity), pk)


@declare(OrganizationAction.MANAGE_MEMBERS)
@never_cache
@require_http_methods(["GET", "POST"])
def of_organization(request: HttpRequest, entity: str) -> HttpResponse:
    """List an organization's service accounts, or make one."""
    return _list(request, _place_of_organization(request, entity))


@declare(OrganizationAction.MANAGE_MEMBERS)
@never_cache
@require_http_methods(["GET", "POST"])
def one_of_organization(request: HttpRequest, entity: str, pk: int) -> HttpResponse:
    """Show or change one of an organization."""
    return _show(request, _place_of_organization(request, entity), pk)


@declare(OrganizationAction.MANAGE_MEMBERS)
@never_cache
@require_POST
@reauthenticated
def key_of_organization(request: HttpRequest, entity: str, pk: int) -> HttpResponse:
    """Make or rotate a key of one of an organization."""
    return _keys(request, _place_of_organization(request, entity), pk)


@declare(OrganizationAction.MANAGE_MEMBERS)
@require_POST
def act_of_organization(request: HttpRequest, entity: str, pk: int) -> HttpResponse:
    """End a key of one of an organization, or the account itself."""
    return _act(request, _place_of_organization(request, entity), pk)
