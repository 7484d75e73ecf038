"""What is limited for alerts."""

from typing import Any

from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from access.engine import can
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
from alerts.access import AlertAction
from alerts.destinations import services as destinations
from alerts.models import Destination, Mute, Route, Secret
from alerts.payloads import templating
from alerts.preferences import services as alert_settings
from alerts.secrets import services as secrets
from common.rate_limits import spent
from teams.models import Team


def _of_team(action: str, model: type[Model], path: str = "team") -> Measure:
    """Return what counts a team's rows for who may do the action there."""

    def measure(actor: Actor, team: Team | None) -> Used | None:
        if team is None or not can(actor, action, team):
            return None
        return Used(model._default_manager.filter(**{path: team}).count())

    return measure


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


def _of_teams() -> list[Limit]:
    manage = AlertAction.MANAGE
    return [
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
