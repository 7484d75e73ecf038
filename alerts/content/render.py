"""What a message says: one run's news in full, or a digest of many runs (ALR-4, ALR-5, wish 80)."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from alerts.automation_provider import automation_provider
from alerts.content.counts import count_states
from alerts.content.sweeps import SweepNews, sweep_news
from alerts.models import Event, EventKind, Level, Message
from alerts.notices.notice import Notice, NoticeLine
from common.templatetags.runyard import duration, number
from runs.lifecycle.services import path_of
from runs.models import Project, Pulse, Run
from runs.states import RunState

SEVERAL = "SEVERAL"
"""The event of a message about several kinds of them."""
MOST_VALUES = 5
"""Of a run's summary."""
_LEVELS = {
    RunState.CRASHED: Level.ERROR, RunState.FAILED: Level.ERROR, RunState.KILLED: Level.WARN,
}  # fmt: skip
_URGENCY = (Level.INFO, Level.WARN, Level.ERROR)


@dataclass(slots=True)
class RunNews:
    """What happened to one of the runs that a message is about."""

    run: Run
    state: str = ""
    """Its last state among the events; "" where none is about states."""
    alerts: list[Event] = field(default_factory=list)
    met: list[Event] = field(default_factory=list)
    """Conditions of automations that metrics met."""

    @property
    def project(self) -> Project:
        """Where the run is."""
        return self.run.project

    @property
    def event_type(self) -> str:
        """What happened, as payloads name it."""
        kinds = {event.kind for event in (*self.alerts, *self.met)}
        if self.state or not kinds:
            kinds.add(EventKind.RUN_STATE)
        return str(kinds.pop()).upper() if len(kinds) == 1 else SEVERAL

    @property
    def text(self) -> str:
        """What its alerts say, of several each under its title, and what metrics did."""
        texts = [(_one_line(event.data["title"]), str(event.data["text"]).strip()) for event in self.alerts]
        sentences = (
            [texts[0][1]] if len(texts) == 1 else [f"{title}\n{text}".strip() for title, text in texts]
        )
        sentences += [automation_provider().describe(event) for event in self.met if event.automation]
        return "\n\n".join(filter(None, sentences))

    @property
    def variables(self) -> dict[str, str]:
        """What payload templates may name of the run."""
        run = self.run
        data = {"state": self.state}
        event = Event(
            kind=EventKind.RUN_STATE, team=run.project.team, project=run.project, run=run, data=data
        )
        return variables_of(event) | {"event_type": self.event_type}

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
            return f"{self.run.display_name}: {_first_and_count(titles)}"
        ended = _sentence(self.state) % {"run": self.run.display_name}
        return f"{ended}: {_first_and_count(titles)}" if titles else ended

    @property
    def url(self) -> str:
        """Where the run is."""
        return f"{settings.BASE_URL}{path_of(self.run)}"


News = RunNews | SweepNews


def notice_from(message: Message, events: Sequence[Event]) -> Notice:
    """Return what is sent: an automation's own words of one event, ours of several."""
    if message.automation is not None and len(events) == 1:
        return automation_provider().notice_of(message, events[0])
    return notice_of(message, events)


def notice_of(message: Message, events: Sequence[Event]) -> Notice:
    """Return what a message says of its events, in the active language; they are read by `events.with_runs`."""
    if message.automation is not None and all(event.run is None for event in events):
        return _name_automation(message, _notice_without_run(message, events))
    news = news_of(events)
    notice = _single_notice(message, news[0]) if len(news) == 1 else _digest_notice(message, news)
    if message.automation is None:
        return notice
    return _name_automation(message, notice)


def news_of(events: Sequence[Event]) -> list[News]:
    """Gather events by the run or sweep that they are about."""
    return [*news_by_run(events), *sweep_news(events)]


def news_by_run(events: Iterable[Event]) -> list[RunNews]:
    """Gather events by run: an alert and the end of the same run are one piece of news (wish 80)."""
    found: dict[int, RunNews] = {}
    for event in events:
        if event.run is None:
            continue
        news = found.setdefault(event.run.pk, RunNews(event.run))
        if event.kind == EventKind.RUN_STATE:
            news.state = event.data["state"]
        elif event.kind == EventKind.RUN_ALERT:
            news.alerts.append(event)
        elif event.kind == EventKind.RUN_METRIC:
            news.met.append(event)
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


def project_label(projects: Iterable[Project]) -> str:
    """Name the one project of all news, or say how many projects there are."""
    paths = sorted({f"{project.team.name}/{project.name}" for project in projects})
    if len(paths) == 1:
        return paths[0]
    return ngettext("%(n)d project", "%(n)d projects", len(paths)) % {"n": len(paths)}


def _single_notice(message: Message, news: News) -> Notice:
    fields = _fields_of(news) if isinstance(news, RunNews) else news.fields
    return Notice(
        uid=str(message.uid), title=news.title, text=news.text, level=news.level, url=news.url,
        fields=fields, variables=news.variables,
    )  # fmt: skip


def _fields_of(news: RunNews) -> tuple[tuple[str, str], ...]:
    run = news.run
    fields = [
        (_("Project"), project_label([run.project])),
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


def _digest_notice(message: Message, news: Sequence[News]) -> Notice:
    """Return a digest: counts in the title, sweeps first, then the most urgent runs."""
    ordered = sorted(news, key=lambda each: (isinstance(each, RunNews), -_URGENCY.index(Level(each.level))))
    lines = tuple(
        NoticeLine(words=each.title, url=each.url, text=each.text, level=each.level, variables=each.variables)
        for each in ordered
    )
    project = ordered[0].project
    is_one = len({each.project.pk for each in news}) == 1
    level = max((Level(each.level) for each in news), key=_URGENCY.index)
    names = {"what": _count_news(news), "where": project_label(each.project for each in news)}
    return Notice(
        uid=str(message.uid), title=_("%(what)s in %(where)s") % names, text="", level=level,
        url=f"{settings.BASE_URL}/{project.team.name}/{project.name}" if is_one else settings.BASE_URL,
        lines=lines, variables=_shared_variables(lines),
    )  # fmt: skip


def _shared_variables(lines: Sequence[NoticeLine]) -> dict[str, str]:
    """Return the variables that are alike for all runs: a digest must not pass for news of one of them."""
    first, *others = [line.variables for line in lines]
    alike = {
        name: value for name, value in first.items() if all(other.get(name) == value for other in others)
    }
    return {"event_type": SEVERAL, **alike}


def _notice_without_run(message: Message, events: Sequence[Event]) -> Notice:
    """Return a digest of what happened to artifacts or sweeps; only automations send these."""
    provider = automation_provider()
    each = [(event, provider.notice_of(message, event)) for event in events]
    lines = tuple(
        NoticeLine(words=provider.describe(event), url=one.url, level=one.level, variables=one.variables)
        for event, one in each
    )
    title = (
        ngettext("%(n)d sweep event", "%(n)d sweep events", len(lines))
        if all(event.kind == EventKind.SWEEP for event in events)
        else ngettext("%(n)d artifact change", "%(n)d artifact changes", len(lines))
    ) % {"n": len(lines)}
    shared = _shared_variables(lines)
    return Notice(
        uid=str(message.uid), title=title, text="", url=settings.BASE_URL, lines=lines, variables=shared
    )


def _name_automation(message: Message, notice: Notice) -> Notice:
    """Name the automation that several events have set off."""
    automation = message.automation
    title = f"{automation.name}: {notice.title}" if automation else notice.title
    level = automation.severity if automation else notice.level
    return Notice(
        uid=notice.uid, title=title, text=notice.text, level=level, url=notice.url, fields=notice.fields,
        lines=notice.lines, variables=notice.variables,
    )  # fmt: skip


def _count_news(news: Sequence[News]) -> str:
    """Say how many sweeps ended, how many runs ended how, and how many sent alerts."""
    runs = [each for each in news if isinstance(each, RunNews)]
    states = Counter(each.state for each in runs if each.state)
    parts = count_states(states)
    if alerting := sum(1 for each in runs if each.alerts):
        parts.append(ngettext("%(n)d run sent alerts", "%(n)d runs sent alerts", alerting) % {"n": alerting})
    if others := sum(1 for each in runs if not each.state and not each.alerts):
        parts.append(ngettext("%(n)d run", "%(n)d runs", others) % {"n": others})
    if sweeps := len(news) - len(runs):
        parts.insert(0, ngettext("%(n)d sweep ended", "%(n)d sweeps ended", sweeps) % {"n": sweeps})
    return ", ".join(parts)


def _sentence(state: str) -> str:
    return {
        RunState.FINISHED: _("%(run)s finished"),
        RunState.FAILED: _("%(run)s failed"),
        RunState.CRASHED: _("%(run)s crashed"),
        RunState.KILLED: _("%(run)s was stopped"),
    }.get(RunState(state), _("%(run)s changed state"))


def _first_and_count(titles: Sequence[str]) -> str:
    """Return the first title and how many more there are."""
    if len(titles) < 2:
        return "".join(titles) or _("a metric met a condition")
    more = len(titles) - 1
    return ngettext("%(title)s and %(n)d more alert", "%(title)s and %(n)d more alerts", more) % {
        "title": titles[0], "n": more,
    }  # fmt: skip


def _one_line(text: str) -> str:
    return " ".join(text.split())
