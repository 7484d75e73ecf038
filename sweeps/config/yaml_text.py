"""YAML as far as JSON goes: bounded, without aliases, tags or keys given twice."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml
from django.utils.translation import gettext as _

from common.errors import Invalid
from sweeps.config.problems import Path, problem

MOST_BYTES = 256_000
DEEPEST = 32
_LONGEST_NUMBER = 100
_INTEGERS = range(-(2**63), 2**64)

_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML was built with it
_RESOLVER = yaml.SafeLoader("")
_EXPONENT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+")


def number_in(text: str) -> float | None:
    """Return the number of a text such as 1e-3, which YAML 1.1 takes for text since it lacks a dot or sign."""
    return float(text) if len(text) <= _LONGEST_NUMBER and _EXPONENT.fullmatch(text) else None


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come."""

    path: Path
    value: list[Any] | dict[str, Any]
    key: str | None = None
    """Of a mapping: the key whose value comes next."""

    def next_path(self) -> Path:
        """Return where the next value belongs; of a mapping that waits for a key, its own path."""
        if isinstance(self.value, dict):
            return self.path if self.key is None else (*self.path, self.key)
        return (*self.path, len(self.value))


class _Builder:
    """Makes values of the parser's events, which come one by one, so that bounds hold before memory is taken."""

    def __init__(self) -> None:
        self.documents: list[Any] = []
        self.stack = [_Open((), self.documents)]
        self.json = False
        """Whether the document is written as JSON, which quotes all text: 1e-3 is a number then."""

    def path(self) -> Path:
        """Return where the next value belongs."""
        return self.stack[-1].next_path() if len(self.stack) > 1 else ()

    def take(self, event: yaml.Event) -> None:
        """Take one event of the parser."""
        if isinstance(event, yaml.AliasEvent):
            raise problem(self.path(), _("aliases (*name) are not supported; write the value out."))
        if isinstance(event, yaml.DocumentStartEvent) and self.documents:
            raise Invalid(_("The configuration has more than one YAML document."))
        if isinstance(event, yaml.CollectionEndEvent):
            self.stack.pop()
        elif isinstance(event, yaml.NodeEvent):
            self._take_node(event)

    def _take_node(self, event: yaml.NodeEvent) -> None:
        tag: str | None = event.tag  # type: ignore[attr-defined]  # its subclasses but AliasEvent have one
        if tag is not None:
            raise problem(self.path(), _("tags (%(tag)s) are not supported.") % {"tag": tag[:60]})
        top = self.stack[-1]
        if isinstance(top.value, dict) and top.key is None:
            self._take_key(event, top.value)
        elif isinstance(event, yaml.ScalarEvent):
            self._add(self._scalar(event))
        else:
            self._open(event)

    def _take_key(self, event: yaml.NodeEvent, mapping: dict[str, Any]) -> None:
        if not isinstance(event, yaml.ScalarEvent):
            raise problem(self.path(), _("a key must be text, not a list or mapping."))
        key = self._text(event.value)
        if key in mapping:
            raise problem((*self.path(), key), _("appears twice."))
        self.stack[-1].key = key

    def _open(self, event: yaml.NodeEvent) -> None:
        if len(self.stack) > DEEPEST:
            raise problem(
                (), _("The configuration is nested deeper than %(most)s levels.") % {"most": DEEPEST}
            )
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if is_mapping and len(self.stack) == 1:
            self.json = bool(event.flow_style)  # type: ignore[attr-defined]  # of a mapping
        value: list[Any] | dict[str, Any] = {} if is_mapping else []
        opened = _Open(self.path(), value)
        self._add(value)
        self.stack.append(opened)

    def _add(self, value: Any) -> None:
        top = self.stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is not None:
            top.value[top.key] = value
            top.key = None

    def _text(self, text: str) -> str:
        if "\0" in text:
            raise problem(self.path(), _("text must not contain the character U+0000."))
        return text

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        text: str = self._text(event.value)
        if not event.implicit[0]:  # quoted
            return text
        if self.json and (number := number_in(text)) is not None:
            return self._finite(number)
        tag: str = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]  # its stubs
        match tag.rpartition(":")[2]:
            case "null":
                return None
            case "bool":
                return _RESOLVER.bool_values[text.lower()]
            case "int" | "float" as kind:
                return self._number(text, kind)
        return text  # also dates, which JSON has not

    def _number(self, text: str, kind: str) -> int | float:
        if len(text) > _LONGEST_NUMBER:
            raise problem(
                self.path(), _("the number has more than %(most)s digits.") % {"most": _LONGEST_NUMBER}
            )
        node = yaml.ScalarNode(f"tag:yaml.org,2002:{kind}", text)
        if kind == "float":
            return self._finite(_RESOLVER.construct_yaml_float(node))
        number: int = _RESOLVER.construct_yaml_int(node)
        if number not in _INTEGERS:
            raise problem(self.path(), _("whole numbers must be between -2^63 and 2^64 - 1."))
        return number

    def _finite(self, number: float) -> float:
        if not math.isfinite(number):
            raise problem(self.path(), _("NaN and infinity are not supported."))
        return number


def _syntax_message(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        return _("The configuration is not valid YAML: line %(line)s: %(problem)s.") % {
            "line": error.problem_mark.line + 1,
            "problem": error.problem,
        }
    return _("The configuration is not valid YAML: it contains characters that YAML does not allow.")


def _documents(events: Iterable[yaml.Event]) -> list[Any]:
    builder = _Builder()
    for event in events:
        builder.take(event)
    return builder.documents


def read_yaml(text: str) -> Any:
    """Return the value that a YAML (or JSON) document says: mappings with text as keys, lists and scalars.

    Dates stay text; keys are text as it is written, also ``on`` and ``1``.

    Raises:
        Invalid: it is no YAML, too large or too deep, or has an alias, tag, repeated key, NaN or infinity.
    """
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise Invalid(
            _("The configuration is not valid text: it contains an incomplete character.")
        ) from None
    if size > MOST_BYTES:
        raise Invalid(_("The configuration is larger than %(most)s kB.") % {"most": MOST_BYTES // 1000})
    try:
        documents = _documents(yaml.parse(text, Loader=_PARSER))
    except yaml.YAMLError as error:
        raise Invalid(_syntax_message(error)) from None
    return documents[0] if documents else None
