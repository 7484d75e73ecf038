"""Runs side by side (RUN-29): what they are, their configuration and summary, and where those differ."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from common.templatetags.runyard import duration
from runs.config.metric_definitions import definitions_of, most
from runs.models import Run
from runs.names.authors import author_of
from runs.secrets.masking import mask


@dataclass(frozen=True, slots=True)
class ComparisonLine:
    """One key and its value in each run."""

    key: str
    values: list[str]
    """As shown; "" where a run has none."""
    differs: bool
    best: tuple[int, int] | None = None
    """Places of the least and the greatest number."""
    goal: str = ""
    """Which of them is better, as `runs.config.metric_definitions` names it; "" where no script said so."""


@dataclass(frozen=True, slots=True)
class ComparisonSection:
    """Lines of one kind."""

    title: str
    lines: list[ComparisonLine]
    equal_count: int
    """How many lines are equal in all runs, shown or not."""


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):  # a number that JSON has no word for
        return str(value[0])
    return f"{value:.6g}" if isinstance(value, float) else json.dumps(value)


def _comparison_line(
    key: str, values: Sequence[Any], *, is_measured: bool = False, goal: str = ""
) -> ComparisonLine:
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    spread = is_measured and len(numbers) > 1 and min(numbers) != max(numbers)
    best = (values.index(min(numbers)), values.index(max(numbers))) if spread else None
    texts = [_text(value) for value in values]
    differs = any(value != values[0] or type(value) is not type(values[0]) for value in values[1:])
    return ComparisonLine(key, texts, differs, best, goal)


def _keys(flats: Sequence[dict[str, Any]]) -> list[str]:
    return sorted({key for flat in flats for key in flat})


def _without_own(flat: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the SDK says, not the user."""
    return {key: value for key, value in flat.items() if not key.startswith("_")}


def compare_flat(title: str, flats: Sequence[dict[str, Any]], *, with_equal: bool) -> ComparisonSection:
    """Compare trees of values in their flat form (`runs.config.flatten`), key by key."""
    lines = [_comparison_line(key, [flat.get(key) for flat in flats]) for key in _keys(flats)]
    return _section(title, lines, with_equal=with_equal)


def _summary(runs: Sequence[Run], *, with_equal: bool) -> ComparisonSection:
    flats = [_without_own(run.pulse.summary_flat) for run in runs]
    newest_first = sorted(zip(runs, flats, strict=True), key=lambda pair: pair[0].pk, reverse=True)
    defined = [(definitions_of(run), flat) for run, flat in newest_first]
    lines = []
    for key in _keys(flats):
        goal = most(definitions.goal_of(key) for definitions, flat in defined if key in flat)
        lines.append(_comparison_line(key, [flat.get(key) for flat in flats], is_measured=True, goal=goal))
    return _section(_("Summary"), lines, with_equal=with_equal)


def _section(title: str, lines: Sequence[ComparisonLine], *, with_equal: bool) -> ComparisonSection:
    shown = [line for line in lines if with_equal or line.differs]
    return ComparisonSection(title, shown, sum(not line.differs for line in lines))


_FACTS: dict[str, Callable[[Run], str]] = {
    gettext_noop("State"): lambda run: run.state_label,
    gettext_noop("User"): lambda run: author_of(run, str(run.user or "")),
    gettext_noop("Created"): lambda run: f"{run.created_at:%Y-%m-%d %H:%M:%S} UTC",
    gettext_noop("Runtime"): lambda run: duration(run.runtime_s),
    gettext_noop("Tags"): lambda run: ", ".join(run.tags),
    gettext_noop("Group"): lambda run: run.group,
    gettext_noop("Job type"): lambda run: run.job_type,
    gettext_noop("Host"): lambda run: run.host,
    gettext_noop("Git commit"): lambda run: run.git_commit,
    gettext_noop("Notes"): lambda run: mask(run.notes),
}


def compare_runs(runs: Sequence[Run], *, with_equal: bool) -> list[ComparisonSection]:
    """Return facts, configuration and summary of runs whose user and pulse are loaded."""
    facts = [{_(name): read(run) for name, read in _FACTS.items()} for run in runs]
    names = [_comparison_line(name, [fact[name] for fact in facts]) for name in (facts[0] if facts else {})]
    return [
        _section(_("Run"), names, with_equal=with_equal),
        compare_flat(_("Config"), [_without_own(run.config_flat) for run in runs], with_equal=with_equal),
        _summary(runs, with_equal=with_equal),
    ]
