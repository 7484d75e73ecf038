"""Charts that scripts store for `wandb.plot_table`."""

from typing import Any

from common.errors import Invalid
from ingest.services import hidden_as_unknown, team_for
from runs.access import ChartAction
from runs.charts.services import save_chart
from wandb_api.graphql.bindings import mutation, root
from wandb_api.graphql.context import Info

_TYPE = "vega2"


@root(mutation, "createCustomChart", ChartAction.SAVE)
def resolve_create_custom_chart(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Store a chart; a script that runs again replaces what it stored."""
    if input["type"] != _TYPE:
        raise Invalid(f"The type of a chart must be {_TYPE!r}, not {input['type']!r}.")
    actor = info.context.actor
    team = team_for(actor, input["entity"])
    with hidden_as_unknown(actor, team):
        chart = save_chart(
            actor=actor,
            team=team,
            name=input["name"],
            display_name=input["displayName"],
            access=input["access"].lower(),
            spec=input["spec"],
        )
    return {"chart": {"id": str(chart)}}
