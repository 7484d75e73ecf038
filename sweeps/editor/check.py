"""What is wrong in a configuration, and on which lines; what it comes to; and the form's view of it."""

import re
from dataclasses import dataclass, field
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common.errors import Invalid
from sweeps.config.document import Method, SweepConfig, config_in
from sweeps.config.problems import path_text
from sweeps.config.yaml_text import MOST_BYTES, read_yaml
from sweeps.editor.form import FormView, form_view
from sweeps.editor.outline import Outline, outline_of, spot_of
from sweeps.lifecycle.services import grid_size

_MOST_PROBLEMS = 20
LONGEST_FORM = 64_000
"""Characters; the form leaves larger texts alone."""
_PATH = re.compile(r"^[\w.\[\]-]+: ")
_STAND_INS = {
    "method": "random",
    "metric": {"name": "metric", "goal": "minimize"},
    "parameters": {"parameter": {"values": [1, 2]}},
}
"""What takes the place of a faulty part while the rest is looked at."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A sentence, the path it is about, and its line from 1; no path and no line where it is about the whole."""

    path: str
    message: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Check:
    """What is to be said of a text."""

    errors: list[Problem]
    warnings: list[Problem] = field(default_factory=list)
    summary: str = ""
    points: int | None = None
    """Of a grid."""
    form: FormView | None = None
    """None where the form cannot show the text."""
    has_comments: bool = False


def check(text: str) -> Check:
    """Look at a configuration, right or wrong."""
    if len(text) > MOST_BYTES:
        return Check([_problem(text, Outline(), _refusal(text))])
    outline = outline_of(text)
    try:
        document = read_yaml(text)
    except Invalid as error:
        return Check([_problem(text, outline, error.message)])
    is_mapping = isinstance(document, dict)
    view = (
        form_view(document or {}) if (is_mapping or document is None) and len(text) <= LONGEST_FORM else None
    )
    messages, config = _read(document, outline)
    warnings = config.warnings if config else ()
    size = config.space.size() if config and config.method is Method.GRID else None
    return Check(
        errors=[_problem(text, outline, message) for message in messages],
        warnings=[_problem(text, outline, message) for message in warnings],
        summary=_summary(config) if config else "",
        points=size,
        form=view,
        has_comments=re.search(r"(?:^|\s)#", text) is not None,
    )


def _refusal(text: str) -> str:
    try:
        read_yaml(text)
    except Invalid as error:
        return error.message
    return ""


def _read(document: Any, outline: Outline) -> tuple[list[str], SweepConfig | None]:
    """Return all mistakes: behind each, the faulty part is left out and the rest is read again."""
    messages: list[str] = []
    while len(messages) < _MOST_PROBLEMS:
        try:
            config = config_in(document)
            grid_size(config)
        except Invalid as error:
            if error.message in messages:
                break
            messages.append(error.message)
            place = spot_of(outline.root, error.message)
            rest = _without(document, place.path if place else _named(error.message))
            if rest is None:
                break
            document = rest
        else:
            return messages, None if messages else config
    return messages, None


def _named(message: str) -> tuple[str, ...]:
    """Return the path of a key that is missing."""
    found = _PATH.match(message)
    return (found[0].partition(":")[0].partition(".")[0],) if found else ()


def _without(document: Any, path: tuple[str | int, ...]) -> dict[Any, Any] | None:
    """Return a document without the part that a path is in, None where nothing is left to look at."""
    if not path or not isinstance(document, dict):
        return None
    rest = dict(document)
    top, parameters = path[0], document.get(str(path[0]))
    if top == "parameters" and len(path) > 1 and isinstance(parameters, dict) and len(parameters) > 1:
        rest["parameters"] = {name: one for name, one in parameters.items() if name != path[1]}
    elif top in _STAND_INS:
        rest[top] = _STAND_INS[str(top)]
    else:
        rest.pop(top, None)
    return rest


def _problem(text: str, outline: Outline, message: str) -> Problem:
    place, found = spot_of(outline.root, message), _PATH.match(message)
    line = outline.broken_at if place is None else text.count("\n", 0, place.at) + 1
    for path in _spellings(place.path) if place else ():
        if message.startswith(f"{path}: "):
            return Problem(path, message.removeprefix(f"{path}: "), line)
    if found:
        return Problem(found[0].removesuffix(": "), message[found.end() :], line)
    return Problem("", message, line)


def _spellings(path: tuple[str | int, ...]) -> tuple[str, str]:
    """Return how messages write a path: positions in brackets, or as names."""
    return path_text(path), ".".join(map(str, path))


def _summary(config: SweepConfig) -> str:
    """Return how many runs a sweep comes to, in words."""
    size, cap = config.space.size(), config.run_cap
    if config.method is Method.GRID and size is not None:
        count = size if cap is None else min(size, cap)
        if count < size:
            return _("%(cap)s runs of %(size)s combinations") % {
                "cap": number_format(count, force_grouping=True), "size": number_format(size, force_grouping=True)
            }  # fmt: skip
        return ngettext(
            "%(count)s run: every combination once", "%(count)s runs: every combination once", size
        ) % {"count": number_format(size, force_grouping=True)}
    if cap is not None:
        return ngettext("at most %(count)s run", "at most %(count)s runs", cap) % {
            "count": number_format(cap, force_grouping=True)
        }
    return _("unlimited runs, until you stop it or set a run cap")
