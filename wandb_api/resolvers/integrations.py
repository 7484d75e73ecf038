"""Where automations send to: Slack channels and webhooks of a team, which the SDK calls integrations (ALR-4, ALR-7)."""

from typing import Any

from access.engine import can
from alerts.access import AlertAction
from alerts.destinations.services import create_webhook
from alerts.models import Destination
from automations.access import AutomationAction
from runs.selectors import get_team
from wandb_api.automations.triggers import integration_node, managed_destinations
from wandb_api.graphql.bindings import entity_type, mutation, root
from wandb_api.graphql.context import Info
from wandb_api.graphql.pagination import page_at_once

_MAX_PAGE = 200


@entity_type.field("integrations")
def resolve_integrations(
    entity: dict[str, Any], info: Info, after: str | None = None, first: int | None = 50
) -> dict[str, Any]:
    """Return a page of a team's destinations, to who manages them or makes automations that use them."""
    actor, team = info.context.actor, entity.get("row")
    may_list = team and (can(actor, AutomationAction.CREATE, team) or can(actor, AlertAction.MANAGE, team))
    rows = Destination.objects.filter(team=team) if may_list else Destination.objects.none()

    def nodes(page: Any) -> list[dict[str, Any]]:
        managed = managed_destinations(actor, {row.pk for row in page})
        return [integration_node(row, managed) for row in page]

    return page_at_once(rows.order_by("pk"), nodes, after=after, first=first, most=_MAX_PAGE)


@root(mutation, "createGenericWebhookIntegration", AlertAction.MANAGE)
def resolve_create_webhook(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Set up a webhook; its secrets are named as the team's own."""
    actor = info.context.actor
    row = create_webhook(
        actor=actor,
        team=get_team(actor, input["entityName"]),
        name=input["name"],
        url=input["urlEndpoint"],
        access_token_name=input.get("accessTokenRef") or "",
        signing_secret_name=input.get("secretRef") or "",
    )
    node = integration_node(row, {row.pk})
    return {"integration": node, "clientMutationId": input.get("clientMutationId")}
