"""The API keys of one's own (ACC-40), and the page that ``wandb login`` opens (ACC-41)."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.routes import Open, declare
from access.web.requests import actor_of
from accounts.access import AccountAction
from accounts.api_keys import services
from accounts.api_keys.forms import ApiKeyForm, ReachForm
from accounts.api_keys.scopes import all_scopes, reach_label
from accounts.api_keys.selectors import api_keys_of
from accounts.models import ApiKey
from accounts.operators.impersonation import person_only
from accounts.sign_in.reauthentication import reauthenticated_post
from accounts.views.base import signed_in_user
from common.errors import DomainError, NotFound
from common.formats.numbers import parse_int
from common.web.responses import fragment

_PAGE = 50


def _make_key(request: HttpRequest, initial_label: str) -> tuple[ApiKeyForm, str]:
    """Return the form, and after a good POST the new secret."""
    form = ApiKeyForm(request.POST or None, initial={"label": initial_label})
    if request.method != "POST" or not form.is_valid():
        return form, ""
    try:
        _key, secret = services.create_api_key(
            actor=actor_of(request),
            owner=signed_in_user(request),
            label=form.cleaned_data["label"],
            expires_at=form.expires_at(),
            scopes=form.scopes(),
        )
    except DomainError as refusal:
        form.add_error(None, refusal.message)
        return form, ""
    return ApiKeyForm(initial={"label": initial_label}), secret


def _status(form: ReachForm) -> int:
    return 422 if form.is_bound and form.errors else 200


@declare(Open.SIGNED_IN)
@person_only
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated_post
def api_keys(request: HttpRequest) -> HttpResponse:
    """Settings, section API keys: search, make; the new secret is shown this once."""
    form, new_key = _make_key(request, "")
    keys, text = api_keys_of(actor_of(request)), request.GET.get("q", "").strip()
    found = keys.filter(Q(label__icontains=text) | Q(prefix__startswith=text.removeprefix("ry-")))
    page = Paginator(found, _PAGE).get_page(request.GET.get("page"))
    context = {
        "form": form,
        "new_key": new_key,
        "page": page,
        "q": text,
        "any": bool(page or keys.exists()),
        "no_new_key": services.why_no_new_key(signed_in_user(request)),
    }
    return render(
        request, fragment(request, "accounts/api_keys/list.html", "list"), context, status=_status(form)
    )


@declare(Open.SIGNED_IN)
@person_only
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated_post
def authorize(request: HttpRequest) -> HttpResponse:
    """A key for a terminal: `wandb login` sends people here."""
    form, new_key = _make_key(request, _("Terminal"))
    context = {
        "form": form,
        "new_key": new_key,
        "key_count": api_keys_of(actor_of(request)).count(),
        "no_new_key": services.why_no_new_key(signed_in_user(request)),
    }
    return render(request, "accounts/api_keys/authorize.html", context, status=_status(form))


def _key_of(request: HttpRequest, pk: int) -> ApiKey:
    key = api_keys_of(actor_of(request)).filter(pk=pk).first()
    if key is None:
        raise NotFound(_("You don’t have this API key."))
    return key


@declare(AccountAction.RENAME_KEY)
@person_only
@never_cache
@require_http_methods(["GET", "POST"])
def api_key(request: HttpRequest, pk: int) -> HttpResponse:
    """One key: what is known of it, another name, its end."""
    key = _key_of(request, pk)
    if request.method == "POST":
        services.rename_api_key(actor=actor_of(request), key=key, label=request.POST.get("label", ""))
        messages.success(request, _("Key renamed to “%(name)s”.") % {"name": key.shown_name})
        return redirect("accounts:api_keys")
    return _key_page(request, key, _limits_of(key))


def _limits_of(key: ApiKey, data: Any = None) -> ReachForm:
    return ReachForm(data, within=key.scopes or all_scopes())


def _key_page(request: HttpRequest, key: ApiKey, limits: ReachForm) -> HttpResponse:
    context = {
        "key": key,
        "reach": reach_label(key.scopes),
        "limits": limits,
        "section_route": "accounts:api_keys",
    }
    return render(request, "accounts/api_keys/detail.html", context, status=_status(limits))


@declare(AccountAction.LIMIT_KEY)
@person_only
@never_cache
@require_POST
def api_key_limit(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a key do less."""
    key = _key_of(request, pk)
    form = _limits_of(key, request.POST)
    if not form.is_valid():
        return _key_page(request, key, form)
    services.limit_api_key(actor=actor_of(request), key=key, scopes=form.scopes() or ())
    messages.success(request, _("Key restricted."))
    return redirect("accounts:api_key", key.pk)


@declare(Open.SIGNED_IN)  # each key is asked for
@person_only
@require_POST
def api_keys_delete(request: HttpRequest) -> HttpResponse:
    """Revoke the keys named by ``key``, repeated; ones that are gone already are no error."""
    actor = actor_of(request)
    chosen_keys = [pk for text in request.POST.getlist("key") if (pk := parse_int(text))][: services.MAX_KEYS]
    chosen = list(api_keys_of(actor).filter(pk__in=chosen_keys).select_related("user"))
    services.delete_api_keys(actor=actor, keys=chosen)
    if chosen:
        message = ngettext("%(count)d key deleted.", "%(count)d keys deleted.", len(chosen))
        messages.success(request, message % {"count": len(chosen)})
    return redirect("accounts:api_keys")
