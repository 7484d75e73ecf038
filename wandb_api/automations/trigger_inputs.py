"""What the SDK says of an automation to be made or changed, as the services take it (protocol 3.7)."""

from typing import Any

from access.actor import Actor
from access.engine import visible
from alerts.access import AlertAction
from alerts.models import Destination
from artifacts.access import ArtifactAction
from artifacts.models import Collection
from automations.conditions.events import RUN_EVENTS
from automations.firing.reach import destinations_of
from automations.lifecycle.scopes import Scope
from automations.models import ActionKind, Automation
from automations.services import AutomationFields
from common.errors import Invalid, NotFound
from runs.access import ProjectAction
from runs.models import Project
from runs.selectors import get_team
from teams.models import Team
from wandb_api.artifacts.nodes import COLLECTION
from wandb_api.automations.triggers import INTEGRATION, is_readable
from wandb_api.graphql.global_ids import from_id, kind_of, to_id

Input = dict[str, Any]

_REFUSED = {
    "QUEUE_JOB": "Launch queues are not part of Runyard, so automations cannot add jobs to them.",
    "PUSH_NOTIFICATION": "Automations send no push notifications: use a Slack channel or a webhook.",
    "ARIA": "ARIA is not part of Runyard, so automations cannot send it prompts.",
}
_UNREAD = '{"$and":[]}'
"""What SDKs send back as the filter of a run's event when they could not read it."""


def scope_id_of(automation: Automation) -> str:
    """Return the id of what an automation is about."""
    if automation.collection_id:
        return to_id(COLLECTION, automation.collection_id)
    return (
        to_id("Project", automation.project_id)
        if automation.project_id
        else to_id("Entity", automation.team_id)
    )


def scope_of(actor: Actor, kind: str, scope_id: str) -> Scope:
    """Return what an automation is to be about.

    Raises:
        Invalid: a scope that this server does not have.
        NotFound: it does not exist, or the actor may not see it.
    """
    if kind == "ARTIFACT_COLLECTION":
        return _collection_scope(actor, scope_id)
    if kind == "PROJECT":
        there = Project.objects.live() | Project.objects.registries()
        rows = there.select_related("team__organization")
        project = visible(actor, ProjectAction.VIEW, rows).filter(pk=from_id("Project", scope_id)).first()
        if project is None:
            raise NotFound(
                f"The project with the ID “{scope_id}” doesn’t exist, or you don’t have access to it."
            )
        return Scope(project.team, project)
    if kind_of(scope_id) == "Organization":
        raise Invalid("Automations watch projects and teams; create one in each team of the organization.")
    team = Team.objects.filter(pk=from_id("Entity", scope_id)).first()
    return Scope(get_team(actor, team.name if team else ""))


def _collection_scope(actor: Actor, scope_id: str) -> Scope:
    rows = Collection.objects.live().select_related("project__team__organization")
    found = visible(actor, ArtifactAction.VIEW, rows).filter(pk=from_id(COLLECTION, scope_id)).first()
    if found is None:
        raise NotFound(
            f"The artifact collection with the ID “{scope_id}” doesn’t exist, or you don’t have access to it."
        )
    return Scope(found.project.team, found.project, found)


def fields_of(
    actor: Actor, given: Input, team: Team, automation: Automation | None = None
) -> AutomationFields:
    """Return what is given; of an automation that is changed, the rest stays.

    Raises:
        Invalid: an action that this server does not have, one without its details, or one to a destination of another
            team.
        NotFound: the action names a destination that the team does not have.
    """
    event_filter = given.get("eventFilter")
    event = given.get("triggeringEventType")
    if automation is not None and event_filter is not None and _is_unread(event_filter, event, automation):
        event_filter = None
    return AutomationFields(
        name=given.get("name"),
        description=given.get("description"),
        event=event,
        filter=event_filter,
        is_on=given.get("enabled"),
        **_action_of(actor, given, team, automation),
    )


def _is_unread(text: str, event: str | None, automation: Automation) -> bool:
    """Whether an SDK sends back what it could not read, such as a comparison with ``=``."""
    is_same = event in {None, automation.event}
    return is_same and automation.event in RUN_EVENTS and text.replace(" ", "") == _UNREAD


def _action_of(actor: Actor, given: Input, team: Team, automation: Automation | None) -> dict[str, Any]:
    kind = given.get("triggeredActionType")
    if kind is None:
        if given.get("triggeredActionConfig") is not None:
            raise Invalid("Name the type of the action, too: `triggeredActionType`.")
        return {}
    if kind in _REFUSED:
        raise Invalid(_REFUSED[kind])
    config = given.get("triggeredActionConfig") or {}
    if kind == ActionKind.NO_OP:
        # an SDK, which knows no mail, was told that an automation that mails does nothing
        is_mail = automation is not None and automation.action == ActionKind.EMAIL
        return {} if is_mail else {"action": kind}
    if kind == ActionKind.EMAIL:
        raise Invalid("Email automations must be created on the page or over REST.")
    key = "notificationActionInput" if kind == ActionKind.NOTIFICATION else "genericWebhookActionInput"
    action = config.get(key)
    if action is None:
        raise Invalid(f"An action of the type {kind} needs its `{key}`.")
    found = {"action": kind, "destination": _destination(actor, team, action["integrationID"], automation)}
    if kind == ActionKind.NOTIFICATION:
        texts = {"title": action.get("title") or "", "message": action.get("message") or ""}
        return {**found, **texts, "severity": action.get("severity") or "INFO"}
    return {**found, "payload": _payload(action.get("requestPayload"), automation)}


def _destination(actor: Actor, team: Team, integration_id: str, automation: Automation | None) -> Destination:
    """Return a destination of the team, or a webhook of the actor's own.

    Not one of another team, were it theirs as well: nobody else of this team could see where its automation sends.
    """
    pk = from_id(INTEGRATION, integration_id)
    if automation is not None and automation.destination is not None and automation.destination_id == pk:
        return automation.destination
    named = Destination.objects.select_related("team").filter(pk=pk)
    found = destinations_of(actor, team).filter(pk=pk).first()
    if found is not None:
        return found
    elsewhere = visible(actor, AlertAction.MANAGE, named).first()
    if elsewhere is not None:
        raise Invalid(
            f"The integration {elsewhere.name!r} belongs to {elsewhere.team}; an automation of {team} sends only to"
            f" integrations of {team}: set it up there, too."
        )
    raise NotFound(f"{team} has no integration with the ID “{integration_id}”.")


def _payload(given: str | None, automation: Automation | None) -> str | None:
    """Return the payload; None, which leaves it, where an SDK did not get the present one because it cannot read it."""
    if given is None and automation is not None and not is_readable(automation.payload):
        return None
    return given or ""
