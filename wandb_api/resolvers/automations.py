"""Automations: listed, made, changed and deleted by `wandb.Api()` (protocol 3.7, ALR-6)."""

from typing import Any

from django.db.models import Q, QuerySet

from access.actor import Actor
from access.engine import visible
from automations import services as automations
from automations.access import AutomationAction
from automations.conditions.events import AutomationEvent
from automations.models import Automation
from common.errors import Conflict, Invalid, NotFound
from runs.access import ProjectAction
from runs.models import Project
from runs.query.columns import project_column_named
from runs.query.conditions import All, Compare, Condition, Not, Operator, Some, to_q
from runs.query.mongo import read_filters
from runs.query.ordering import read_order
from runs.selectors import projects_of
from teams.models import TeamKind
from teams.teams.selectors import entities_of
from wandb_api.automations.trigger_inputs import fields_of, scope_id_of, scope_of
from wandb_api.automations.triggers import TRIGGER, automations_for, trigger_nodes, triggers_by_project
from wandb_api.graphql.batch_loading import Siblings
from wandb_api.graphql.bindings import entity_type, mutation, organization_type, project_type, root, user_type
from wandb_api.graphql.context import Info
from wandb_api.graphql.errors import NameTaken
from wandb_api.graphql.global_ids import from_id
from wandb_api.graphql.nodes import project_node
from wandb_api.graphql.pagination import page_at_once
from wandb_api.registries.filters import filter_registries
from wandb_api.registries.nodes import registry_nodes
from wandb_api.registries.rows import registries_in

_MAX_PAGE = 200
_COLUMNS = {"name": "name", "description": "description", "enabled": "is_on"}
_ORDERS = {"name": "name", "created_at": "created_at", "createdAt": "created_at", "updated_at": "updated_at",
           "updatedAt": "updated_at"}  # fmt: skip
_FIRST_EVENTS = frozenset(
    {
        AutomationEvent.RUN_METRIC, AutomationEvent.RUN_METRIC_CHANGE, AutomationEvent.CREATE_ARTIFACT,
        AutomationEvent.ADD_ARTIFACT_ALIAS, AutomationEvent.LINK_MODEL,
    }
)  # fmt: skip
"""What SDKs up to 0.22 know. Of a list with any other event they can read nothing at all."""


def _knows_all_events(info: Info) -> bool:
    """Whether the client is young enough: who asks for scopes that are entities knows all events, too."""
    return "EntityScopeFields" in info.fragments or not info.fragments


@project_type.field("triggers")
def resolve_project_triggers(project: dict[str, Any], info: Info) -> list[dict[str, Any]]:
    """Return the automations of a project that the client can read."""
    found = project["siblings"].ask(triggers_by_project, info.context.actor).get(project["row"].pk, [])
    if _knows_all_events(info):
        return list(found)
    return [node for node in found if node["triggeringCondition"]["eventType"] in _FIRST_EVENTS]


@user_type.field("projects")
def resolve_projects_of_viewer(
    user: dict[str, Any], info: Info, after: str | None = None, first: int | None = 50
) -> dict[str, Any] | None:
    """Return a page of the projects of all entities of the viewer; of other people nobody learns them here."""
    if not user.get("is_viewer"):
        return None
    actor = info.context.actor
    rows = Project.objects.live().filter(team__name__in=entities_of(actor)).order_by("pk")
    return _projects(visible(actor, ProjectAction.VIEW, rows), after, first)


@entity_type.field("projects")
def resolve_projects_of_entity(
    entity: dict[str, Any],
    info: Info,
    *,
    filters: str | None = None,
    after: str | None = None,
    first: int | None = 50,
    order: str | None = None,
) -> dict[str, Any]:
    """Return a page of an entity's visible projects that match; those of an organization's are its registries."""
    team = entity.get("row")
    if team is None or team.kind == TeamKind.ORGANIZATION:
        registries = filter_registries(registries_in(info.context.actor, team), filters, order)
        return page_at_once(registries, registry_nodes, after=after, first=first, most=_MAX_PAGE)
    rows = projects_of(info.context.actor, team)
    found = rows.filter(to_q(read_filters(filters), project_column_named))
    if order:
        found = found.order_by(*read_order(order, find=project_column_named))
    return _projects(found, after, first)


def _projects(rows: QuerySet[Project], after: str | None, first: int | None) -> dict[str, Any]:
    def nodes(page: Any) -> list[dict[str, Any]]:
        siblings = Siblings()
        return [project_node(row, siblings) for row in page]

    whole = rows.select_related("team", "created_by")
    return page_at_once(whole, nodes, after=after, first=first, most=_MAX_PAGE)


@entity_type.field("triggers")
def resolve_entity_triggers(entity: dict[str, Any], info: Info, **arguments: Any) -> dict[str, Any]:
    """Return a page of the automations of an entity, those of its projects among them."""
    team = entity.get("row")
    return _page(info, Q(team=team) if team else Q(pk__in=()), **arguments)


@organization_type.field("triggers")
def resolve_organization_triggers(
    organization: dict[str, Any], info: Info, **arguments: Any
) -> dict[str, Any]:
    """Return a page of the automations of an organization's teams."""
    return _page(info, Q(team__organization_id=from_id("Organization", organization["id"])), **arguments)


def _page(
    info: Info,
    where: Q,
    *,
    after: str | None = None,
    first: int | None = 50,
    order: str | None = None,
    filters: str | None = None,
) -> dict[str, Any]:
    actor = info.context.actor
    rows = (
        automations_for(actor)
        .filter(where, _filter_condition(read_filters(filters)))
        .order_by(*_order(order))
    )
    return page_at_once(
        rows, lambda page: trigger_nodes(page, actor), after=after, first=first, most=_MAX_PAGE
    )


def _order(text: str | None) -> list[str]:
    """Return what to order by: `-created_at`, `+name`; the oldest first by default."""
    text_given = text or "+created_at"
    column = _ORDERS.get(text_given.lstrip("+-"))
    if column is None:
        raise Invalid(f"Automations are ordered by {', '.join(sorted(_ORDERS))}, not by {text_given!r}.")
    sign = "-" if text_given.startswith("-") else ""
    return [f"{sign}{column}", f"{sign}pk"]


def _filter_condition(condition: Condition) -> Q:
    """Return what filters mean; the SDK sends ``{"name": …}``."""
    if isinstance(condition, All | Some):
        whole = Q() if isinstance(condition, All) else Q(pk__in=())
        for part in condition.parts:
            whole = (
                whole & _filter_condition(part)
                if isinstance(condition, All)
                else whole | _filter_condition(part)
            )
        return whole
    return ~_filter_condition(condition.part) if isinstance(condition, Not) else _comparison(condition)


def _comparison(compare: Compare) -> Q:
    column, value = _COLUMNS.get(compare.column), compare.value
    many = compare.operator in {Operator.IN, Operator.NOT_IN}
    values = value if many and isinstance(value, list) else [value]
    kind = bool if compare.column == "enabled" else str
    known = compare.operator in {Operator.EQ, Operator.NE, Operator.IN, Operator.NOT_IN}
    if column is None or not known or not all(isinstance(one, kind) for one in values):
        named = ", ".join(_COLUMNS)
        raise Invalid(f"Lists of automations are filtered by {named}, with $eq, $ne, $in or $nin.")
    found = Q(**{f"{column}__in": values})
    return ~found if compare.operator in {Operator.NE, Operator.NOT_IN} else found


def _automation(actor: Actor, trigger_id: str) -> Automation:
    found = automations_for(actor).filter(pk=from_id(TRIGGER, trigger_id)).first()
    if found is None:
        raise NotFound(
            f"The automation with the ID “{trigger_id}” doesn’t exist, or you don’t have access to it."
        )
    return found


def _answer(actor: Actor, automation: Automation, input: dict[str, Any]) -> dict[str, Any]:
    trigger = trigger_nodes(automations_for(actor).filter(pk=automation.pk), actor)[0]
    return {"trigger": trigger, "clientMutationId": input.get("clientMutationId")}


@root(mutation, "createFilterTrigger", AutomationAction.CREATE)
def resolve_create_trigger(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Make an automation of a collection, a project or a whole team."""
    actor = info.context.actor
    scope = scope_of(actor, input["scopeType"], input["scopeID"])
    fields = fields_of(actor, input, scope.team)
    try:
        row = automations.create_automation(
            actor=actor, team=scope.team, project=scope.project, collection=scope.collection, fields=fields
        )
    except Conflict as error:
        if Automation.objects.filter(team=scope.team, name=input["name"].strip()).exists():
            raise NameTaken(error.message) from None
        raise
    return _answer(actor, row, input)


@root(mutation, "updateFilterTrigger", AutomationAction.MANAGE)
def resolve_update_trigger(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Change what is given of an automation; with another scope it moves there."""
    actor, place = info.context.actor, None
    row = _automation(actor, input["id"])
    if input.get("scopeID") not in {None, scope_id_of(row)}:
        place = scope_of(actor, input.get("scopeType") or "", input["scopeID"])
    fields = fields_of(actor, input, place.team if place else row.team, row)
    changed = automations.change_automation(actor=actor, automation=row, fields=fields, place=place)
    return _answer(actor, changed, input)


@root(mutation, "deleteTrigger", AutomationAction.MANAGE)
def resolve_delete_trigger(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Delete an automation."""
    actor = info.context.actor
    automations.delete_automation(actor=actor, automation=_automation(actor, input["triggerID"]))
    return {"success": True, "clientMutationId": input.get("clientMutationId")}
