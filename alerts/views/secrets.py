"""Pages of the secrets that webhooks use (ALR-7), of a team and of a person."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from access.web.requests import actor_of
from alerts.access import AlertAction
from alerts.models import Secret
from alerts.secrets import services
from alerts.secrets.forms import SecretForm
from alerts.secrets.selectors import managed_secrets, secret_usages
from alerts.views.scope import page_context, team_in
from common.errors import DomainError, Forbidden, NotFound
from teams.scope import PageScope, scoped_by
from teams.views.base import answer

_MANAGE = AlertAction.MANAGE_SECRETS


@never_cache
@sensitive_post_parameters("value")
@require_http_methods(["GET", "POST"])
@scoped_by(_MANAGE)
def secret_list(request: HttpRequest, scope: PageScope) -> HttpResponse:
    """List secrets by name; a POST stores a new one."""
    form = SecretForm(request.POST or None, team=team_in(scope))
    if request.method == "POST" and form.is_valid():
        try:
            secret = services.store_secret(actor=actor_of(request), team=team_in(scope), **form.cleaned_data)
        except Forbidden:
            raise
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("%(name)s stored.") % {"name": secret.name})
            return redirect(scope.url("secrets"))
    rows = secret_usages(actor_of(request), team_in(scope))
    context = {
        **page_context(scope, "secrets"),
        "form": form,
        "rows": [(usage, scope.url("secret_act", usage.secret.pk)) for usage in rows],
    }
    return render(request, "alerts/secrets/list.html", context, status=422 if form.errors else 200)


@sensitive_post_parameters("value")
@require_POST
@scoped_by(_MANAGE)
def perform(request: HttpRequest, scope: PageScope, pk: int) -> HttpResponse:
    """Replace a value or delete a secret, as the button ``act`` says."""
    actor = actor_of(request)
    row: Secret | None = managed_secrets(actor).filter(team=team_in(scope), pk=pk).first()
    if row is None:
        raise NotFound(_("This secret doesn’t exist."))
    secret = row

    def replace() -> str:
        value = request.POST.get("value", "")
        services.store_secret(actor=actor, team=team_in(scope), name=secret.name, value=value)
        return _("%(name)s updated.") % {"name": secret.name}

    def delete() -> str:
        services.delete_secret(actor=actor, secret=secret)
        return _("%(name)s deleted.") % {"name": secret.name}

    actions: dict[str, Callable[[], str]] = {"replace": replace, "delete": delete}
    action = actions.get(request.POST.get("act", ""))
    return answer(request, action, scope.url("secrets")) if action else redirect(scope.url("secrets"))
