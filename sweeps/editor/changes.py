"""Changing single values of a YAML text: all other lines, and the comments among them, stay as they are."""

from typing import Any

from django.utils.translation import gettext as _

from common.errors import Invalid
from sweeps.config.yaml_text import read_yaml
from sweeps.editor.outline import Entry, Node, outline_of
from sweeps.editor.writing import block, inline, is_same

Keys = tuple[str, ...]
_ORDER = (
    "name description program command method metric parameters run_cap early_terminate retry_crashed".split()
)
"""In which a person reads a configuration; new keys go to their place in it."""
_INNER_ORDER = "type distribution value values probabilities min max q mu sigma a b".split()


def put(text: str, path: Keys, value: Any) -> str:
    """Return the text with the value of a key set; mappings on the way to it are added.

    Raises:
        Invalid: the text is no YAML, or is written in a way that only a person can change.
    """
    document = read_yaml(text) or {}
    expected = _with(document, path, value)
    if is_same(document, expected):
        return text
    return _checked(_put(text, path, value, _at(document, path)), expected)


def remove(text: str, path: Keys) -> str:
    """Return the text without a key; raises as `put`."""
    document = read_yaml(text) or {}
    if not _has(document, path):
        return text
    return _checked(_remove(text, path), _without(document, path))


def rename(text: str, path: Keys, name: str) -> str:
    """Return the text with another name for a key; raises as `put`, and where the name is taken or empty."""
    document = read_yaml(text) or {}
    parent, old = _at(document, path[:-1]), path[-1]
    if not name or old == name:
        return text
    if name in parent:
        raise Invalid(_("“%(name)s” already exists.") % {"name": name})
    entry = _entry(text, path)
    if entry is None:
        return text
    expected = _with(document, path[:-1], {name if key == old else key: one for key, one in parent.items()})
    return _checked(text[: entry.start] + inline(name) + text[entry.end :], expected)


def _checked(text: str, expected: Any) -> str:
    """Return a text that says what was wanted; one that does not is never shown."""
    try:
        if is_same(read_yaml(text), expected):
            return text
    except Invalid:
        pass
    raise Invalid(_("The form cannot edit this because of how it is written. Edit the text instead."))


def _put(text: str, path: Keys, value: Any, old: Any) -> str:
    if not path:
        return text + "\n".join(block(value, 0)) + "\n"
    entry = _entry(text, path)
    if entry is not None:
        return _change(text, path, entry, value, old)
    parent = _node(text, path[:-1])
    if parent is None or parent.entries is None:
        return _put(text, path[:-1], {path[-1]: value}, None)
    if parent.is_flow:
        return _insert_inline(text, parent, f"{inline(path[-1])}: {inline(value)}")
    return _insert_lines(text, parent, path[-1], value)


def _change(text: str, path: Keys, entry: Entry, value: Any, old: Any) -> str:
    node = entry.value
    if isinstance(value, dict) and isinstance(old, dict) and node.entries:
        return _merge(text, path, value, old)
    if isinstance(value, list) and value and isinstance(old, list) and node.items and not node.is_flow:
        return _change_items(text, node, value, old)
    if node.is_flow or (node.entries is None and node.items is None and node.end > node.start):
        return text[: node.start] + inline(value) + text[_end(text, node) :]
    colon = text.index(":", entry.end)
    if isinstance(value, dict) and value and not _is_inline(text, entry):
        written = "\n" + "\n".join(block(value, _column(text, entry.start) + 2))
    else:
        written = " " + inline(value)
    return text[: colon + 1] + written + text[max(colon + 1, _end(text, node)) :]


def _is_inline(text: str, entry: Entry) -> bool:
    """Say whether a key shares its line with what is before it, as in brackets."""
    return bool(text[_line_start(text, entry.start) : entry.start].strip())


def _merge(text: str, path: Keys, value: dict[str, Any], old: dict[str, Any]) -> str:
    for key, inner in value.items():
        if key not in old or not is_same(old[key], inner):
            text = _put(text, (*path, key), inner, old.get(key))
    for key in old:
        if key not in value:
            text = _remove(text, (*path, key))
    return text


def _change_items(text: str, node: Node, value: list[Any], old: list[Any]) -> str:
    """Change the lines of a list from the first to the last item that differs."""
    items = node.items or []
    head = text[_line_start(text, items[0].start) : items[0].start]
    if head.strip() != "-" or len(items) != len(old):
        return text[: node.start] + inline(value) + text[_end(text, node) :]
    shortest = min(len(old), len(value))
    same = next((n for n in range(shortest) if not is_same(old[n], value[n])), shortest)
    left = shortest - same
    last = next((n for n in range(left) if not is_same(old[-1 - n], value[-1 - n])), left)
    lines = "".join(f"{head}{inline(item)}\n" for item in value[same : len(value) - last])
    changed = items[same : len(items) - last]
    if changed:
        start, end = _line_start(text, changed[0].start), _line_end(text, _end(text, changed[-1]))
        return text[:start] + lines + text[min(end + 1, len(text)) :]
    if same:
        start = _line_end(text, _end(text, items[same - 1]))
        return text[:start] + "\n" + lines.rstrip("\n") + text[start:]
    start = _line_start(text, items[0].start)
    return text[:start] + lines + text[start:]


def _insert_inline(text: str, parent: Node, written: str) -> str:
    if parent.entries:
        at = _end(text, parent.entries[-1].value)
        return text[:at] + ", " + written + text[at:]
    return text[: parent.start] + "{" + written + "}" + text[parent.end :]


def _insert_lines(text: str, parent: Node, key: str, value: Any) -> str:
    entries = parent.entries or []
    column = _column(text, entries[0].start)
    lines = "\n".join(block({key: value}, column))
    before = _before(entries, key, _ORDER if column == 0 else _INNER_ORDER)
    if not before:
        start = _line_start(text, entries[0].start)
        return text[:start] + lines + "\n" + text[start:]
    at = _line_end(text, max(before[-1].end, _end(text, before[-1].value)))
    return text[:at] + "\n" + lines + text[at:]


def _before(entries: list[Entry], key: str, order: list[str]) -> list[Entry]:
    """Return the entries up to the one behind which a new key is to stand."""
    if key not in order:
        return entries
    earlier = set(order[: order.index(key)])
    last = max((place for place, entry in enumerate(entries) if entry.key in earlier), default=-1)
    return entries[: last + 1]


def _remove(text: str, path: Keys) -> str:
    parent, entry = _node(text, path[:-1]), _entry(text, path)
    if parent is None or entry is None or parent.entries is None:
        return text
    entries = parent.entries
    place, end = entries.index(entry), max(entry.end, _end(text, entry.value))
    if not parent.is_flow:
        start, stop = _line_start(text, entry.start), _line_end(text, end)
        return text[:start] + text[min(stop + 1, len(text)) :]
    if place + 1 < len(entries):
        return text[: entry.start] + text[entries[place + 1].start :]
    start = _end(text, entries[place - 1].value) if place else entry.start
    return text[:start] + text[end:]


def _node(text: str, path: Keys) -> Node | None:
    node = outline_of(text).root
    for key in path:
        entry = node.entry(key) if node else None
        node = entry.value if entry else None
    return node


def _entry(text: str, path: Keys) -> Entry | None:
    parent = _node(text, path[:-1])
    return parent.entry(path[-1]) if parent else None


def _end(text: str, node: Node) -> int:
    """Return where a value ends, without the empty lines that a block of text may end with."""
    return max(node.start, len(text[: node.end].rstrip()))


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _column(text: str, at: int) -> int:
    return at - _line_start(text, at)


def _has(document: Any, path: Keys) -> bool:
    parent = _at(document, path[:-1])
    return isinstance(parent, dict) and path[-1] in parent


def _at(document: Any, path: Keys) -> Any:
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _with(document: Any, path: Keys, value: Any) -> Any:
    if not path:
        return value
    if document is not None and not isinstance(document, dict):
        raise Invalid(_("The form cannot edit this because it is not a mapping. Edit the text instead."))
    return {**(document or {}), path[0]: _with((document or {}).get(path[0]), path[1:], value)}


def _without(document: Any, path: Keys) -> Any:
    if len(path) == 1:
        return {key: value for key, value in document.items() if key != path[0]} or None
    left = dict(document)
    left[path[0]] = _without(document[path[0]], path[1:])
    return left
