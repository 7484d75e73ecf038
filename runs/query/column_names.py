"""The names by which pages, REST and exports call a run's columns: ``name``, ``created``, ``config.lr``.

`columns` has the SDK's, into which they are translated: to an SDK ``name`` is a run's id. A key with other characters
than letters, digits, ``_ . / -`` stands in backquotes: ``config.`learning rate` ``.
"""

import re
from dataclasses import dataclass
from difflib import get_close_matches

from django.utils.translation import gettext as _

from common.errors import Invalid
from runs.query.columns import Column, column_named

_FIELDS = {
    "name": "display_name", "id": "id", "state": "state", "notes": "notes", "user": "user", "tags": "tags",
    "created": "created_at", "runtime": "runtime", "duration": "duration", "group": "group", "job_type": "job_type",
    "sweep": "sweep", "host": "host", "gpu": "gpu", "gpu_count": "gpu_count", "number": "number",
    "started": "started_at", "finished": "finished_at", "synced": "synced_at", "heartbeat": "heartbeat_at",
    "updated": "updated_at", "exit_code": "exit_code", "commit": "commit", "description": "description",
    "logged_by": "logged_by",
}  # fmt: skip
"""Name on pages to name in `columns`."""
_PAGE_NAMES = {column: name for name, column in _FIELDS.items()}
_ROOTS = {"config": "config", "summary": "summary", "summary_metrics": "summary"}
_PLAIN = re.compile(r"[\w./-]+")
_QUOTED = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
MAX_COLUMNS = 200


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """A column and how pages write it."""

    name: str
    column: Column


def unquoted(text: str) -> str:
    """Return what stands between quotes: a backslash gives the quote or backslash behind it, else itself."""
    return re.sub(r"\\([\\\"'`])", r"\1", text)


def quoted(text: str, quote: str) -> str:
    """Return the text between quotes."""
    return quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote


def canonical(name: str) -> str:
    """Return the name in `columns` of what a page calls so.

    Raises:
        Invalid: there is none; the message suggests near ones.
    """
    root, dot, key = name.partition(".")
    root = root.lower()
    if root in _ROOTS and dot and key:
        inner = _QUOTED.fullmatch(key)
        key = unquoted(inner[1]) if inner else key
        if key:
            return f"{_ROOTS[root]}.{key}"
    if root in _ROOTS:
        raise Invalid(_("Enter a key of %(root)s, such as %(root)s.loss.") % {"root": root})
    if name.lower() in _FIELDS:
        return _FIELDS[name.lower()]
    raise Invalid(_("Unknown column “%(name)s”. %(hint)s") % {"name": name[:100], "hint": _suggestion(name)})


def _suggestion(name: str) -> str:
    known = [*_FIELDS, *(column for column in _PAGE_NAMES if column not in _FIELDS)]
    near = get_close_matches(name.lower()[:40], known, n=3, cutoff=0.6)
    near = list(dict.fromkeys(_PAGE_NAMES.get(word, word) for word in near))
    if near:
        return _("Did you mean %(names)s?") % {"names": _(" or ").join(near)}
    if "." not in name:
        return _("Write keys as config.%(key)s or summary.%(key)s.") % {"key": name[:40]}
    return _("Write keys as config.%(key)s or summary.%(key)s.") % {"key": "<key>"}


def spelled(column: str) -> str:
    """Return how pages write a column of `columns`."""
    root, dot, key = column.partition(".")
    if dot:
        return f"{_ROOTS.get(root, root)}.{key if _PLAIN.fullmatch(key) else quoted(key, '`')}"
    return _PAGE_NAMES.get(column, column)


def named_column(name: str) -> NamedColumn:
    """Return the column of a name that a page may have sent, quoted or not.

    Raises:
        Invalid: there is none.
    """
    column = canonical(name)
    return NamedColumn(spelled(column), column_named(column))


def split_names(text: str) -> list[str]:
    """Return the names of a list by commas; a comma in backquotes belongs to its key.

    Raises:
        Invalid: more than MAX_COLUMNS.
    """
    pieces = re.findall(r"(?:`(?:[^`\\]|\\.)*`|[^,])+", text, re.DOTALL)
    names = [piece.strip() for piece in pieces if piece.strip()]
    if len(names) > MAX_COLUMNS:
        raise Invalid(
            _("You can request at most %(most)s columns at once, not %(count)s.")
            % {"most": MAX_COLUMNS, "count": len(names)}
        )
    return names
