"""What is typed into the form, as changes of the text."""

from typing import Any

from django.utils.translation import gettext as _

from common.errors import Invalid
from sweeps.config.document import Method
from sweeps.config.yaml_text import number_in, read_yaml
from sweeps.editor.changes import put, remove, rename
from sweeps.editor.form import EARLY
from sweeps.editor.kinds import KINDS, as_kind, kind_of

_TEXTS = {"name", "program", "method", "metric.name", "metric.goal"}
_NUMBERS = {"run_cap", *(f"early_terminate.{key}" for key in EARLY)}
_BLANK_EARLY = {"type": "hyperband", "min_iter": 3}


def change_field(text: str, name: str, typed: str) -> str:
    """Return the text after one field outside the parameters has changed; an empty field takes its key away.

    Raises:
        Invalid: there is no such field, or as `sweeps.editor.changes.put`.
    """
    path = tuple(name.split("."))
    if name in {"early_terminate", "retry_crashed"}:
        return _switch(text, name, is_on=typed == "on")
    if name == "command":
        words = [word for line in typed.splitlines() if (word := line.strip())]
        return put(text, path, words) if words else remove(text, path)
    if name not in _TEXTS | _NUMBERS:
        raise Invalid(_("The form has no field “%(name)s”.") % {"name": name})
    if typed.strip():
        return put(text, path, typed if name in _TEXTS else _scalar(typed))
    left = remove(text, path)
    is_empty = name == "metric.name" and not _document(left).get("metric", True)
    return remove(left, path[:1]) if is_empty else left


def _switch(text: str, name: str, *, is_on: bool) -> str:
    if name == "early_terminate":
        return put(text, (name,), _BLANK_EARLY) if is_on else remove(text, (name,))
    is_usual = is_on == (_document(text).get("method") == Method.GRID)
    return remove(text, (name,)) if is_usual else put(text, (name,), is_on)


def change_parameter(text: str, name: str, field: str, typed: str) -> str:
    """Return the text after a row of the parameters has changed.

    Args:
        text: The configuration.
        name: The parameter's.
        field: ``name``, ``kind``, ``add``, ``remove`` or one of the kind's own.
        typed: What the field has now.

    Raises:
        Invalid: there is no such row or field, or what is typed is no YAML, or as `sweeps.editor.changes.put`.
    """
    path = ("parameters", name)
    rows = _document(text).get("parameters") or {}
    if field == "add":
        return put(text, ("parameters", _free_name(rows)), {"values": [1, 2, 3]})
    if not isinstance(rows, dict) or name not in rows:
        raise Invalid(_("The parameter “%(name)s” no longer exists.") % {"name": name})
    if field == "remove":
        return remove(text, path)
    if field == "name":
        return rename(text, path, typed.strip())
    if field == "kind":
        if typed not in KINDS:
            raise Invalid(_("The form has no field “%(name)s”.") % {"name": typed})
        return put(text, path, as_kind(rows[name], typed))
    return _change_part(text, rows[name], (*path, field), typed)


def _change_part(text: str, parameter: Any, path: tuple[str, ...], typed: str) -> str:
    kind, field = kind_of(parameter), path[-1]
    if kind is None or field not in kind.fields:
        raise Invalid(_("The form has no field “%(name)s”.") % {"name": field})
    if field in {"values", "probabilities"}:
        return put(text, path, _items(typed))
    if not typed.strip():
        return put(text, path, "") if field == "value" else remove(text, path)
    value = _scalar(typed)
    if kind.name == "uniform" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)  # whole bounds alone would mean whole numbers
    return put(text, path, value)


def _document(text: str) -> dict[str, Any]:
    document = read_yaml(text)
    return document if isinstance(document, dict) else {}


def _free_name(rows: Any) -> str:
    return next(name for number in range(1, 100_000) if (name := f"parameter_{number}") not in rows)


def _scalar(typed: str) -> Any:
    """Return the number, truth or text that somebody typed; 1e-3 is a number."""
    try:
        value = read_yaml(typed.strip())
    except Invalid:
        return typed
    return _as_number(value) if isinstance(value, str) else value


def _as_number(value: Any) -> Any:
    number = number_in(value) if isinstance(value, str) else None
    return value if number is None else number


def _items(typed: str) -> list[Any]:
    inner = typed.strip()
    value = read_yaml(inner if inner.startswith("[") and inner.endswith("]") else f"[{inner}]")
    if isinstance(value, list):
        return [_as_number(item) for item in value]
    raise Invalid(_("Separate values with commas."))
