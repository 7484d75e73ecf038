"""Pages of destinations (ALR-4, ALR-7), of a team and of a person: the same pages at two places."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.actor import Actor
from access.routes import Open, declare
from access.web.requests import actor_of
from alerts.access import AlertAction
from alerts.destinations import services, slack
from alerts.destinations.forms import SlackForm, WebhookForm
from alerts.destinations.selectors import managed_destinations, messages_to
from alerts.models import Destination
from alerts.payloads.presets import PRESETS, names_used_by
from alerts.payloads.templating import VARIABLES, check_template, fill, is_variable, names_in, samples
from alerts.secrets.services import SecretsWithheld, known_to
from alerts.transports import Outcome
from alerts.transports.masking import HIDDEN
from alerts.views.scope import Place, own_place, place_of_team
from common.errors import Conflict, DomainError, Forbidden, Invalid, NotFound
from teams.views.base import answer

_MANAGE = AlertAction.MANAGE


def _destination(request: HttpRequest, place: Place, pk: int) -> Destination:
    row = managed_destinations(actor_of(request)).filter(team=place.team, pk=pk).first()
    if row is None:
        raise NotFound(_("This destination doesn’t exist."))
    return row


def _list(request: HttpRequest, place: Place) -> HttpResponse:
    actor = actor_of(request)
    rows = list(managed_destinations(actor).filter(team=place.team))
    context = {
        **place.context("destinations"),
        **_ways(place),
        "destinations": [(row, place.url("destination", row.pk)) for row in rows],
        "history": messages_to(actor, place.team),
        "shows_destination": True,
    }
    return render(request, "alerts/destinations/list.html", context)


def _ways(place: Place) -> dict[str, Any]:
    """Return how destinations are added."""
    connect = place.url("slack_connect") if slack.is_available() else ""
    return {
        "connect_url": connect,
        "new_slack_url": place.url("destination_new", "slack"),
        "new_webhook_url": place.url("destination_new", "webhook"),
    }


def _new(request: HttpRequest, place: Place, kind: str) -> HttpResponse:
    """Show the services to choose from, then the form; a POST adds the destination and leads to its page."""
    if kind == "webhook" and request.method == "GET" and request.GET.get("preset") not in PRESETS:
        presets = [(f"{request.path}?preset={key}", preset) for key, preset in PRESETS.items()]
        context = {**place.context("destinations"), **_ways(place), "presets": presets}
        return render(request, "alerts/destinations/choose.html", context)
    form = _form(request, place, kind=kind)
    if request.method == "POST" and form.is_valid():
        try:
            made = _create(request, place, form)
        except SecretsWithheld as error:
            form.add_error(None, error.message)
        except Forbidden:
            raise
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(
                request, _("%(name)s added. Send a test to check that it arrives.") % {"name": made}
            )
            return redirect(place.url("destination", made.pk))
    preset = PRESETS.get(str(form["preset"].value()), PRESETS[""]) if kind == "webhook" else None
    context = {
        **place.context("destinations"),
        **_ways(place),
        **_editor(actor_of(request), place, form),
        "preset": preset,
    }
    return render(request, "alerts/destinations/new.html", context, status=422 if form.errors else 200)


def _form(
    request: HttpRequest, place: Place, *, kind: str, destination: Destination | None = None
) -> SlackForm | WebhookForm:
    data, known = request.POST if request.method == "POST" else None, known_to(actor_of(request), place.team)
    if kind == "slack":
        return SlackForm(data, team=place.team, destination=destination)
    preset = str(request.POST.get("preset") or request.GET.get("preset") or "")
    preset = preset if preset in PRESETS else ""
    return WebhookForm(data, team=place.team, destination=destination, preset=preset, secret_names=known)


def _create(request: HttpRequest, place: Place, form: SlackForm | WebhookForm) -> Destination:
    given: dict[str, Any] = {"actor": actor_of(request), "team": place.team, **form.cleaned_data}
    if isinstance(form, SlackForm):
        return services.create_slack_webhook(**given)
    return services.create_webhook(**given)


def _editor(actor: Actor, place: Place, form: SlackForm | WebhookForm) -> dict[str, Any]:
    """Return what the editor of a payload shows beside it."""
    if isinstance(form, SlackForm):
        return {"form": form}
    groups: dict[str, list[tuple[str, Any]]] = {}
    for name, variable in VARIABLES.items():
        groups.setdefault(variable.group, []).append((f"${{{name}}}", variable.help))
    known = known_to(actor, place.team)
    titles = {"message": _("Message"), "event": _("Event"), "run": _("Run"), "artifact": _("Artifact")}
    return {
        "form": form,
        "check_url": place.url("payload_check"),
        "variables": [(titles[group], entries) for group, entries in groups.items()],
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


def _check(request: HttpRequest, place: Place) -> HttpResponse:
    """Say what is wrong with a payload, or how it would be sent, while it is written."""
    template = request.POST.get("template", "")
    preset = PRESETS.get(request.POST.get("preset", ""), PRESETS[""])
    context = _checked(
        known_to(actor_of(request), place.team), template if template.strip() else preset.template
    )
    return render(request, "alerts/destinations/payload_check.html", context)


def _page(
    request: HttpRequest,
    place: Place,
    row: Destination,
    *,
    form: SlackForm | WebhookForm | None = None,
    outcome: Outcome | None = None,
) -> HttpResponse:
    kind = "slack" if row.is_slack else "webhook"
    if form is None:
        form = (
            SlackForm(team=place.team, destination=row)
            if kind == "slack"
            else _unbound(actor_of(request), place, row)
        )
    uses_secrets = sorted(name for name in names_used_by(row) if not is_variable(name))
    context = {
        **place.context("destinations"),
        **_ways(place),
        **_editor(actor_of(request), place, form),
        "destination": row,
        "preset": PRESETS.get(row.preset) if kind == "webhook" else None,
        "outcome": outcome,
        "uses_secrets": uses_secrets,
        "act_url": place.url("destination_act", row.pk),
        "history": messages_to(actor_of(request), place.team, row),
    }
    return render(request, "alerts/destinations/detail.html", context, status=422 if form.errors else 200)


def _unbound(actor: Actor, place: Place, row: Destination) -> WebhookForm:
    return WebhookForm(team=place.team, destination=row, secret_names=known_to(actor, place.team))


def _show(request: HttpRequest, place: Place, pk: int) -> HttpResponse:
    """Show one; a POST changes it."""
    row = _destination(request, place, pk)
    if request.method != "POST":
        return _page(request, place, row)
    form = _form(request, place, kind="slack" if row.is_slack else "webhook", destination=row)
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
            return redirect(place.url("destination", row.pk))
    return _page(request, place, row, form=form)


def _act(request: HttpRequest, place: Place, pk: int) -> HttpResponse:
    """Send a test, switch on or off, or delete, as the button ``act`` says."""
    row, actor = _destination(request, place, pk), actor_of(request)
    if request.POST.get("act") == "test":
        outcome = services.test_destination(actor=actor, destination=row)
        return _page(request, place, _destination(request, place, pk), outcome=outcome)

    def switch() -> str:
        is_on = request.POST.get("act") == "on"
        services.change_destination(actor=actor, destination=row, is_on=is_on)
        return (_("%(name)s turned on.") if is_on else _("%(name)s turned off.")) % {"name": row}

    def delete() -> str:
        services.delete_destination(actor=actor, destination=row)
        return _("%(name)s deleted.") % {"name": row}

    acts: dict[str, Callable[[], str]] = {"on": switch, "off": switch, "delete": delete}
    act = acts.get(request.POST.get("act", ""))
    back = place.url("destination", pk)
    if act is None:
        return redirect(back)
    return answer(request, act, place.destinations_url if act is delete else back)


def _connect(request: HttpRequest, place: Place) -> HttpResponse:
    """Lead to Slack's page where a channel is chosen."""
    from alerts.views.slack import callback_url

    try:
        url = slack.install_url(actor=actor_of(request), team=place.team, redirect=callback_url())
    except Conflict as error:
        messages.error(request, error.message)
        return redirect(place.destinations_url)
    return redirect(url)


@declare(_MANAGE)
@never_cache
@require_http_methods(["GET"])
def of_team(request: HttpRequest, entity: str) -> HttpResponse:
    """List a team's destinations."""
    return _list(request, place_of_team(request, entity, _MANAGE))


@declare(_MANAGE)
@never_cache
@require_http_methods(["GET", "POST"])
def new_of_team(request: HttpRequest, entity: str, kind: str) -> HttpResponse:
    """Add a destination to a team."""
    return _new(request, place_of_team(request, entity, _MANAGE), kind)


@declare(_MANAGE)
@require_POST
def check_of_team(request: HttpRequest, entity: str) -> HttpResponse:
    """Check a payload that is written for a team."""
    return _check(request, place_of_team(request, entity, _MANAGE))


@declare(_MANAGE)
@never_cache
@require_http_methods(["GET", "POST"])
def one_of_team(request: HttpRequest, entity: str, pk: int) -> HttpResponse:
    """Show or change one of a team."""
    return _show(request, place_of_team(request, entity, _MANAGE), pk)


@declare(_MANAGE)
@never_cache
@require_POST
def act_of_team(request: HttpRequest, entity: str, pk: int) -> HttpResponse:
    """Try, switch or delete one of a team."""
    return _act(request, place_of_team(request, entity, _MANAGE), pk)


@declare(_MANAGE)
@never_cache
@require_http_methods(["GET"])
def connect_of_team(request: HttpRequest, entity: str) -> HttpResponse:
    """Connect a Slack channel for a team."""
    return _connect(request, place_of_team(request, entity, _MANAGE))


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET"])
def own(request: HttpRequest) -> HttpResponse:
    """List one's own destinations."""
    return _list(request, own_place(request, _MANAGE))


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def own_new(request: HttpRequest, kind: str) -> HttpResponse:
    """Add a destination of one's own."""
    return _new(request, own_place(request, _MANAGE), kind)


@declare(Open.SIGNED_IN)
@require_POST
def own_check(request: HttpRequest) -> HttpResponse:
    """Check a payload of one's own."""
    return _check(request, own_place(request, _MANAGE))


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def own_one(request: HttpRequest, pk: int) -> HttpResponse:
    """Show or change one of one's own."""
    return _show(request, own_place(request, _MANAGE), pk)


@declare(_MANAGE)
@never_cache
@require_POST
def own_act(request: HttpRequest, pk: int) -> HttpResponse:
    """Try, switch or delete one of one's own."""
    return _act(request, own_place(request, _MANAGE), pk)


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET"])
def own_connect(request: HttpRequest) -> HttpResponse:
    """Connect a Slack channel of one's own."""
    return _connect(request, own_place(request, _MANAGE))
