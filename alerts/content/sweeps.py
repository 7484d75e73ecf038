"""What messages say of a sweep that has finished, to who created it and to its team (RUN-50)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from alerts.content.counts import count_states
from alerts.models import Event, EventKind, Level
from common.templatetags.runyard import number
from runs.models import Project
from runs.states import RunState
from sweeps.models import SweepState


@dataclass(slots=True)
class SweepNews:
    """That one of the sweeps that a message is about has finished."""

    event: Event
    project: Project

    text = ""
    level = Level.INFO

    @property
    def title(self) -> str:
        """What happened, in one line that names the sweep."""
        return end_sentence(self.event.data)

    @property
    def url(self) -> str:
        """Where the sweep is."""
        return f"{settings.BASE_URL}{self.event.data['path']}"

    @property
    def variables(self) -> dict[str, str]:
        """What payload templates may name of it."""
        place = {"entity_name": self.project.team.name, "project_name": self.project.name}
        return {"event_type": str(self.event.data["event"]), **place, **sweep_variables(self.event.data)}

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Label and value: project, best value, runs by state."""
        where = f"{self.project.team.name}/{self.project.name}"
        return ((_("Project"), where), *sweep_fields(self.event.data))


def sweep_news(events: Iterable[Event]) -> list[SweepNews]:
    """Return the news of sweeps among events."""
    return [
        SweepNews(event, event.project)
        for event in events
        if event.kind == EventKind.SWEEP and event.project is not None
    ]


def end_sentence(data: Mapping[str, Any]) -> str:
    """Say how a sweep ended, by what its event holds: ``lr-search finished``."""
    return end_words(data["sweep_name"], data["sweep_state"])


def end_words(name: str, state: str) -> str:
    """Say how a sweep ended, by its name and its state as events have it."""
    sentences = {
        SweepState.FINISHED.value: _("%(sweep)s finished"),
        SweepState.CANCELED.value: _("%(sweep)s was canceled"),
    }
    return sentences.get(state, _("%(sweep)s was stopped")) % {"sweep": name}


def sweep_variables(data: Mapping[str, Any]) -> dict[str, str]:
    """Return what payload templates may name of the sweep of an event; what it does not know is left out."""
    named = {
        "event_author": data.get("author"),
        "sweep_id": data["sweep_id"],
        "sweep_name": data["sweep_name"],
        "sweep_url": f"{settings.BASE_URL}{data['path']}",
        "sweep_state": data["sweep_state"],
        "best_value": data.get("best_value"),
        "best_run": data.get("best_run"),
        "best_run_url": f"{settings.BASE_URL}{data['best_run_path']}" if data.get("best_run_path") else None,
        "failed_runs": data["failed_runs"],
        "ended_runs": data["ended_runs"],
    }
    return {name: str(value) for name, value in named.items() if value is not None}


def sweep_fields(data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return label and value of what a message shows of a sweep beside its words."""
    best = data.get("best_value")
    fields = [
        (_("Best %(metric)s") % {"metric": data["metric"]}, "" if best is None else number(best)),
        (_("Best run"), str(data.get("best_run", ""))),
        (_("Runs"), _counts(data["states"])),
    ]
    return tuple(field for field in fields if field[1])


def _counts(states: Mapping[str, int]) -> str:
    """Return ``12 runs finished, 1 run failed``; those that go on come last."""
    going_on = {RunState.PENDING, RunState.RUNNING, RunState.PREEMPTING}
    parts = count_states({state: n for state, n in states.items() if state not in going_on})
    if active := sum(states.get(state, 0) for state in going_on):
        parts.append(_("%(n)d unfinished") % {"n": active})
    return ", ".join(parts)
