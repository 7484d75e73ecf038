"""Writing values as YAML the way a person does."""

import json
from typing import Any

import yaml


def inline(value: Any) -> str:
    """Return a value on one line: ``[1, 0.1, adam]``."""
    text: str = yaml.safe_dump(
        [value], default_flow_style=True, width=float("inf"), allow_unicode=True, sort_keys=False
    )
    return text.strip()[1:-1]


def block(value: dict[str, Any], indent: int) -> list[str]:
    """Return the lines of a mapping, indented by so many blanks; lists are written on one line."""
    lines = []
    for key, inner in value.items():
        head = " " * indent + f"{inline(key)}:"
        if isinstance(inner, dict) and inner:
            lines += [head, *block(inner, indent + 2)]
        else:
            lines.append(f"{head} {inline(inner)}")
    return lines


def items_text(values: list[Any]) -> str:
    """Return a list as a field shows it, without brackets."""
    return inline(values)[1:-1]


def is_same(one: Any, other: Any) -> bool:
    """Say whether two values are alike, also in whether numbers are whole; the order of keys does not count."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
