"""Cells of tables: what values are, how they are compared, and how they are shown."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from common.formats.lenient_json import clean_text, clean_tree
from common.formats.strict_json import size_of, strict, strict_json

MAX_TEXT = 4000
"""Characters of a cell that are shown."""
MOST_MEDIA = 100
"""Media of one cell that are shown."""
_MOST_DETAILS = 16_000
"""Characters of what a media value says of itself; boxes of a picture can be many."""
_COMPARED = 256
"""Characters by which texts are sorted."""


class ColumnKind(StrEnum):
    """What the values of a column are; single values may be something else."""

    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    TIME = "time"
    """As text, ISO 8601."""
    MEDIA = "media"
    LIST = "list"
    OBJECT = "object"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Column:
    """A column; its name is unique in its table."""

    name: str
    kind: ColumnKind = ColumnKind.ANY
    stored_in: str = ""
    """Path of the entry that has the values, NumPy arrays of several dimensions; the cells are null then."""


@dataclass(frozen=True, slots=True)
class MediaCell:
    """A picture, a sound or whatever else the SDK describes by an object with ``_type``."""

    kind: str
    """The type without "-file": image, audio, video, html, object3D, molecule, table, histogram, bytes."""
    path: str = ""
    """As the file says it, so anything: look it up among the entries of the version, never make it an address."""
    caption: str = ""
    digest: str = ""
    """SHA-256 in hexadecimal, "" if it isn't said."""
    details: dict[str, Any] = field(default_factory=dict)
    """The rest: width, height, size, format, boxes, values and bins."""

    def to_dict(self) -> dict[str, Any]:
        """Return it for a page's script."""
        return {
            "kind": self.kind,
            "path": self.path,
            "caption": self.caption,
            "details": strict(self.details),
        }


Cell = None | bool | int | float | str | MediaCell | list[MediaCell]
"""What a page shows: a list or an object that is no media is its JSON text."""
Identity = tuple[Any, ...]


def is_media(value: Any) -> bool:
    """Say whether a value is an object with ``_type``."""
    return isinstance(value, dict) and isinstance(value.get("_type"), str)


def kind_of_values(values: Iterable[Any]) -> ColumnKind:
    """Return what all values are that are not null; ANY where they differ."""
    kinds = {_kind_of_value(value) for value in values if value is not None}
    return kinds.pop() if len(kinds) == 1 else ColumnKind.ANY


def _kind_of_value(value: Any) -> ColumnKind:
    if is_media(value):
        return ColumnKind.MEDIA
    kinds = {
        bool: ColumnKind.BOOLEAN, int: ColumnKind.NUMBER, float: ColumnKind.NUMBER, str: ColumnKind.TEXT,
        list: ColumnKind.LIST, dict: ColumnKind.OBJECT,
    }  # fmt: skip
    return kinds[type(value)]


def unique_names(names: Iterable[Any]) -> list[str]:
    """Return names as texts, each once: what comes again or is empty gets a number."""
    taken: dict[str, None] = {}
    for place, given in enumerate(names, start=1):
        name = wanted = clean_text(str(given)) or str(place)
        again = 2
        while name in taken:
            name, again = f"{wanted} ({again})", again + 1
        taken[name] = None
    return list(taken)


def cell_of(value: Any) -> Cell:
    """Return a value as pages show it, cut where it is long."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _cut(clean_text(value))
    if is_media(value):
        return _media_cell(clean_tree(value))
    if isinstance(value, list) and value and all(map(is_media, value)):
        return [_media_cell(clean_tree(item)) for item in value[:MOST_MEDIA]]
    return _cut(clean_text(strict_json(value)))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"


def _media_cell(value: dict[str, Any]) -> MediaCell:
    own = {"_type", "path", "caption", "sha256"}
    details = {
        name: item for name, item in value.items() if name not in own and size_of(item) <= _MOST_DETAILS
    }
    return MediaCell(
        kind=value["_type"].removesuffix("-file"),
        path=_text(value.get("path")),
        caption=_cut(_text(value.get("caption"))),
        digest=_text(value.get("sha256")),
        details=details,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def text_of(value: Any) -> str:
    """Return the text by which a value is found."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return repr(value)  # as JSON has it, in a fifth of the time
    if is_media(value):
        return _text(value.get("caption")) or _text(value.get("path"))
    return strict_json(value).strip('"')


def is_number(value: Any) -> bool:
    """Say whether a value is a number, NaN and infinities among them."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_finite_number(value: Any) -> bool:
    """Say whether a value can be added up."""
    return is_number(value) and math.isfinite(value)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def sort_key(value: Any) -> tuple[int, Any] | None:
    """Return what a value is sorted by: its type (number, text, boolean, other), then itself; None for what is last."""
    if value is None or _is_nan(value):
        return None
    if isinstance(value, bool):
        return 2, value
    if isinstance(value, int | float):
        return 0, value
    return (1 if isinstance(value, str) else 3), text_of(value)[:_COMPARED]


def identity(value: Any) -> Identity:
    """Return what is equal for equal values only: 1 and 1.0 are, 1 and true are not, media of the same bytes are."""
    if is_media(value) and (digest := _text(value.get("sha256"))):
        return "media", digest
    rank = sort_key(value)
    if rank is None:
        return (None, value is None)
    if rank[0] in {0, 2}:
        return rank
    text = strict_json(value) if isinstance(value, dict | list) else value
    return rank[0], text[:_COMPARED], hash(text)
