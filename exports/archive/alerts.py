"""What an archive tells of alerts: what is chosen and where it goes, without addresses and secrets."""

from typing import Any

from django.db.models import Q

from access.actor import Actor
from access.engine import can, visible
from alerts.access import AlertAction
from alerts.models import AlertSettings, Destination, Secret
from alerts.preferences.selectors import team_routes, team_settings
from automations.access import AutomationAction
from automations.models import Automation
from runs.access import ProjectAction
from runs.models import Project
from teams.models import Team

_SWITCHES = ("on_finished", "on_crashed", "on_killed", "on_sweeps", "on_scripted", "least_level", "by_email")


def alerts_of(actor: Actor, team: Team) -> dict[str, Any]:
    """Return what the team, or the person whose entity it is, is told of; only names of secrets are told."""
    if not can(actor, AlertAction.MANAGE, team):
        return {}
    settings: AlertSettings = team_settings(team)
    shown = visible(actor, ProjectAction.VIEW, Project.objects.live()).values("pk")
    routes = team_routes(team).filter(Q(project__isnull=True) | Q(project__in=shown))
    secrets = Secret.objects.filter(team=team) if can(actor, AlertAction.MANAGE_SECRETS, team) else ()
    return {
        "settings": {name: getattr(settings, name) for name in _SWITCHES},
        "routes": [
            {"destination": route.destination.name, "project": _path(route.project), "tag": route.tag}
            for route in routes
        ],
        "destinations": [_destination(one) for one in Destination.objects.filter(team=team).order_by("pk")],
        "secrets": [one.name for one in secrets],
    }


def automations_of(actor: Actor, team: Team) -> list[dict[str, Any]]:
    """Return the automations of the team that the actor may see."""
    rows = visible(actor, AutomationAction.VIEW, Automation.objects.filter(team=team)).order_by("pk")
    return [
        _automation(one)
        for one in rows.select_related("project__team", "collection", "destination", "created_by")
    ]


def _path(project: Project | None) -> str | None:
    return f"{project.team.name}/{project.name}" if project else None


def _destination(one: Destination) -> dict[str, Any]:
    """Tell all but the address: whoever knows it can post there."""
    return {
        "name": one.name,
        "kind": one.kind,
        "preset": one.preset,
        "template": one.template,
        "mention": one.mention,
        "access_token_name": one.access_token_name,
        "signing_secret_name": one.signing_secret_name,
        "is_on": one.is_on,
    }


def _automation(one: Automation) -> dict[str, Any]:
    return {
        "name": one.name,
        "description": one.description,
        "project": _path(one.project),
        "collection": one.collection.name if one.collection else None,
        "event": one.event,
        "filter": one.filter,
        "action": one.action,
        "destination": one.destination.name if one.destination else None,
        "title": one.title,
        "message": one.message,
        "severity": one.severity,
        "payload": one.payload,
        "once_in_s": one.once_in_s,
        "is_on": one.is_on,
        "created_by": one.created_by.username if one.created_by else None,
        "created_at": one.created_at,
    }
