"""The search, the key pages and the page that ``wandb login`` opens."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.routes import Open, declare
from access.web import actor_of
from accounts import services
from accounts.access import AccountAction
from accounts.forms import ApiKeyForm
from accounts.models import ApiKey, User
from accounts.selectors import api_keys_of
from common.errors import NotFound
from common.search import search as find_everywhere


def signed_in_user(request: HttpRequest) -> User:
    """Return the session's user; the route's declaration made sure of one."""
    if not isinstance(request.user, User):
        raise NotFound("Not signed in.")
    return request.user


@declare(Open.ANYONE)  # a stranger finds what is public
@never_cache
@require_GET
def search(request: HttpRequest) -> HttpResponse:
    """Answer the search of every page; a fragment for its dialog, else a page of its own (UI-1)."""
    text = request.GET.get("q", "")
    context = {"found": find_everywhere(actor_of(request), text), "q": text.strip()}
    part = "#hits" if request.headers.get("HX-Request") else ""
    return render(request, f"accounts/search.html{part}", context)


def _key_page(request: HttpRequest, template: str, initial_label: str = "") -> HttpResponse:
    """Show the keys and a form; after a POST also the new secret, once."""
    form = ApiKeyForm(request.POST or None, initial={"label": initial_label})
    new_key = ""
    if request.method == "POST" and form.is_valid():
        _key, new_key = services.create_api_key(
            actor=actor_of(request),
            owner=signed_in_user(request),
            label=form.cleaned_data["label"],
            expires_at=form.expires_at(),
        )
        form = ApiKeyForm(initial={"label": initial_label})
    context = {"form": form, "keys": api_keys_of(actor_of(request)), "new_key": new_key}
    return render(request, template, context, status=422 if form.is_bound and form.errors else 200)


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def api_keys(request: HttpRequest) -> HttpResponse:
    """Settings, section API keys (ACC-40)."""
    return _key_page(request, "accounts/api_keys.html")


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def authorize(request: HttpRequest) -> HttpResponse:
    """A key for a terminal: `wandb login` sends people here (ACC-41)."""
    return _key_page(request, "accounts/authorize.html", initial_label=_("Terminal"))


@declare(AccountAction.DELETE_KEY)
@require_POST
def api_key_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke one key."""
    key = api_keys_of(actor_of(request)).filter(pk=pk).first()
    if not isinstance(key, ApiKey):
        raise NotFound("There is no such API key among yours.")
    services.delete_api_key(actor=actor_of(request), key=key)
    return redirect("accounts:api_keys")
