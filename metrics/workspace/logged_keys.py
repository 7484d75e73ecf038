"""What some runs have logged, as their workspace makes panels of it: keys, and what the runs' scripts said of them."""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from metrics.hardware import system_metrics
from metrics.models import StreamKind
from metrics.series.selectors import MAX_LISTED
from metrics.store import reads
from metrics.store.key_stats import KeyStats
from metrics.workspace.logged_charts import CHART_MARKERS, charts_in
from runs.config.flatten import sdk_part
from runs.config.metric_definitions import MARK, Definitions, agreed, definitions_in
from runs.models import Run

_Described = Mapping[int, Mapping[str, KeyStats]]


def keys_json(run_ids: Collection[int], kind: StreamKind) -> dict[str, Any]:
    """Return each key once, with its types and how many of the runs have it; of history also charts.

    Of more than MAX_LISTED keys the first by name.
    """
    stats_of = reads.key_stats(run_ids, kind)
    found = _keys_found(stats_of)
    if len(found) > MAX_LISTED:
        found = {key: found[key] for key in sorted(found)[:MAX_LISTED]}
    if kind == StreamKind.SYSTEM:
        for row in found.values():
            row["about"] = _hardware(row["key"])
        return {"keys": _in_order(found)}
    runs = Run.objects.filter(pk__in=run_ids)
    charts: dict[str, Any] = {}
    definitions: dict[int, Definitions] = {}
    defining = runs.filter(
        reduce(or_, (Q(config_text__contains=mark) for mark in (*CHART_MARKERS, MARK)))
    ).order_by("pk")
    for pk, text in defining.values_list("pk", "config_text"):
        sdk = sdk_part(text)
        charts |= charts_in(sdk)
        definitions[pk] = definitions_in(sdk)
    _define(found, stats_of, definitions)
    return {"keys": _in_order(found), "charts": charts}


def _in_order(found: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [found[key] for key in sorted(found)]


def _keys_found(stats_of: _Described) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for stats in stats_of.values():
        for key, stat in stats.items():
            if key.startswith("_"):
                continue
            known = found.setdefault(key, {"key": key, "types": [], "runs": 0, "numbers": False})
            known["runs"] += 1
            known["numbers"] = known["numbers"] or stat.type == "number" or stat.min is not None
            known["types"] += [kind for kind in stat.types if kind not in known["types"]]
    return found


def _define(
    found: Mapping[str, dict[str, Any]], stats_of: _Described, definitions: Mapping[int, Definitions]
) -> None:
    """Add axis, goal and whether it is hidden, where most of the runs that have the key say something of it."""
    if not definitions:
        return
    nothing = Definitions()
    newest_first = sorted(stats_of, reverse=True)
    for key, row in found.items():
        definitions_of_key = [
            definitions.get(pk, nothing).of(key) for pk in newest_first if key in stats_of[pk]
        ]
        if not any(definitions_of_key):
            continue
        agreement = agreed(definitions_of_key)
        if agreement.step_metric:
            row["x"] = agreement.step_metric
        if agreement.is_hidden:
            row["hidden"] = True
        if agreement.goal:
            row["goal"] = agreement.goal


def _hardware(key: str) -> dict[str, Any]:
    """Return what a chart says of a system metric, and which line of it the key is."""
    found = system_metrics.match_tag(key)
    chart = asdict(system_metrics.chart_of(found))
    return chart | {"line": found.tag, "device": found.device, "node": found.label}
