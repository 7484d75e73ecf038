"""Automations and destinations as the SDK's triggers and integrations (protocol 3.7)."""

import json
from collections.abc import Collection, Iterable
from typing import Any
from urllib.parse import urlsplit

from django.db.models import QuerySet

from access.actor import Actor
from access.engine import visible
from alerts.access import AlertAction
from alerts.models import Destination
from alerts.transports.addresses import unsealed
from automations.access import AutomationAction
from automations.conditions.events import ARTIFACT_EVENTS, SWEEP_EVENTS
from automations.models import ActionKind, Automation
from teams.models import Team
from wandb_api.artifacts.nodes import collection_node
from wandb_api.graphql.batch_loading import Siblings
from wandb_api.graphql.global_ids import to_id
from wandb_api.graphql.nodes import entity_node, project_node

INTEGRATION = "Integration"
TRIGGER = "Trigger"


def automations_for(actor: Actor) -> QuerySet[Automation]:
    """Return the automations that the actor sees, with what a node shows; none of deleted projects.

    Nor any on sweeps: the SDK knows no such events, and would fail at the whole list.
    """
    rows = Automation.objects.select_related(
        "team", "project__team", "project__created_by", "collection__type", "collection__project__team", "destination"
    )  # fmt: skip
    known = rows.exclude(event__in=SWEEP_EVENTS)
    return visible(actor, AutomationAction.VIEW, known.filter(project__deleted_at__isnull=True))


def trigger_nodes(rows: Iterable[Automation], actor: Actor) -> list[dict[str, Any]]:
    """Return automations as the SDK's triggers, in two queries for all of them."""
    automations = list(rows)
    managed = managed_destinations(actor, {row.destination_id for row in automations if row.destination_id})
    siblings = Siblings()
    return [_trigger_node(row, managed, siblings) for row in automations]


def triggers_by_project(project_ids: Collection[int], actor: Actor) -> dict[int | None, list[dict[str, Any]]]:
    """Return the visible automations of each project."""
    rows = list(automations_for(actor).filter(project_id__in=project_ids))
    found: dict[int | None, list[dict[str, Any]]] = {}
    for row, node in zip(rows, trigger_nodes(rows, actor), strict=True):
        found.setdefault(row.project_id, []).append(node)
    return found


def managed_destinations(actor: Actor, destination_ids: Collection[int]) -> set[int]:
    """Return which of the destinations the actor manages, and so may read the addresses of."""
    rows = visible(actor, AlertAction.MANAGE, Destination.objects.filter(pk__in=destination_ids))
    return set(rows.values_list("pk", flat=True))


def integration_node(destination: Destination, managed: Collection[int]) -> dict[str, Any]:
    """Return a destination; who does not manage it learns the host of a webhook: whoever knows more can post to it."""
    node = {"id": to_id(INTEGRATION, destination.pk)}
    if destination.is_slack:
        channel, _, workspace = destination.place.partition(" · ")  # of one that Slack's own page connected
        named = (channel, workspace) if workspace else (destination.name, destination.place)
        shown = dict(zip(("channelName", "teamName"), named, strict=True))
        return {"__typename": "SlackIntegration", **node, **shown}
    url = unsealed(destination)
    if destination.pk not in managed:
        parts = urlsplit(url)
        url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/"
    return {"__typename": "GenericWebhookIntegration", **node, "name": destination.name, "urlEndpoint": url}


def _trigger_node(automation: Automation, managed: Collection[int], siblings: Siblings) -> dict[str, Any]:
    return {
        "id": to_id(TRIGGER, automation.pk),
        "createdAt": automation.created_at,
        "updatedAt": automation.updated_at,
        "name": automation.name,
        "description": automation.description or None,
        "enabled": automation.is_on,
        "scope": _scope_node(automation, siblings),
        "triggeringCondition": {
            "__typename": "FilterEventTriggeringCondition",
            "eventType": automation.event,
            "filter": _filter_text(automation),
        },
        "triggeredAction": _action_node(automation, managed),
    }


def _scope_node(automation: Automation, siblings: Siblings) -> dict[str, Any]:
    if automation.collection:
        return collection_node(automation.collection)
    if automation.project:
        return {"__typename": "Project", **project_node(automation.project, siblings)}
    return _team_scope_node(automation.team)


def _team_scope_node(team: Team) -> dict[str, Any]:
    """Return the scope of a team's own automations; the SDK can read no scope that is a person's entity."""
    return {"__typename": "Entity", **entity_node(team), "entityType": "team"}


def _filter_text(automation: Automation) -> str:
    """Return the filter as the SDK reads it: those of artifacts one level deeper than it writes them."""
    text = json.dumps(automation.filter)
    return json.dumps({"filter": text}) if automation.event in ARTIFACT_EVENTS else text


def _action_node(automation: Automation, managed: Collection[int]) -> dict[str, Any]:
    if automation.destination is None:
        return {"__typename": "NoOpTriggeredAction", "noOp": True}
    integration = integration_node(automation.destination, managed)
    if automation.action == ActionKind.NOTIFICATION:
        return {
            "__typename": "NotificationTriggeredAction",
            "integration": integration,
            "title": automation.title,
            "message": automation.message,
            "severity": automation.severity,
        }
    payload = automation.payload if is_readable(automation.payload) else None
    return {
        "__typename": "GenericWebhookTriggeredAction",
        "integration": integration,
        "requestPayload": payload,
    }


def is_readable(payload: str) -> bool:
    """Whether the SDK can read a payload: one with variables for numbers, or of plain text, is no JSON object."""
    try:
        return isinstance(json.loads(payload), dict)
    except ValueError:
        return False
