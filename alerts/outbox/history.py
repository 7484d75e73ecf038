"""What somebody was notified of: their last mails, and notifications about one run."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from access.actor import Actor
from access.engine import visible
from alerts.content.sweeps import end_sentence
from alerts.models import Delivery, Event, EventKind, Message, MessageState
from alerts.recipients import live_sweeps
from runs.access import RunAction
from runs.lifecycle.services import path_of
from runs.models import Run
from runs.states import RunState
from sweeps.access import SweepAction
from teams.teams.selectors import personal_team_of

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class MessageSummary:
    """A message as lists show it."""

    message: Message
    what: str
    """What happened: of one event its run and state or title, of several how many."""
    where: str
    """Entity and project, where the reader may see the run."""
    url: str

    @property
    def error(self) -> str:
        """Why it is not there yet, or never came: the mail server's word goes before the step that handed it over."""
        mail = self.message.mail
        return mail.error if mail is not None and mail.error else self.message.error

    @property
    def state(self) -> str:
        """What became of it; a mail that no server took yet is still waiting."""
        mail = self.message.mail
        is_waiting = mail is not None and mail.kept_at is None
        return MessageState.WAITING if is_waiting else self.message.state

    @property
    def at(self) -> datetime:
        """When it was sent, or began to wait."""
        return self.message.ended_at or self.message.opened_at

    @property
    def state_label(self) -> str:
        """What pages call the state."""
        return str(MessageState(self.state).label)


def recent_mail(actor: Actor) -> list[MessageSummary]:
    """Return the last mails to the actor, the newest first; what they no longer see has no name there."""
    rows = Message.objects.filter(user_id=actor.lookup_id).select_related("mail").order_by("-pk")[:_SHOWN]
    mails = {row.pk: row for row in rows}
    deliveries = Delivery.objects.filter(message__in=mails).order_by().values("message_id")
    counted = {
        row["message_id"]: (row["n"], row["first"])
        for row in deliveries.annotate(n=Count("pk"), first=Min("event_id"))
    }
    related = Event.objects.select_related("run__project__team", "project__team")
    events = related.in_bulk([key for _n, key in counted.values()])
    runs = Run.objects.live().filter(pk__in={event.run_id for event in events.values() if event.run_id})
    seen = set(visible(actor, RunAction.VIEW, runs).values_list("pk", flat=True))
    sweeps = visible(actor, SweepAction.VIEW, live_sweeps(events.values()))
    seen_sweeps = set(sweeps.values_list("pk", flat=True))
    found = []
    for key, row in mails.items():
        n, first = counted.get(key, (0, 0))
        event = events.get(first)
        if event is not None and event.sweep_id is not None:
            found.append(_summary_of_sweep(row, n, event, is_seen=event.sweep_id in seen_sweeps))
        else:
            found.append(_message_summary(row, n, event, seen))
    return found


def _message_summary(message: Message, n_events: int, event: Event | None, seen: set[int]) -> MessageSummary:
    run = event.run if event is not None and event.run_id in seen else None
    if event is None or (run is None and n_events > 1):
        return MessageSummary(
            message, ngettext("%(n)d event", "%(n)d events", n_events) % {"n": n_events}, "", ""
        )
    if run is None:
        return MessageSummary(message, _("About a run you can no longer see"), "", "")
    what, where = (
        f"{run.display_name}: {describe_event(event)}",
        f"{run.project.team.name}/{run.project.name}",
    )
    return _summary(message, n_events, what, where, path_of(run))


def _summary_of_sweep(message: Message, n_events: int, event: Event, *, is_seen: bool) -> MessageSummary:
    """Return what is said of a message whose first event is about a sweep."""
    if not is_seen or event.project is None:
        return MessageSummary(message, _("About a sweep you can no longer see"), "", "")
    where = f"{event.project.team.name}/{event.project.name}"
    return _summary(message, n_events, end_sentence(event.data), where, str(event.data["path"]))


def _summary(message: Message, n_events: int, what: str, where: str, url: str) -> MessageSummary:
    if n_events > 1:
        more = ngettext("and %(n)d more event", "and %(n)d more events", n_events - 1) % {"n": n_events - 1}
        return MessageSummary(message, f"{what}, {more}", "", url)
    return MessageSummary(message, what, where, url)


def describe_event(event: Event) -> str:
    """Return in short what happened: the run's new state, or the title of an alert."""
    if event.kind == EventKind.RUN_STATE and event.data.get("state") in RunState.values:
        return str(RunState(event.data["state"]).label)
    return str(event.data.get("title") or EventKind(event.kind).label)


@dataclass(frozen=True, slots=True)
class RunNotification:
    """A notification about a run to its author."""

    what: str
    channel: str
    """How: the name of a destination, "" by mail."""
    summary: MessageSummary


def run_notifications(actor: Actor, run: Run) -> list[RunNotification]:
    """Return the notifications to the run's author, if they are the actor, the newest first (ALR-5)."""
    if run.user_id is None or run.user_id != actor.user_id:
        return []
    own = Q(message__user_id=actor.user_id) | Q(message__destination__team=personal_team_of(actor))
    rows = Delivery.objects.filter(own, event__run=run).order_by("-event_id", "pk")
    rows = rows.select_related("event", "message__destination", "message__mail")[:_SHOWN]
    return [_run_notification(row) for row in rows]


def _run_notification(row: Delivery) -> RunNotification:
    destination = row.message.destination
    summary = MessageSummary(row.message, describe_event(row.event), "", "")
    return RunNotification(summary.what, destination.name if destination else "", summary)
