"""Filters of sweep events, as they are stored; the SDK knows none of these events.

    SWEEP_FINISHED   {"sweep": "^lr-", "ended": ["FINISHED", "STOPPED", "CANCELED"]}
    SWEEP_NEW_BEST   {"sweep": ""}
    SWEEP_RUNS_FAIL  {"sweep": "", "share": 0.5, "least_ended": 5}

``sweep`` is a regular expression that the name has to match, or the ID of a sweep; "" means all. ``ended``: how it
ended, by itself, stopped or canceled. ``share``: above which part of the runs that ended have failed or crashed (0-1),
once ``least_ended`` runs have ended. What `Event.data` holds of sweeps is said in `alerts.events`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import re2
from django.db.models import Value
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from alerts.content.sweeps import end_sentence
from automations.conditions.events import AutomationEvent
from common.errors import Invalid
from common.formats.lenient_json import clean_text
from common.templatetags.runyard import number
from runs.query.regex import Matches
from sweeps.participants import SweepEvent

MAX_PATTERN = 1000
MAX_LEAST_ENDED = 1_000_000
ENDS = {
    "FINISHED": gettext_lazy("on its own"),
    "STOPPED": gettext_lazy("stopped"),
    "CANCELED": gettext_lazy("canceled"),
}
"""How a sweep can have ended, as filters and events name it."""
WAITED = {
    SweepEvent.FINISHED.value: AutomationEvent.SWEEP_FINISHED,
    SweepEvent.NEW_BEST.value: AutomationEvent.SWEEP_NEW_BEST,
    SweepEvent.RUN_ENDED.value: AutomationEvent.SWEEP_RUNS_FAIL,
}
"""Which event of automations each event of sweeps may be."""
_FIELDS = {
    AutomationEvent.SWEEP_FINISHED: {"sweep", "ended"},
    AutomationEvent.SWEEP_NEW_BEST: {"sweep"},
    AutomationEvent.SWEEP_RUNS_FAIL: {"sweep", "share", "least_ended"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepTest:
    """What an automation asks of a sweep."""

    sweep: str = ""
    """A regular expression of names, or an ID; "" for all."""
    ended: tuple[str, ...] = tuple(ENDS)
    share: float = 0.5
    """Of the runs that ended, from 0 to 1: more than that have failed or crashed."""
    least_ended: int = 1

    def is_about(self, uid: str, name: str) -> bool:
        """Say whether a sweep is meant."""
        return not self.sweep or uid == self.sweep or re2.search(self.sweep, name) is not None

    def is_failing(self, failed: int, ended: int) -> bool:
        """Say whether too many runs have failed, of enough that ended."""
        return ended >= self.least_ended and ended > 0 and failed / ended > self.share


def parse_sweep_filter(event: AutomationEvent, tree: dict[str, Any]) -> tuple[dict[str, Any], SweepTest]:
    """Return the canonical filter of an event, and what it asks.

    Raises:
        Invalid: a field that the event does not have, or a value that it cannot have.
    """
    strange = sorted(tree.keys() - _FIELDS[event])
    if strange:
        raise Invalid(
            _("%(name)s has no field “%(strange)s”. Available: %(known)s.")
            % {"name": "eventFilter", "strange": strange[0], "known": ", ".join(sorted(_FIELDS[event]))}
        )
    sweep = _pattern(tree.get("sweep"))
    if event is AutomationEvent.SWEEP_FINISHED:
        ended = _ended(tree.get("ended"))
        return {"sweep": sweep, "ended": list(ended)}, SweepTest(sweep=sweep, ended=ended)
    if event is AutomationEvent.SWEEP_NEW_BEST:
        return {"sweep": sweep}, SweepTest(sweep=sweep)
    share, least = _share(tree.get("share")), _least_ended(tree.get("least_ended", 1))
    canonical = {"sweep": sweep, "share": share, "least_ended": least}
    return canonical, SweepTest(sweep=sweep, share=share, least_ended=least)


def _pattern(given: Any) -> str:
    if given is None:
        return ""
    if not isinstance(given, str) or len(given) > MAX_PATTERN:
        raise Invalid(
            _("%(field)s must be a text of at most %(most)s characters.")
            % {"field": "sweep", "most": MAX_PATTERN}
        )
    pattern = clean_text(given.strip())
    Matches(Value(""), pattern)  # says what is wrong with a pattern
    return pattern


def _ended(given: Any) -> tuple[str, ...]:
    """Return how it may have ended, in our order; nothing given means all."""
    wanted = list(ENDS) if given is None else [given] if isinstance(given, str) else given
    if not isinstance(wanted, list) or not wanted or not all(one in ENDS for one in wanted):
        raise Invalid(
            _("%(field)s must be a list of %(known)s, not %(value)s.")
            % {"field": "ended", "known": ", ".join(ENDS), "value": repr(given)[:80]}
        )
    return tuple(one for one in ENDS if one in wanted)


def _share(given: Any) -> float:
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not is_number or not 0 <= given < 1 or not math.isfinite(given):
        raise Invalid(
            _("%(field)s must be a number from 0 to less than 1, not %(value)s.")
            % {"field": "share", "value": repr(given)[:80]}
        )
    return float(given)


def _least_ended(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= MAX_LEAST_ENDED:
        raise Invalid(
            _("%(field)s must be a whole number from %(least)s to %(most)s, not %(value)s.")
            % {"field": "least_ended", "least": 1, "most": MAX_LEAST_ENDED, "value": repr(given)[:80]}
        )
    return given


def is_meant(event: AutomationEvent, test: SweepTest, data: Mapping[str, Any]) -> bool:
    """Say whether an event of a sweep is what is waited for; of failures, whether they are to be counted."""
    if WAITED.get(data["event"]) is not event or not test.is_about(data["sweep_id"], data["sweep_name"]):
        return False
    return event is not AutomationEvent.SWEEP_FINISHED or data["sweep_state"] in test.ended


def sweep_sentence(data: Mapping[str, Any]) -> str:
    """Say what happened to a sweep: ``lr-search: brisk-sweep-7 is the new best run, loss 0.03.``."""
    if data["event"] == SweepEvent.NEW_BEST:
        return best_sentence(data["sweep_name"], data["best_run"], data["metric"], data["best_value"])
    if data["event"] == SweepEvent.RUN_ENDED:
        return failing_sentence(data["sweep_name"], data["failed_runs"], data["ended_runs"])
    return f"{end_sentence(data)}."


def best_sentence(sweep: str, run: str, metric: str, value: float) -> str:
    """Say which run has the best value now."""
    words = {"sweep": sweep, "run": run, "metric": metric, "value": number(value)}
    return _("%(sweep)s: %(run)s is the new best run, %(metric)s %(value)s.") % words


def failing_sentence(sweep: str, failed: int, ended: int) -> str:
    """Say how many runs have failed."""
    sentence = ngettext(
        "%(sweep)s: %(failed)d of %(n)d run that ended has failed or crashed.",
        "%(sweep)s: %(failed)d of %(n)d runs that ended have failed or crashed.",
        ended,
    )
    return sentence % {"sweep": sweep, "failed": failed, "n": ended}


def condition_words(event: AutomationEvent, test: SweepTest) -> str:
    """Say what is waited for: ``Sweep ends (stopped or canceled)``."""
    if event is AutomationEvent.SWEEP_RUNS_FAIL:
        words = ngettext(
            "More than %(share)s%% of a sweep’s runs fail, of at least %(n)d that ended",
            "More than %(share)s%% of a sweep’s runs fail, of at least %(n)d that ended",
            test.least_ended,
        ) % {"share": f"{test.share * 100:g}", "n": test.least_ended}
    else:
        words = str(event.label)
        if len(test.ended) < len(ENDS):
            words = f"{words} ({_(' or ').join(str(ENDS[one]) for one in test.ended)})"
    return f"{words}: {test.sweep}" if test.sweep else words
