"""Pages of the secrets that webhooks use (ALR-7), of a team and of a person."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from access.routes import Open, declare
from access.web.requests import actor_of
from alerts.access import AlertAction
from alerts.models import Secret
from alerts.secrets import services
from alerts.secrets.forms import SecretForm
from alerts.secrets.selectors import managed_secrets, secrets_in_use
from alerts.views.scope import Place, own_place, place_of_team
from common.errors import DomainError, Forbidden, NotFound
from teams.views.base import answer

_MANAGE = AlertAction.MANAGE_SECRETS


def _list(request: HttpRequest, place: Place) -> HttpResponse:
    """List secrets by name; a POST stores a new one."""
    form = SecretForm(request.POST or None, team=place.team)
    if request.method == "POST" and form.is_valid():
        try:
            made = services.put_secret(actor=actor_of(request), team=place.team, **form.cleaned_data)
        except Forbidden:
            raise
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("%(name)s stored.") % {"name": made.name})
            return redirect(place.secrets_url)
    rows = secrets_in_use(actor_of(request), place.team)
    context = {
        **place.context("secrets"),
        "form": form,
        "rows": [(used, place.url("secret_act", used.secret.pk)) for used in rows],
    }
    return render(request, "alerts/secrets/list.html", context, status=422 if form.errors else 200)


def _act(request: HttpRequest, place: Place, pk: int) -> HttpResponse:
    """Replace a value or delete a secret, as the button ``act`` says."""
    actor = actor_of(request)
    row: Secret | None = managed_secrets(actor).filter(team=place.team, pk=pk).first()
    if row is None:
        raise NotFound(_("This secret doesn’t exist."))
    secret = row

    def replace() -> str:
        value = request.POST.get("value", "")
        services.put_secret(actor=actor, team=place.team, name=secret.name, value=value)
        return _("%(name)s updated.") % {"name": secret.name}

    def delete() -> str:
        services.delete_secret(actor=actor, secret=secret)
        return _("%(name)s deleted.") % {"name": secret.name}

    acts: dict[str, Callable[[], str]] = {"replace": replace, "delete": delete}
    act = acts.get(request.POST.get("act", ""))
    return answer(request, act, place.secrets_url) if act else redirect(place.secrets_url)


@declare(_MANAGE)
@never_cache
@sensitive_post_parameters("value")
@require_http_methods(["GET", "POST"])
def of_team(request: HttpRequest, entity: str) -> HttpResponse:
    """List a team's secrets, or store one."""
    return _list(request, place_of_team(request, entity, _MANAGE))


@declare(_MANAGE)
@sensitive_post_parameters("value")
@require_POST
def act_of_team(request: HttpRequest, entity: str, pk: int) -> HttpResponse:
    """Replace or delete one of a team."""
    return _act(request, place_of_team(request, entity, _MANAGE), pk)


@declare(Open.SIGNED_IN)
@never_cache
@sensitive_post_parameters("value")
@require_http_methods(["GET", "POST"])
def own(request: HttpRequest) -> HttpResponse:
    """List one's own secrets, or store one."""
    return _list(request, own_place(request, _MANAGE))


@declare(_MANAGE)
@sensitive_post_parameters("value")
@require_POST
def own_act(request: HttpRequest, pk: int) -> HttpResponse:
    """Replace or delete one of one's own."""
    return _act(request, own_place(request, _MANAGE), pk)
