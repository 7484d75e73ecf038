"""The arguments of trials as pages show them: secrets in them are masked."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from runs.query.cells import cell_of
from runs.query.column_names import canonical, spelled
from runs.secrets.masking import mask_tree
from runs.table.html import format_value
from sweeps.space.space import Space


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter's value: as shown, and in full."""

    name: str
    text: str
    title: str


def arguments_of(args: dict[str, Any]) -> list[Argument]:
    """Return the arguments in their order, nested ones with dotted names."""
    shown, _found = mask_tree(args)
    return [Argument(name, *_texts(value)) for name, value in _leaves(shown, "")]


def _leaves(node: dict[str, Any], start: str) -> Iterator[tuple[str, Any]]:
    for key, value in node.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{start}{key}.")
        else:
            yield f"{start}{key}", value


def _texts(value: Any) -> tuple[str, str]:
    if isinstance(value, int | float | str):
        return format_value(cell_of(value))
    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True).removesuffix("...\n").strip()
    return text, text


def arguments_in(space: Space, config: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that a run's flat configuration has: of a run that no agent was given."""
    args: dict[str, Any] = {}
    for parameter in space.parameters:
        if parameter.name in config:
            node = args
            for name in parameter.path[:-1]:
                node = node.setdefault(name, {})
            node[parameter.path[-1]] = config[parameter.name]
    return args


def as_yaml(args: dict[str, Any]) -> str:
    """Return arguments as YAML, to be put into a configuration file."""
    shown, _found = mask_tree(args)
    return yaml.safe_dump(shown, sort_keys=False, allow_unicode=True)


def searched_columns(space: Space) -> list[str]:
    """Return the columns of runs that hold the parameters of which there is more than one value."""
    return [spelled(f"config.{parameter.name}") for parameter in space.parameters if not parameter.fixed]


def key_of(column: str) -> str:
    """Return the key of a column of config or summary, as it was logged."""
    return canonical(column).partition(".")[2]
