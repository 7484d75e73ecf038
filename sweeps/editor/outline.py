"""Where the keys and values of a YAML text stand, as far as it can be read."""

from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.reader import Reader

from sweeps.config.yaml_text import DEEPEST

_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class Node:
    """A value: characters from ``start`` to before ``end``, without what only follows it."""

    start: int
    end: int
    is_flow: bool = False
    """Whether a list or mapping is written in brackets."""
    entries: "list[Entry] | None" = None
    """Of a mapping."""
    items: "list[Node] | None" = None
    """Of a list."""

    def entry(self, key: str) -> "Entry | None":
        """Return the entry of a key, the last one where it is given twice."""
        return next((one for one in reversed(self.entries or ()) if one.key == key), None)


@dataclass(frozen=True, slots=True)
class Entry:
    """A key, from ``start`` to before ``end``, and its value."""

    key: str
    start: int
    end: int
    value: Node


@dataclass(slots=True)
class Outline:
    """What could be read of a text."""

    root: Node | None = None
    broken_at: int | None = None
    """The line, from 1, at which it stops being YAML."""


@dataclass(slots=True)
class _Open:
    node: Node
    key: "yaml.ScalarEvent | None" = None
    inner: list[Node] = field(default_factory=list)


def outline_of(text: str) -> Outline:
    """Return where things stand; deeper than 32 levels and behind the first mistake nothing is told."""
    outline = Outline()
    stack: list[_Open] = []
    try:
        for event in yaml.parse(text, Loader=_PARSER):
            if not isinstance(event, yaml.CollectionEndEvent | yaml.NodeEvent):
                continue
            if not _take(event, stack, outline) or len(stack) > DEEPEST:
                break
    except yaml.MarkedYAMLError as error:
        outline.broken_at = min(error.problem_mark.line, text.count("\n")) + 1 if error.problem_mark else None
    except yaml.YAMLError:
        found = Reader.NON_PRINTABLE.search(text)
        outline.broken_at = text.count("\n", 0, found.start()) + 1 if found else None
    for opened in reversed(stack):
        opened.node.end = max([opened.node.start, *(node.end for node in opened.inner)])
    return outline


def _at(mark: Any) -> int:
    """Return the character of a mark, which events of a text always have."""
    return int(mark.index)


def _take(event: yaml.Event, stack: list[_Open], outline: Outline) -> bool:
    """Take one event; False where the outline ends, since a key is no text."""
    if isinstance(event, yaml.CollectionEndEvent):
        closed = stack.pop()
        ends = [node.end for node in closed.inner]
        closed.node.end = _at(event.end_mark) if closed.node.is_flow else max([closed.node.start, *ends])
        return True
    top = stack[-1] if stack else None
    if top and top.node.entries is not None and top.key is None:
        if not isinstance(event, yaml.ScalarEvent):
            return False
        top.key = event
        return True
    node = Node(_at(event.start_mark), _at(event.end_mark))
    _place(node, top, outline)
    if isinstance(event, yaml.CollectionStartEvent):
        node.is_flow = bool(event.flow_style)
        node.entries, node.items = ([], None) if isinstance(event, yaml.MappingStartEvent) else (None, [])
        stack.append(_Open(node))
    return True


def _place(node: Node, top: _Open | None, outline: Outline) -> None:
    if top is None:
        outline.root = outline.root or node
        return
    top.inner.append(node)
    if top.node.items is not None:
        top.node.items.append(node)
    elif top.node.entries is not None and top.key is not None:
        key = top.key
        top.node.entries.append(Entry(key.value, _at(key.start_mark), _at(key.end_mark), node))
        top.key = None


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the path that a message begins with leads, as far as it leads."""

    path: tuple[str | int, ...]
    at: int
    """The character at which the key or item stands."""


def spot_of(root: Node | None, message: str) -> Spot | None:
    """Return the place that a message such as ``parameters.lr.max: must be …`` is about, None for none."""
    found, rest, node = None, message, root
    path: tuple[str | int, ...] = ()
    while node is not None:
        step = _step(node, rest)
        if step is None:
            break
        name, at, node, taken = step
        path = (*path, name)
        found, rest = Spot(path, at), rest[taken:].removeprefix(".")
    return found


def _step(node: Node, rest: str) -> tuple[str | int, int, Node, int] | None:
    """Return the key or position that a path goes on with, where it is, its value, and the characters it takes."""
    fitting = [entry for entry in node.entries or () if _begins(rest, entry.key)]
    if fitting:
        entry = max(fitting, key=lambda one: (len(one.key), one.start))
        return entry.key, entry.start, entry.value, len(entry.key)
    for position, item in enumerate(node.items or ()):
        for text in (f"[{position}]", str(position)):
            if _begins(rest, text):
                return position, item.start, item, len(text)
    return None


def _begins(rest: str, key: str) -> bool:
    return bool(key) and rest.startswith(key) and rest[len(key) : len(key) + 1] in {".", "[", ":"}
