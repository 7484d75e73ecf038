"""Pages of service accounts (TEAM-30), of a team and of an organization: the same pages."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.web.requests import actor_of
from accounts.api_keys.forms import ApiKeyForm
from accounts.models import ApiKey
from accounts.sign_in.reauthentication import reauthenticated
from common.errors import DomainError, Forbidden, NotFound
from teams.models import Organization, ServiceAccount
from teams.plan_policy import has_feature
from teams.scope import PageScope, scoped
from teams.service_accounts import keys
from teams.service_accounts import services as service_accounts
from teams.service_accounts.forms import ServiceAccountForm
from teams.views.base import answer, number_in

OVERLAPS = (0, 1, 24, 168)
"""Hours for which the old key goes on, as the page offers them."""


def _owner(scope: PageScope) -> Organization:
    """Return the organization whose plan counts."""
    assert scope.organization is not None  # noqa: S101 - personal entities have no such pages
    return scope.organization


def _account(request: HttpRequest, scope: PageScope, pk: int) -> ServiceAccount:
    rows = service_accounts.managed_accounts(actor_of(request))
    mine = rows.filter(team=scope.team) if scope.team else rows.filter(organization=scope.organization)
    row = mine.filter(pk=pk).first()
    if row is None:
        raise NotFound(_("This service account doesn’t exist."))
    return row


@never_cache
@require_http_methods(["GET", "POST"])
@scoped
def account_list(request: HttpRequest, scope: PageScope) -> HttpResponse:
    """List accounts with their keys; a POST makes an account and leads to its page."""
    form = ServiceAccountForm(request.POST or None, organization=_owner(scope), team=scope.team)
    if request.method == "POST" and form.is_valid():
        whose: dict[str, Any] = {"team": scope.team} if scope.team else {"organization": scope.organization}
        try:
            account = service_accounts.create_service_account(
                actor=actor_of(request), **whose, **form.cleaned_data
            )
        except Forbidden:
            raise
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("%(account)s created. It needs a key now.") % {"account": account})
            return redirect(scope.url("service_account", account.pk))
    rows = service_accounts.managed_accounts(actor_of(request)).prefetch_related(
        Prefetch("user__api_keys", ApiKey.objects.order_by("-pk"))
    )
    mine = rows.filter(team=scope.team) if scope.team else rows.filter(organization=scope.organization)
    accounts = [(row, scope.url("service_account", row.pk)) for row in mine.order_by("label", "pk")]
    context = {
        **scope.context("service_accounts"), "form": form, "accounts": accounts,
        "has_feature": has_feature(_owner(scope), "service_accounts"), "plan_organization": _owner(scope),
    }  # fmt: skip
    status = 422 if form.errors else 200
    return render(request, "teams/service_accounts/list.html", context, status=status)


def _page(
    request: HttpRequest,
    scope: PageScope,
    account: ServiceAccount,
    *,
    form: ServiceAccountForm | None = None,
    key_form: ApiKeyForm | None = None,
    new_key: str = "",
) -> HttpResponse:
    whose: dict[str, Any] = {"organization": _owner(scope), "team": scope.team, "account": account}
    forms = [given for given in (form, key_form) if given is not None and given.errors]
    context = {
        **scope.context("service_accounts"),
        "account": account,
        "form": form or ServiceAccountForm(**whose),
        "key_form": key_form or ApiKeyForm(auto_id="key_%s", initial={"reach": "log"}),
        "new_key": new_key,
        "keys": list(ApiKey.objects.filter(user=account.user_id)),
        "overlaps": OVERLAPS,
        "list_url": scope.url("service_accounts"),
        "key_url": scope.url("service_account_key", account.pk),
        "act_url": scope.url("service_account_act", account.pk),
    }
    return render(request, "teams/service_accounts/detail.html", context, status=422 if forms else 200)


@never_cache
@require_http_methods(["GET", "POST"])
@scoped
def account_detail(request: HttpRequest, scope: PageScope, pk: int) -> HttpResponse:
    """Show one account; a POST changes what it is called and may."""
    account = _account(request, scope, pk)
    if request.method != "POST":
        return _page(request, scope, account)
    form = ServiceAccountForm(request.POST, organization=_owner(scope), team=scope.team, account=account)
    if form.is_valid():
        no_default = scope.team is None and form.cleaned_data["default_team"] is None
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
            return redirect(scope.url("service_account", account.pk))
    return _page(request, scope, _account(request, scope, pk), form=form)


@never_cache
@require_POST
@reauthenticated
@scoped
def create_key(request: HttpRequest, scope: PageScope, pk: int) -> HttpResponse:
    """Make a key, or rotate the one named by ``rotate``; the secret is shown this once."""
    account, actor = _account(request, scope, pk), actor_of(request)
    if number_in(request, "rotate"):
        return _rotate(request, scope, account)
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
            return _page(request, scope, account, new_key=secret)
    return _page(request, scope, account, key_form=form)


def _key_named(account: ServiceAccount, number: int) -> ApiKey:
    key = ApiKey.objects.select_related("user").filter(user=account.user_id, pk=number).first()
    if key is None:
        raise NotFound(_("The key was already deleted."))
    return key


def _rotate(request: HttpRequest, scope: PageScope, account: ServiceAccount) -> HttpResponse:
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
        return redirect(scope.url("service_account", account.pk))
    return _page(request, scope, account, new_key=secret)


@require_POST
@scoped
def change_account(request: HttpRequest, scope: PageScope, pk: int) -> HttpResponse:
    """Revoke a key, deactivate, reactivate or delete the account, as the button ``act`` says."""
    account, actor = _account(request, scope, pk), actor_of(request)
    back = scope.url("service_account", pk)

    def revoke() -> str:
        key = _key_named(account, number_in(request, "key"))
        keys.revoke_key(actor=actor, account=account, key=key)
        return _("Key %(name)s revoked.") % {"name": key.shown_name}

    def switch() -> str:
        is_active = request.POST.get("act") == "reactivate"
        service_accounts.set_service_account_active(actor=actor, account=account, is_active=is_active)
        message = _("%(account)s reactivated.") if is_active else _("%(account)s deactivated.")
        return message % {"account": account}

    def delete() -> str:
        service_accounts.delete_service_account(actor=actor, account=account)
        return _("%(account)s deleted. Its runs are kept.") % {"account": account}

    acts: dict[str, Callable[[], str]] = {
        "revoke": revoke, "deactivate": switch, "reactivate": switch, "delete": delete
    }  # fmt: skip
    act = acts.get(request.POST.get("act", ""))
    if act is None:
        return redirect(back)
    return answer(request, act, scope.url("service_accounts") if act is delete else back)
