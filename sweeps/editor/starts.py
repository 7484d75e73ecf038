"""Configurations to start from: one for each method, and one proposed from runs that have been."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from runs.config.flatten import json_tree, unwrap_config
from runs.models import Run
from runs.secrets.documents import masked_json
from runs.secrets.masking import MASK
from sweeps.config.document import Method
from sweeps.editor.writing import block

_LR = {"distribution": "log_uniform_values", "min": 1e-4, "max": 0.1}
_MOST_PROPOSED = 50
_MOST_TEXT = 200
"""Characters of a text that is proposed as a value."""
_SPREAD = 100
"""From this ratio of the largest to the smallest number on, a range is logarithmic."""


@dataclass(frozen=True, slots=True)
class Start:
    """One template."""

    name: str
    label: str | Promise
    says: str | Promise
    method: Method
    parameters: dict[str, Any]
    more: dict[str, Any]

    def text(self, metric: str) -> str:
        """Return its YAML, over a metric of the project."""
        return text_of(self.method, metric, self.parameters, self.more)


_RANGES = {"lr": _LR, "batch_size": {"values": [16, 32, 64]}, "dropout": {"min": 0.0, "max": 0.5}}
_HYPERBAND = {"early_terminate": {"type": "hyperband", "min_iter": 3}}
STARTS = (
    Start(
        "grid", _("Grid"), _("Every combination of the values, once each."), Method.GRID,
        {"lr": {"values": [0.1, 0.01, 0.001]}, "batch_size": {"values": [16, 32]}}, {},
    ),
    Start(
        "random", _("Random"), _("Random values; a good start with any number of parameters."),
        Method.RANDOM, _RANGES, {"run_cap": 50},
    ),
    Start(
        "bayes", _("Bayesian"), _("Uses the results so far to choose what to try next."), Method.BAYES,
        _RANGES, {"run_cap": 50},
    ),
    Start(
        "hyperband", _("Bayesian with early stopping"),
        _("Uses the results so far, and stops runs that fall behind."),
        Method.BAYES, _RANGES, {"run_cap": 100} | _HYPERBAND,
    ),
)  # fmt: skip


def goal_of(metric: str) -> str:
    """Return which way a metric is better, as far as its name tells."""
    words = ("acc", "auc", "f1", "score", "reward", "return", "precision", "recall", "iou", "bleu", "map")
    return "maximize" if any(word in metric.lower() for word in words) else "minimize"


def text_of(method: Method, metric: str, parameters: dict[str, Any], more: dict[str, Any]) -> str:
    """Return the YAML of a sweep, empty lines between its parts."""
    parts: list[dict[str, Any]] = [{"program": "train.py", "method": method.value}]
    if metric:
        parts.append({"metric": {"name": metric, "goal": goal_of(metric)}})
    parts += [{"parameters": parameters}, *({key: value} for key, value in more.items())]
    return "\n\n".join("\n".join(block(part, 0)) for part in parts) + "\n"


def proposed_parameters(runs: Iterable[Run]) -> dict[str, Any]:
    """Return a search over what differs between the configurations of runs; secrets are left out."""
    configs = [unwrap_config(json_tree(masked_json(run.config_text))) for run in runs]
    return _proposed(configs)


def _proposed(configs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in dict.fromkeys(key for config in configs for key in config):
        if len(found) == _MOST_PROPOSED:
            break
        values = [config[key] for config in configs if config.get(key) is not None]
        if values and all(isinstance(value, dict) for value in values):
            if inner := _proposed(values):
                found[key] = {"parameters": inner}
        elif values and key and (parameter := _parameter(values)):
            found[key] = parameter
    return found


def _parameter(values: list[Any]) -> dict[str, Any] | None:
    """Return the search over the values of one key, None where they do not differ."""
    if any(not _is_offered(value) for value in values):
        return None
    distinct = list({json.dumps(value): value for value in values}.values())
    if len(distinct) < 2:
        return None
    if any(isinstance(value, str | bool) for value in distinct):
        return {"values": distinct}
    low, high = min(distinct), max(distinct)
    if all(isinstance(value, int) for value in distinct):
        return {"min": low, "max": high}
    if low > 0 and high / low >= _SPREAD:
        return {"distribution": "log_uniform_values", "min": low, "max": high}
    return {"distribution": "uniform", "min": float(low), "max": float(high)} if low < high else None


def _is_offered(value: Any) -> bool:
    if isinstance(value, str):
        return MASK not in value and len(value) <= _MOST_TEXT
    return isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value))
