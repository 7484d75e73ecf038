"""Reads a JSON text value after value, so that of a long list only one item is in memory."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from django.utils.translation import gettext as _

from artifacts.previews.errors import MIB, UnreadablePreview
from artifacts.previews.tables.sources import VALUE_CHARACTERS
from common.formats.lenient_json import DECODER, check_nesting

_CHUNK = 256 * 1024
_BLANKS = re.compile(r"[ \t\r\n]*")
_GOES_ON = frozenset(".eE+-0123456789")
"""What may follow the digits that a chunk ends with."""


class JsonReader:
    """A place in a JSON text. Use as a context; every failure is an `UnreadablePreview`."""

    def __init__(self, content: Path) -> None:
        self._file = content.open(encoding="utf-8-sig", errors="replace")
        self._text = ""
        self._place = 0
        self._is_new = False
        """Whether more of the file came since items were read at once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def peek(self) -> str:
        """Return the next character that is no blank, "" at the end."""
        while True:
            found = _BLANKS.match(self._text, self._place)
            self._place = found.end() if found else self._place
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._read_on():
                return ""

    def take(self, expected: str) -> None:
        """Go past a character that must come next."""
        if self.peek() != expected:
            raise _not_json()
        self._place += 1

    def value(self) -> Any:
        """Read the next value whole."""
        self.peek()
        while True:
            try:
                value, stop = DECODER.raw_decode(self._text, self._place)
            except RecursionError:
                raise _not_json() from None
            except ValueError:
                if not self._read_on():
                    raise _not_json() from None
                continue
            if (stop < len(self._text) and self._text[stop] not in _GOES_ON) or not self._read_on():
                self._place = stop
                return _checked(value)

    def items(self) -> Iterator[Any]:
        """Read the items of a list, one by one."""
        self.take("[")
        if self.peek() != "]":
            yield self.value()
            while self.peek() == ",":
                self.take(",")
                if self._is_new:
                    yield from self._lists()
                yield self.value()
        self.take("]")

    def _lists(self) -> list[Any]:
        """Read those next items at once that are in memory, if they are lists: in half the time of one by one.

        Where this does not find the end of an item, it reads nothing. It never reads anything else: what is JSON
        between brackets is whole items.
        """
        self._is_new = False
        end = self._text.rfind("],", self._place) + 1
        text = self._text[self._place : end]
        if not text:
            return []
        try:
            items: list[Any] = DECODER.decode(f"[{text}]")
            if text.count("[") + text.count("{") > len(items):  # else there is nothing but items
                check_nesting(items)
        except (ValueError, RecursionError):
            return []
        self._place = end + 1
        return items

    def keys(self) -> Iterator[str]:
        """Read the keys of an object; who gets a key reads its value before the next one."""
        self.take("{")
        separator = ""
        while self.peek() != "}":
            if separator:
                self.take(separator)
            separator = ","
            key = self.value()
            if not isinstance(key, str):
                raise _not_json()
            self.take(":")
            yield key
        self.take("}")

    def _read_on(self) -> bool:
        """Add to the text what comes next in the file, as much again as is waiting; say whether there was more."""
        waiting = self._text[self._place :]
        if len(waiting) > VALUE_CHARACTERS:
            text = _("This is not valid JSON, or a value has more than %(most)s million characters.")
            raise UnreadablePreview(text % {"most": VALUE_CHARACTERS // MIB})
        chunk = self._file.read(max(_CHUNK, len(waiting)))
        self._text, self._place, self._is_new = waiting + chunk, 0, True
        return bool(chunk)


def has_rows(content: Path) -> bool:
    """Say whether a JSON file is a list that begins with an object, so that `open_table` reads it."""
    with JsonReader(content) as reader:
        if reader.peek() != "[":
            return False
        reader.take("[")
        return reader.peek() == "{"


def _not_json() -> UnreadablePreview:
    return UnreadablePreview(_("This is not valid JSON, or it is truncated."))


def _checked(value: Any) -> Any:
    if isinstance(value, dict | list):
        try:
            check_nesting(value)
        except ValueError:
            raise _not_json() from None
    return value
