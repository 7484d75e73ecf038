"""Pages of destinations (ALR-4, ALR-7), of a team and of a person: the same pages in two scopes."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.actor import Actor
from access.web.requests import actor_of
from alerts.access import AlertAction
from alerts.destinations import services, slack
from alerts.destinations.forms import SlackForm, WebhookForm
from alerts.destinations.selectors import managed_destinations, messages_to
from alerts.models import Destination
from alerts.payloads.presets import PRESETS, names_used_by
from alerts.payloads.templating import VARIABLES, check_template, fill, is_variable, names_in, samples
from alerts.secrets.services import SecretsWithheld, known_secret_names
from alerts.transports import SendResult
from alerts.transports.masking import HIDDEN
from alerts.views.scope import page_context, team_in
from common.errors import Conflict, DomainError, Forbidden, Invalid, NotFound
from teams.scope import PageScope, scoped_by
from teams.views.base import answer

_MANAGE = AlertAction.MANAGE


def _destination(request: HttpRequest, scope: PageScope, pk: int) -> Destination:
    row = managed_destinations(actor_of(request)).filter(team=team_in(scope), pk=pk).first()
    if row is None:
        raise NotFound(_("This destination doesn’t exist."))
    return row


@never_cache
@require_http_methods(["GET"])
@scoped_by(_MANAGE)
def destination_list(request: HttpRequest, scope: PageScope) -> HttpResponse:
    """List destinations and what was sent to them last."""
    actor = actor_of(request)
    rows = list(managed_destinations(actor).filter(team=team_in(scope)))
    context = {
        **page_context(scope, "destinations"),
        **_urls_to_add(scope),
        "destinations": [(row, scope.url("destination", row.pk)) for row in rows],
        "history": messages_to(actor, team_in(scope)),
        "shows_destination": True,
    }
    return render(request, "alerts/destinations/list.html", context)


def _urls_to_add(scope: PageScope) -> dict[str, Any]:
    """Return how destinations are added."""
    connect = scope.url("slack_connect") if slack.is_available() else ""
    return {
        "connect_url": connect,
        "new_slack_url": scope.url("destination_new", "slack"),
        "new_webhook_url": scope.url("destination_new", "webhook"),
    }


@never_cache
@require_http_methods(["GET", "POST"])
@scoped_by(_MANAGE)
def new(request: HttpRequest, scope: PageScope, kind: str) -> HttpResponse:
    """Show the services to choose from, then the form; a POST adds the destination and leads to its page."""
    if kind == "webhook" and request.method == "GET" and request.GET.get("preset") not in PRESETS:
        presets = [(f"{request.path}?preset={key}", preset) for key, preset in PRESETS.items()]
        context = {**page_context(scope, "destinations"), **_urls_to_add(scope), "presets": presets}
        return render(request, "alerts/destinations/choose.html", context)
    form = _form(request, scope, kind=kind)
    if request.method == "POST" and form.is_valid():
        try:
            destination = _create(request, scope, form)
        except SecretsWithheld as error:
            form.add_error(None, error.message)
        except Forbidden:
            raise
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(
                request, _("%(name)s added. Send a test to check that it arrives.") % {"name": destination}
            )
            return redirect(scope.url("destination", destination.pk))
    preset = PRESETS.get(str(form["preset"].value()), PRESETS[""]) if kind == "webhook" else None
    context = {
        **page_context(scope, "destinations"),
        **_urls_to_add(scope),
        **_editor(actor_of(request), scope, form),
        "preset": preset,
    }
    return render(request, "alerts/destinations/new.html", context, status=422 if form.errors else 200)


def _form(
    request: HttpRequest, scope: PageScope, *, kind: str, destination: Destination | None = None
) -> SlackForm | WebhookForm:
    data, known = (
        request.POST if request.method == "POST" else None,
        known_secret_names(actor_of(request), team_in(scope)),
    )
    if kind == "slack":
        return SlackForm(data, team=team_in(scope), destination=destination)
    preset = str(request.POST.get("preset") or request.GET.get("preset") or "")
    preset = preset if preset in PRESETS else ""
    return WebhookForm(data, team=team_in(scope), destination=destination, preset=preset, secret_names=known)


def _create(request: HttpRequest, scope: PageScope, form: SlackForm | WebhookForm) -> Destination:
    given: dict[str, Any] = {"actor": actor_of(request), "team": team_in(scope), **form.cleaned_data}
    if isinstance(form, SlackForm):
        return services.create_slack_webhook(**given)
    return services.create_webhook(**given)


def _editor(actor: Actor, scope: PageScope, form: SlackForm | WebhookForm) -> dict[str, Any]:
    """Return what the editor of a payload shows beside it."""
    if isinstance(form, SlackForm):
        return {"form": form}
    groups: dict[str, list[tuple[str, Any]]] = {}
    for name, variable in VARIABLES.items():
        groups.setdefault(variable.group, []).append((f"${{{name}}}", variable.help))
    known = known_secret_names(actor, team_in(scope))
    titles = {
        "message": _("Message"), "event": _("Event"), "run": _("Run"), "artifact": _("Artifact"), "sweep": _("Sweep"),
    }  # fmt: skip
    return {
        "form": form,
        "check_url": scope.url("payload_check"),
        "variables": [(group, titles[group], entries) for group, entries in groups.items()],
        "secret_names": [f"${{{name}}}" for name in known or ()],
        **_checked(known, str(form["template"].value() or "")),
    }


def _checked(secret_names: list[str] | None, template: str) -> dict[str, Any]:
    """Return the payload with samples in place of its variables, or why it is none."""
    try:
        check_template(template, secret_names=secret_names)
        secrets = [name for name in names_in(template) if not is_variable(name)]
        payload = fill(template, {**samples(), **dict.fromkeys(secrets, HIDDEN)})
    except Invalid as error:
        return {"payload_error": error.message}
    return {"payload": payload, "payload_bytes": len(payload.encode())}


@require_POST
@scoped_by(_MANAGE)
def check_payload(request: HttpRequest, scope: PageScope) -> HttpResponse:
    """Say what is wrong with a payload, or how it would be sent, while it is written."""
    template = request.POST.get("template", "")
    preset = PRESETS.get(request.POST.get("preset", ""), PRESETS[""])
    context = _checked(
        known_secret_names(actor_of(request), team_in(scope)),
        template if template.strip() else preset.template,
    )
    return render(request, "alerts/destinations/payload_check.html", context)


def _page(
    request: HttpRequest,
    scope: PageScope,
    row: Destination,
    *,
    form: SlackForm | WebhookForm | None = None,
    result: SendResult | None = None,
) -> HttpResponse:
    kind = "slack" if row.is_slack else "webhook"
    if form is None:
        form = (
            SlackForm(team=team_in(scope), destination=row)
            if kind == "slack"
            else _unbound(actor_of(request), scope, row)
        )
    uses_secrets = sorted(name for name in names_used_by(row) if not is_variable(name))
    context = {
        **page_context(scope, "destinations"),
        **_urls_to_add(scope),
        **_editor(actor_of(request), scope, form),
        "destination": row,
        "preset": PRESETS.get(row.preset) if kind == "webhook" else None,
        "result": result,
        "uses_secrets": uses_secrets,
        "act_url": scope.url("destination_act", row.pk),
        "history": messages_to(actor_of(request), team_in(scope), row),
    }
    return render(request, "alerts/destinations/detail.html", context, status=422 if form.errors else 200)


def _unbound(actor: Actor, scope: PageScope, row: Destination) -> WebhookForm:
    return WebhookForm(
        team=team_in(scope), destination=row, secret_names=known_secret_names(actor, team_in(scope))
    )


@never_cache
@require_http_methods(["GET", "POST"])
@scoped_by(_MANAGE)
def detail(request: HttpRequest, scope: PageScope, pk: int) -> HttpResponse:
    """Show one; a POST changes it."""
    row = _destination(request, scope, pk)
    if request.method != "POST":
        return _page(request, scope, row)
    form = _form(request, scope, kind="slack" if row.is_slack else "webhook", destination=row)
    if form.is_valid():
        try:
            services.change_destination(actor=actor_of(request), destination=row, **form.cleaned_data)
        except SecretsWithheld as error:
            form.add_error(None, error.message)
        except Forbidden:
            raise
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("Saved."))
            return redirect(scope.url("destination", row.pk))
    return _page(request, scope, row, form=form)


@never_cache
@require_POST
@scoped_by(_MANAGE)
def perform(request: HttpRequest, scope: PageScope, pk: int) -> HttpResponse:
    """Send a test, switch on or off, or delete, as the button ``act`` says."""
    row, actor = _destination(request, scope, pk), actor_of(request)
    if request.POST.get("act") == "test":
        result = services.test_destination(actor=actor, destination=row)
        return _page(request, scope, _destination(request, scope, pk), result=result)

    def switch() -> str:
        is_on = request.POST.get("act") == "on"
        services.change_destination(actor=actor, destination=row, is_on=is_on)
        return (_("%(name)s turned on.") if is_on else _("%(name)s turned off.")) % {"name": row}

    def delete() -> str:
        services.delete_destination(actor=actor, destination=row)
        return _("%(name)s deleted.") % {"name": row}

    actions: dict[str, Callable[[], str]] = {"on": switch, "off": switch, "delete": delete}
    action = actions.get(request.POST.get("act", ""))
    back = scope.url("destination", pk)
    if action is None:
        return redirect(back)
    return answer(request, action, scope.url("destinations") if action is delete else back)


@never_cache
@require_http_methods(["GET"])
@scoped_by(_MANAGE)
def connect(request: HttpRequest, scope: PageScope) -> HttpResponse:
    """Lead to Slack's page where a channel is chosen."""
    from alerts.views.slack import callback_url

    try:
        url = slack.install_url(actor=actor_of(request), team=team_in(scope), redirect=callback_url())
    except Conflict as error:
        messages.error(request, error.message)
        return redirect(scope.url("destinations"))
    return redirect(url)
