"""Config and summary as trees that pages show: every value with its type, exact, secrets masked."""

import json
from typing import Any

from django.utils.translation import gettext as _

from common.formats.lenient_json import clean_tree, read_lenient
from runs.config.flatten import unwrap_config
from runs.secrets.masking import FoundSecret, mask_tree

MAX_TEXT = 4000
MAX_ITEMS = 1000
MAX_DEPTH = 24

ADDED_BY_SDK = frozenset({"_step", "_runtime", "_timestamp"})
"""Keys of every summary that nobody logged."""

Node = list[Any]
"""[key, type, text] of a value, [key, type, text, nodes] of one that has others in it; a table in an
artifact has null instead of nodes, and then the reference to its file.

The type is int, float, string, bool, null, list, dict or a media type; the text is exact, but long ones are cut, and of
media it says in words what they are.
"""


def read_tree(text: str) -> dict[str, Any]:
    """Return a stored JSON object, {} when it is none."""
    try:
        tree = clean_tree(read_lenient(text))
    except ValueError:
        return {}
    return tree if isinstance(tree, dict) else {}


def config_tree(config_text: str) -> dict[str, Any]:
    """Return the user's configuration."""
    return unwrap_config(read_tree(config_text))


def summary_tree(summary_text: str) -> dict[str, Any]:
    """Return the summary without the SDK's own part."""
    return {key: value for key, value in read_tree(summary_text).items() if key != "_wandb"}


def _leaf(key: str, value: Any) -> Node:
    if isinstance(value, bool):
        return [key, "bool", "true" if value else "false"]
    if value is None:
        return [key, "null", "null"]
    if isinstance(value, int | float):
        return [key, "int" if isinstance(value, int) else "float", json.dumps(value)]
    return [key, "string", _cut(str(value))]


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"


def _kind_of_media(kind: str) -> str:
    """Return what people call a media type of the SDK, which names one and several differently."""
    names = {
        "image": _("Image"), "audio": _("Audio"), "video": _("Video"), "html": _("HTML"), "histogram": _("Histogram"),
        "plotly": _("Plot"), "bokeh": _("Plot"), "molecule": _("Molecule"), "object3D": _("3D"),
        "graph": _("Model graph"), "table": _("Table"), "partitioned-table": _("Table"), "joined-table": _("Table"),
        "incremental-table": _("Table"),
    }  # fmt: skip
    return next((name for start, name in names.items() if kind.startswith(start)), "")


def _described(value: dict[str, Any]) -> str:
    """Return a media value in a few words, such as "Image × 3, 64×64"; "" for a type that is not known."""
    text = _kind_of_media(value["_type"])
    count, across, down = value.get("count"), value.get("width"), value.get("height")
    if text and isinstance(count, int) and count > 1:
        text += f" × {count}"
    if value["_type"].endswith("table-file"):
        across, down = value.get("nrows"), value.get("ncols")
    if text and isinstance(across, int) and isinstance(down, int):
        text += f", {across}×{down}"
    return text


def _is_one(value: dict[str, Any] | list[Any]) -> bool:
    """Say whether a value is shown in one row: a list of plain values."""
    return isinstance(value, list) and not any(isinstance(item, dict | list) for item in value)


def node_of(key: str, value: Any, depth: int = 0) -> Node:
    """Return a value's node."""
    if not isinstance(value, dict | list):
        return _leaf(key, value)
    kind = "dict" if isinstance(value, dict) else "list"
    text = _cut(json.dumps(value, ensure_ascii=False))
    if isinstance(value, dict) and isinstance(value.get("_type"), str):
        reference = value.get("artifact_path")
        more = [None, reference] if isinstance(reference, str) else []
        return [key, value["_type"], _described(value) or text, *more]
    if _is_one(value):
        return [key, kind, text]
    items = (
        sorted(value.items()) if isinstance(value, dict) else [(str(n), item) for n, item in enumerate(value)]
    )
    if not items or len(items) > MAX_ITEMS * (20 if kind == "dict" else 1) or depth >= MAX_DEPTH:
        return [key, kind, text]
    return [key, kind, text, [node_of(name, item, depth + 1) for name, item in items]]


def nodes_of(tree: dict[str, Any], *, revealed: bool = False) -> tuple[list[Node], list[FoundSecret]]:
    """Return the nodes of a tree by key, and where secrets were masked in it (or would be, when they are revealed)."""
    masked, found = mask_tree(tree)
    shown = tree if revealed else masked
    return [node_of(key, value) for key, value in sorted(shown.items())], found


def leaves_of(nodes: list[Node], limit: int, before: str = "") -> list[tuple[str, str]]:
    """Return the first (dotted key, text) of the leaves: what a page shows before its script runs."""
    leaves: list[tuple[str, str]] = []
    for key, _kind, text, *more in nodes:
        if len(leaves) >= limit:
            break
        name = f"{before}{key}"
        inner = more[0] if more else None
        leaves += leaves_of(inner, limit - len(leaves), f"{name}.") if inner else [(name, text)]
    return leaves
