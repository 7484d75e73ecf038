"""The flat form of config and summary: dotted key to number, string or boolean; for columns, filters and sorting.

The exact text is kept beside it and is what the SDK gets back. Here what looks like a secret is masked, so that no
table, export, filter or order can tell it (`runs.secrets.readers`); NUL and lone surrogates are replaced (PostgreSQL
refuses both), non-finite numbers become the one-element lists ``["NaN"]``, ``["Infinity"]``, ``["-Infinity"]``, and
lists become their JSON text.
"""

import json
import math
from typing import Any

import orjson

from common.formats.lenient_json import NUMBERS, clean_text, clean_tree, has_only_numbers, read_lenient
from common.formats.strict_json import strict
from runs.secrets.masking import mask_tree

MAX_TEXT = 2000
MAX_KEYS = 20_000
MAX_DEPTH = 12
OWN = "_wandb."
"""How the keys begin that no user logged."""
GPU, GPU_COUNT = f"{OWN}gpu", f"{OWN}gpu_count"


def _leaf(value: Any) -> Any:
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return ["NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"]
    if isinstance(value, str):
        return clean_text(value)[:MAX_TEXT]
    return leaf_text(value)


def leaf_text(value: Any) -> str:
    """Return what is kept of a list, or of an object without keys."""
    return clean_text(json.dumps(value))[:MAX_TEXT]


def flatten(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the flat form; null values are left out, as missing ones are."""
    flat: dict[str, Any] = {}

    def walk(node: dict[str, Any], start: str, depth: int) -> None:
        for key, value in node.items():
            if len(flat) >= MAX_KEYS:
                return
            name = clean_text(f"{start}{key}")
            if isinstance(value, dict) and value and depth < MAX_DEPTH:
                walk(value, f"{name}.", depth + 1)
            elif value is not None:
                flat[name] = _leaf(value if type(value) in NUMBERS else mask_tree(value, (name,))[0])

    walk(tree, "", 1)
    return flat


def unwrap_config(config: dict[str, Any]) -> dict[str, Any]:
    """Return the user's configuration: ``{"lr": {"value": 0.1}}`` to ``{"lr": 0.1}``, without the SDK's own part."""
    plain: dict[str, Any] = {}
    for key, value in config.items():
        if key != "_wandb":
            plain[key] = value["value"] if isinstance(value, dict) and "value" in value else value
    return plain


def wrap_config(config: dict[str, Any], before: str = "{}") -> str:
    """Return the text of a user's configuration in the SDK's form, with the SDK's own part of the one before."""
    wrapped = {key: {"value": value} for key, value in config.items() if key != "_wandb"}
    own = sdk_part(before)
    return json.dumps(wrapped | ({"_wandb": {"value": own}} if own else {}))


def with_sdk_part(text: str, before: str) -> str:
    """Return a whole configuration that a client read earlier and changed, with what SDKs have written since then."""
    own = sdk_part(before)
    try:
        config = read_lenient(text)
    except ValueError:
        return text
    if not own or not isinstance(config, dict):
        return text
    given = _sdk_part(config)
    whole = own | given
    for key in own.keys() & given.keys():
        if isinstance(own[key], dict) and isinstance(given[key], dict):
            whole[key] = own[key] | given[key]
        elif isinstance(own[key], list):  # definitions of metrics, of which there may be more by now
            whole[key] = own[key]
    return text if whole == given else json.dumps(config | {"_wandb": {"value": whole}})


def json_tree(text: str) -> dict[str, Any]:
    """Return a config or summary text for strict JSON: clean texts, and NaN and infinities as text."""
    try:
        tree = read_lenient(text)
    except ValueError:
        return {}
    return strict(clean_tree(tree)) if isinstance(tree, dict) else {}


def sdk_part(config_text: str) -> dict[str, Any]:
    """Return what the SDK wrote of itself into a config, ``_wandb.value``; empty where there is nothing of the kind."""
    try:
        config = read_lenient(config_text)
    except ValueError:
        return {}
    return _sdk_part(config) if isinstance(config, dict) else {}


def _sdk_part(config: dict[str, Any]) -> dict[str, Any]:
    own = config.get("_wandb")
    value = own.get("value") if isinstance(own, dict) else None
    return value if isinstance(value, dict) else {}


def environments_in(sdk: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what each process of a run said of its machine, from the SDK's part of a config."""
    writers = sdk.get("e", {})
    return (
        [dict(one) for one in writers.values() if isinstance(one, dict)] if isinstance(writers, dict) else []
    )


def _hardware(config: dict[str, Any]) -> dict[str, Any]:
    environment = next(iter(environments_in(_sdk_part(config))), {})
    return {GPU: environment.get("gpu") or None, GPU_COUNT: environment.get("gpu_count") or None}


def flat_config(text: str) -> dict[str, Any]:
    """Return the flat form of a config text, and in it the GPUs that the SDK found.

    Raises:
        ValueError: not a JSON object.
    """
    config = read_lenient(text)
    if not isinstance(config, dict):
        raise ValueError(f"it is {type(config).__name__}")  # noqa: TRY004 - bad input, as json's own error
    return flatten(unwrap_config(config) | _hardware(config))


def flat_summary(text: str) -> dict[str, Any]:
    """Return the flat form of a summary text, without the SDK's own part."""
    summary = read_lenient(text)
    if not isinstance(summary, dict):
        return {}
    summary.pop("_wandb", None)
    return summary if _is_flat(summary) else flatten(summary)


def summary_of(text: str) -> tuple[str, str]:
    """Return what is kept of a summary's text, and its flat form as JSON.

    Raises:
        ValueError: not JSON.
    """
    flat = flat_summary(text)
    try:
        as_json = orjson.dumps(flat).decode()
    except TypeError:  # integers beyond 64 bits, which come through beside a NaN
        as_json = json.dumps(flat)
    return clean_text(text), as_json


def _is_flat(summary: dict[str, Any]) -> bool:
    """Say, cheaply, whether a summary is its own flat form: few keys, each with a finite number."""
    keys = "".join(summary)
    return (
        has_only_numbers(summary)
        and len(summary) < MAX_KEYS
        and clean_text(keys) is keys
        and all(map(math.isfinite, summary.values()))
    )
