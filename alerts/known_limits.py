"""What is limited for alerts and automations."""

from typing import Any

from django.conf import settings
from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from access.engine import can, visible
from access.limits.registry import (
    REFUSED,
    Limit,
    LimitGroup,
    LimitUnit,
    Measure,
    Used,
    length_limit,
    register_limits,
)
from alerts import templating
from alerts.access import AlertAction, AutomationAction
from alerts.models import Automation, Destination, Mute, Route, Secret
from alerts.services import automations, destinations, secrets
from alerts.services import settings as alert_settings
from common.rate_limits import spent
from runs.known_limits import fullest_project
from teams.models import Team


def _of_team(action: str, model: type[Model], path: str = "team") -> Measure:
    """Return what counts a team's rows for who may do the action there."""

    def measure(actor: Actor, team: Team | None) -> Used | None:
        if team is None or not can(actor, action, team):
            return None
        return Used(model._default_manager.filter(**{path: team}).count())

    return measure


def _of_whole_team(actor: Actor, team: Team | None) -> Used | None:
    if team is None or not can(actor, AutomationAction.VIEW, team):
        return None
    return Used(Automation.objects.filter(team=team, project=None).count())


def _of_projects(actor: Actor, team: Team | None) -> Used | None:
    if team is None:
        return None
    rows = Automation.objects.filter(team=team, project__isnull=False, project__deleted_at=None)
    return fullest_project(visible(actor, AutomationAction.VIEW, rows))


def _own(model: type[Model], path: str) -> Measure:
    def measure(actor: Actor, _team: Any) -> Used:
        return Used(model._default_manager.filter(**{path: actor.lookup_id}).count())

    return measure


def _tests(actor: Actor, team: Team | None) -> Used | None:
    if team is None or not can(actor, AlertAction.MANAGE, team):
        return None
    amounts = spent(destinations.TESTED, [str(team.pk)], window_s=destinations.TESTS_WINDOW_S)
    return Used(amounts[0]) if amounts else None


def register() -> None:
    """Tell the page of limits."""
    register_limits(*_of_account(), *_of_teams())
    register_limits(
        length_limit("automation", _("Name of an automation"), lambda: automations.MAX_NAME),
        length_limit("automation_text", _("Text of an automation"), lambda: automations.MAX_TEXT),
        length_limit("payload", _("Webhook payload, as written"), lambda: templating.MAX_TEMPLATE),
        length_limit("secret", _("Webhook secret value"), lambda: secrets.MAX_LENGTH),
    )


def _of_account() -> list[Limit]:
    return [
        Limit(
            "account.alert_routes", LimitGroup.ACCOUNT, _("Your alert routes"),
            lambda: alert_settings.MOST_ROUTES, REFUSED, measure=_own(Route, "settings__user"),
        ),
        Limit(
            "account.mutes", LimitGroup.ACCOUNT, _("Projects and teams you muted"),
            lambda: alert_settings.MOST_MUTES, REFUSED, measure=_own(Mute, "user"),
        ),
    ]  # fmt: skip


def _most_automations() -> int:
    most: int = settings.AUTOMATIONS_MOST
    return most


def _of_teams() -> list[Limit]:
    manage = AlertAction.MANAGE
    return [
        Limit(
            "projects.automations", LimitGroup.TEAM, _("Automations of a project"), _most_automations, REFUSED,
            setting="RUNYARD_AUTOMATIONS_MOST", measure=_of_projects,
        ),
        Limit(
            "team.automations", LimitGroup.TEAM, _("Team automations for all projects"), _most_automations,
            REFUSED, setting="RUNYARD_AUTOMATIONS_MOST", measure=_of_whole_team,
        ),
        Limit(
            "automations.recipients", LimitGroup.TEAM, _("Recipients of an automation’s emails"),
            lambda: automations.MAX_RECIPIENTS, REFUSED,
        ),
        Limit(
            "team.destinations", LimitGroup.TEAM, _("Destinations of a team"), lambda: destinations.MOST, REFUSED,
            measure=_of_team(manage, Destination),
        ),
        Limit(
            "team.destination_tests", LimitGroup.TEAM, _("Tests of team destinations"), lambda: destinations.TESTS,
            REFUSED, LimitUnit.PER_MINUTE, measure=_tests,
        ),
        Limit(
            "team.secrets", LimitGroup.TEAM, _("Team webhook secrets"), lambda: secrets.MOST, REFUSED,
            measure=_of_team(AlertAction.MANAGE_SECRETS, Secret),
        ),
        Limit(
            "team.alert_routes", LimitGroup.TEAM, _("Team alert routes"), lambda: alert_settings.MOST_ROUTES,
            REFUSED, measure=_of_team(manage, Route, "settings__team"),
        ),
        Limit(
            "team.payload_bytes", LimitGroup.TEAM, _("Webhook payload, with values"),
            lambda: templating.MAX_PAYLOAD_BYTES, _("Not sent; the delivery shows why."), LimitUnit.BYTES,
        ),
    ]  # fmt: skip
