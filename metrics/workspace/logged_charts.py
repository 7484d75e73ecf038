"""Charts that scripts log: what the SDK says of them in the config, and which table has the rows of each."""

from collections.abc import Iterator, Mapping
from typing import Any

CHART_MARKERS = ('"visualize"', '"viz"')
"""What stands in the config of a run that has logged charts."""
_FIELDS = {"wandb/confusion_matrix/v1": {"nPredictions": "Count"}}
"""Columns of `wandb.sklearn` that `wandb.plot` calls otherwise in the chart of the same name."""


def charts_in(sdk: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return a run's charts by key, in the form of `wandb.plot_table`; each says where its rows are.

    Args:
        sdk: The SDK's own part of the config. ``visualize`` has charts of `wandb.plot`, ``viz`` those of
            `wandb.visualize`, such as all of `wandb.sklearn` but ROC and precision-recall.

    Source: wandb/plot/custom_chart.py, wandb/plot/viz.py, ``Run._serialize_custom_charts``.
    """
    charts = {}
    for key, kept in _entries(sdk.get("visualize")):
        config = kept.get("panel_config")
        source = {"kind": "table", "key": _table_named_in(kept) or f"{key}_table"}
        charts[key] = kept | {
            "panel_config": (config if isinstance(config, dict) else {}) | {"source": source}
        }
    for key, kept in _entries(sdk.get("viz")):
        name = str(kept.get("id", ""))
        config = {"panelDefId": name, "fieldSettings": _FIELDS.get(name, {}), "stringSettings": {}}
        source = {"kind": "table", "key": key}
        charts[key] = {"panel_type": "Vega2", "panel_config": config | {"source": source}}
    return charts


def tables_of(charts: Mapping[str, dict[str, Any]]) -> set[str]:
    """Return the keys of the tables that have these charts' rows."""
    return {chart["panel_config"]["source"]["key"] for chart in charts.values()}


def _entries(part: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(part, dict):
        yield from ((key, kept) for key, kept in part.items() if isinstance(kept, dict))


def _table_named_in(query: Any) -> str | None:
    """Return the ``tableKey`` of a chart's query; no other argument of it says which rows are drawn."""
    if isinstance(query, dict):
        if query.get("name") == "tableKey" and isinstance(query.get("value"), str):
            return str(query["value"])
        query = list(query.values())
    if isinstance(query, list):
        return next((found for inner in query if (found := _table_named_in(inner))), None)
    return None
