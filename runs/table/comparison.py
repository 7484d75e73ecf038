"""Runs side by side (RUN-29): what they resulted in, their configuration, what they are, and where those differ."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from common.templatetags.runyard import duration, relative_time, state_dot
from runs.config.metric_definitions import MINIMIZE, definitions_of, most
from runs.config.metric_names import goal_by_name, rank_of
from runs.models import Run
from runs.names.authors import author_of
from runs.query.cells import number_text
from runs.secrets.masking import mask
from runs.table.catalogue import without_media
from runs.table.html import measured_number

LONGEST = 120
"""Characters of a value that are shown; all of it on hover."""


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """A run's value of a line."""

    text: str = ""
    """As shown; "" where the run has none."""
    title: str = ""
    """In full, where that is longer."""
    number: str = ""
    """What differences are computed with."""
    is_best: bool = False


@dataclass(frozen=True, slots=True)
class ComparisonLine:
    """One key and its value in each run."""

    key: str
    values: list[str]
    """As shown; "" where a run has none."""
    differs: bool
    cells: list[ComparedCell]
    goal: str = ""
    """Which direction is better: as scripts said, else as the name tells; "" where nothing does."""


@dataclass(frozen=True, slots=True)
class ComparisonSection:
    """Lines of one kind."""

    title: str
    lines: list[ComparisonLine]
    equal_count: int
    """How many lines are equal in all runs, shown or not."""
    name: str = ""
    """"summary" where differences between numbers mean something."""
    has_keys: bool = True
    """Whether lines are called by keys, not by words."""


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):  # a number that JSON has no word for
        return str(value[0])
    return f"{value:.6g}" if isinstance(value, float) else json.dumps(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _differs(values: Sequence[Any]) -> bool:
    return any(value != values[0] or type(value) is not type(values[0]) for value in values[1:])


def text_cell(text: str) -> ComparedCell:
    """Return the cell of a text, shortened where it is long."""
    shown = Truncator(text).chars(LONGEST)
    return ComparedCell(shown, "" if shown == text else text)


def _line(key: str, values: Sequence[Any]) -> ComparisonLine:
    texts = [_text(value) for value in values]
    return ComparisonLine(key, texts, _differs(values), [text_cell(text) for text in texts])


def _measured_line(key: str, values: Sequence[Any], goal: str) -> ComparisonLine:
    numbers = [value for value in values if _is_number(value)]
    is_spread = bool(goal) and len(numbers) > 1 and min(numbers) != max(numbers)
    best = (min if goal == MINIMIZE else max)(numbers) if is_spread else None
    cells = [
        ComparedCell(measured_number(value), number_text(value), number_text(value), is_best=value == best)
        if _is_number(value)
        else text_cell(_text(value))
        for value in values
    ]
    return ComparisonLine(key, [_text(value) for value in values], _differs(values), cells, goal)


def _keys(flats: Sequence[dict[str, Any]]) -> list[str]:
    return sorted({key for flat in flats for key in flat})


def _without_own(flat: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the SDK says, not the user, and what media consist of."""
    return {key: flat[key] for key in without_media(flat) if not key.startswith("_")}


def compare_flat(title: str, flats: Sequence[dict[str, Any]], *, with_equal: bool) -> ComparisonSection:
    """Compare trees of values in their flat form (`runs.config.flatten`), key by key."""
    lines = [_line(key, [flat.get(key) for flat in flats]) for key in _keys(flats)]
    return section_of(title, lines, with_equal=with_equal)


def _summary(runs: Sequence[Run], *, with_equal: bool) -> ComparisonSection:
    """Compare results, those first that matter most."""
    flats = [_without_own(run.pulse.summary_flat) for run in runs]
    newest_first = sorted(zip(runs, flats, strict=True), key=lambda pair: pair[0].pk, reverse=True)
    defined = [(definitions_of(run), flat) for run, flat in newest_first]
    lines = []
    for key in sorted(_keys(flats), key=rank_of):
        goal = most(definitions.goal_of(key) for definitions, flat in defined if key in flat)
        lines.append(_measured_line(key, [flat.get(key) for flat in flats], goal or goal_by_name(key)))
    return section_of(_("Summary"), lines, name="summary", with_equal=with_equal)


def section_of(
    title: str, lines: Sequence[ComparisonLine], *, with_equal: bool, name: str = "", has_keys: bool = True
) -> ComparisonSection:
    """Return a section with all of its lines, or those that differ."""
    shown = [line for line in lines if with_equal or line.differs]
    return ComparisonSection(title, shown, sum(not line.differs for line in lines), name, has_keys)


_FACTS: dict[str, Callable[[Run], str]] = {
    gettext_noop("State"): lambda run: format_html("{} {}", state_dot(run), run.state_label),
    gettext_noop("User"): lambda run: author_of(run, str(run.user or "")),
    gettext_noop("Created"): lambda run: relative_time(run.created_at),
    gettext_noop("Runtime"): lambda run: duration(run.runtime_s),
    gettext_noop("Tags"): lambda run: ", ".join(run.tags),
    gettext_noop("Group"): lambda run: run.group,
    gettext_noop("Job type"): lambda run: run.job_type,
    gettext_noop("Host"): lambda run: run.host,
    gettext_noop("Notes"): lambda run: mask(run.notes),
}
_DRAWN = ("State", "Created")
"""Facts that are more than text."""


def _facts(runs: Sequence[Run], *, with_equal: bool) -> ComparisonSection:
    lines = []
    for name, read in _FACTS.items():
        texts = [read(run) for run in runs]
        cells = [ComparedCell(text) if name in _DRAWN else text_cell(text) for text in texts]
        lines.append(ComparisonLine(_(name), texts, _differs(texts), cells))
    return section_of(_("Run"), lines, with_equal=with_equal, has_keys=False)


def compare_runs(runs: Sequence[Run], *, with_equal: bool) -> list[ComparisonSection]:
    """Return summary, configuration and facts of runs whose user and pulse are loaded."""
    configs = [_without_own(run.config_flat) for run in runs]
    return [
        _summary(runs, with_equal=with_equal),
        compare_flat(_("Config"), configs, with_equal=with_equal),
        _facts(runs, with_equal=with_equal),
    ]
