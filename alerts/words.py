"""What a message says: one run's news in full, or a digest of many runs (ALR-4, ALR-5, wish 80)."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from alerts.models import Event, EventKind, Level, Message
from alerts.transports.base import Line, Notice
from common.templatetags.runyard import duration, number
from runs.models import Pulse, Run
from runs.services.lifecycle import path_of
from runs.states import RunState

MOST_LINES = 20
"""Of a digest; it says how many more there are."""
MOST_VALUES = 5
"""Of a run's summary."""
_LEVELS = {
    RunState.CRASHED: Level.ERROR, RunState.FAILED: Level.ERROR, RunState.KILLED: Level.WARN,
}  # fmt: skip
_URGENCY = (Level.INFO, Level.WARN, Level.ERROR)


@dataclass(slots=True)
class Told:
    """What happened to one run, of all that one message is about."""

    run: Run
    state: str = ""
    """Its last state among the events; "" where none is about states."""
    alerts: list[Event] = field(default_factory=list)

    @property
    def level(self) -> str:
        """The most urgent of all."""
        levels = [Level(event.data["level"]) for event in self.alerts]
        if self.state:
            levels.append(_LEVELS.get(RunState(self.state), Level.INFO))
        return max(levels, key=_URGENCY.index, default=Level.INFO)

    @property
    def title(self) -> str:
        """What happened, in one line that names the run."""
        titles = [_one_line(event.data["title"]) for event in self.alerts]
        if not self.state:
            return f"{self.run.display_name}: {_some(titles)}"
        ended = _sentence(self.state) % {"run": self.run.display_name}
        return f"{ended}: {_some(titles)}" if titles else ended

    @property
    def url(self) -> str:
        """Where the run is."""
        return f"{settings.BASE_URL}{path_of(self.run)}"


def notice_of(message: Message, events: Sequence[Event]) -> Notice:
    """Return what a message says of its events, in the active language; they are read by `events.with_runs`."""
    told = told_of(events)
    if not told:
        return _of_no_run(message, events)
    notice = _of_one(message, told[0]) if len(told) == 1 else _of_many(message, told)
    if message.automation is None:
        return notice
    return _by_automation(message, notice)


def told_of(events: Iterable[Event]) -> list[Told]:
    """Gather events by run: an alert and the end of the same run are one piece of news (wish 80)."""
    found: dict[int, Told] = {}
    for event in events:
        if event.run is None:
            continue
        told = found.setdefault(event.run.pk, Told(event.run))
        if event.kind == EventKind.RUN_STATE:
            told.state = event.data["state"]
        elif event.kind == EventKind.RUN_ALERT:
            told.alerts.append(event)
    return list(found.values())


def variables_of(event: Event) -> dict[str, str]:
    """Return what payload templates may name of an event."""
    found = {
        "event_type": str(event.kind).upper(),
        "entity_name": event.team.name,
        "project_name": event.project.name if event.project else "",
    }
    run = event.run
    if run is not None:
        found |= {
            "entity_name": run.project.team.name,
            "project_name": run.project.name,
            "event_author": run.user.username if run.user else "",
            "run_id": run.uid,
            "run_name": run.display_name,
            "run_url": f"{settings.BASE_URL}{path_of(run)}",
            "run_state": str(event.data.get("state") or run.state),
        }
    return found


def place_of(runs: Iterable[Run]) -> str:
    """Name the project of runs, or say how many projects there are."""
    places = sorted({f"{run.project.team.name}/{run.project.name}" for run in runs})
    if len(places) == 1:
        return places[0]
    return ngettext("%(n)d project", "%(n)d projects", len(places)) % {"n": len(places)}


def _of_one(message: Message, told: Told) -> Notice:
    return Notice(
        uid=str(message.uid), title=told.title, text=_text_of(told), level=told.level, url=told.url,
        fields=_fields_of(told), variables=_variables_of(told),
    )  # fmt: skip


def _text_of(told: Told) -> str:
    """Return the texts of alerts; of several each under its title."""
    texts = [str(event.data["text"]).strip() for event in told.alerts]
    if len(texts) == 1:
        return texts[0]
    titles = [_one_line(event.data["title"]) for event in told.alerts]
    return "\n\n".join(f"{title}\n{text}".strip() for title, text in zip(titles, texts, strict=True))


def _variables_of(told: Told) -> dict[str, str]:
    run = told.run
    event = told.alerts[-1] if told.alerts and not told.state else None
    kind = EventKind.RUN_ALERT if event is not None else EventKind.RUN_STATE
    data = {"state": told.state}
    return variables_of(Event(kind=kind, team=run.project.team, project=run.project, run=run, data=data))


def _fields_of(told: Told) -> tuple[tuple[str, str], ...]:
    run = told.run
    fields = [
        (_("Project"), place_of([run])),
        (_("State"), run.state_label),
        (_("Duration"), duration(run.duration_s)),
    ]
    if run.exit_code:
        fields.append((_("Exit code"), str(run.exit_code)))
    if run.user is not None:
        fields.append((_("Author"), run.user.username))
    return tuple(fields + _last_values(run))


def _last_values(run: Run) -> list[tuple[str, str]]:
    """Return numbers of the summary as they are now; what begins with _ is the SDK's own."""
    flat = Pulse.objects.filter(run=run).values_list("summary_flat", flat=True).first() or {}
    values = [
        (key, number(value))
        for key, value in flat.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not key.startswith("_")
    ]
    return values[:MOST_VALUES]


def _of_many(message: Message, told: Sequence[Told]) -> Notice:
    """Return a digest: counts in the title, the most urgent runs first."""
    ordered = sorted(told, key=lambda each: -_URGENCY.index(Level(each.level)))
    lines = [Line(words=each.title, url=each.url) for each in ordered[:MOST_LINES]]
    if more := len(ordered) - MOST_LINES:
        words = ngettext("and %(n)d more run", "and %(n)d more runs", more) % {"n": more}
        lines += [Line(words=words)] if more > 0 else []
    places = {each.run.project_id: each.run.project for each in told}
    project = ordered[0].run.project
    is_one = len(places) == 1
    names = {"what": _counted(told), "where": place_of(each.run for each in told)}
    return Notice(
        uid=str(message.uid), title=_("%(what)s in %(where)s") % names, text="", level=ordered[0].level,
        url=f"{settings.BASE_URL}/{project.team.name}/{project.name}" if is_one else settings.BASE_URL,
        lines=tuple(lines), variables=_variables_of(ordered[0]),
    )  # fmt: skip


def _of_no_run(message: Message, events: Sequence[Event]) -> Notice:
    """Return what is said of things that are no runs, of which only automations tell."""
    automation = message.automation
    title = automation.title or automation.name if automation else ""
    text = automation.message if automation else ""
    return Notice(uid=str(message.uid), title=title, text=text, variables=variables_of(events[0]))


def _by_automation(message: Message, notice: Notice) -> Notice:
    """Name the automation that several events have set off."""
    automation = message.automation
    title = f"{automation.name}: {notice.title}" if automation else notice.title
    level = automation.severity if automation else notice.level
    return Notice(
        uid=notice.uid, title=title, text=notice.text, level=level, url=notice.url, fields=notice.fields,
        lines=notice.lines, variables=notice.variables,
    )  # fmt: skip


def _counted(told: Sequence[Told]) -> str:
    """Say how many runs ended how, and how many sent alerts."""
    states = Counter(each.state for each in told if each.state)
    parts = [_number_of(state, states[state]) for state in RunState.values if states[state]]
    if alerting := sum(1 for each in told if each.alerts):
        parts.append(ngettext("%(n)d run sent alerts", "%(n)d runs sent alerts", alerting) % {"n": alerting})
    if others := sum(1 for each in told if not each.state and not each.alerts):
        parts.append(ngettext("%(n)d run", "%(n)d runs", others) % {"n": others})
    return ", ".join(parts)


def _number_of(state: str, count: int) -> str:
    said = {
        RunState.FINISHED: ngettext("%(n)d run finished", "%(n)d runs finished", count),
        RunState.FAILED: ngettext("%(n)d run failed", "%(n)d runs failed", count),
        RunState.CRASHED: ngettext("%(n)d run crashed", "%(n)d runs crashed", count),
        RunState.KILLED: ngettext("%(n)d run was stopped", "%(n)d runs were stopped", count),
    }
    other = ngettext("%(n)d run changed its state", "%(n)d runs changed their state", count)
    return said.get(RunState(state), other) % {"n": count}


def _sentence(state: str) -> str:
    return {
        RunState.FINISHED: _("%(run)s finished"),
        RunState.FAILED: _("%(run)s failed"),
        RunState.CRASHED: _("%(run)s crashed"),
        RunState.KILLED: _("%(run)s was stopped"),
    }.get(RunState(state), _("%(run)s changed its state"))


def _some(titles: Sequence[str]) -> str:
    """Return the first title and how many more there are."""
    if len(titles) < 2:
        return "".join(titles) or _("a metric met a condition")
    more = len(titles) - 1
    return ngettext("%(title)s and %(n)d more alert", "%(title)s and %(n)d more alerts", more) % {
        "title": titles[0], "n": more,
    }  # fmt: skip


def _one_line(text: str) -> str:
    return " ".join(text.split())
