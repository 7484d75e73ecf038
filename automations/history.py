"""What automations did and destinations were sent: messages with their outcome (ALR-5, ALR-6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from access.actor import Actor
from access.engine import visible
from alerts.access import AlertAction
from alerts.models import Delivery, Event, EventKind, Message, MessageState
from alerts.recipients import live_sweeps
from artifacts.access import ArtifactAction
from artifacts.models import Collection
from artifacts.pages.addresses import collection_page, names_of
from automations.conditions.artifacts import artifact_name, artifact_sentence
from automations.conditions.sentences import event_sentence
from automations.conditions.sweeps import sweep_sentence
from automations.selectors import seen_automations
from runs.access import RunAction
from runs.lifecycle.services import path_of
from runs.models import Run
from runs.states import RunState
from sweeps.access import SweepAction
from teams.models import Team

STATES = {
    MessageState.SENT: gettext_lazy("Finished"),
    MessageState.WAITING: gettext_lazy("Waiting"),
    MessageState.FAILED: gettext_lazy("Failed"),
    MessageState.DROPPED: gettext_lazy("Dropped"),
}
"""What the history of an automation calls them."""


@dataclass(frozen=True, slots=True)
class Cause:
    """An event of a message, as its readers may know it."""

    words: str
    run: Run | None = None
    """None also where the reader may not see it."""
    name: str = ""
    """Of the run, artifact or sweep."""
    url: str = ""
    """Of its page; "" where the reader may not see it."""


@dataclass(frozen=True, slots=True)
class Execution:
    """A message as the history shows it."""

    message: Message
    causes: list[Cause]
    is_withheld: bool
    """Whether it tells of a run, an artifact or a sweep that the reader may not see; its texts then stay away."""

    @property
    def state_label(self) -> str:
        """Finished, Failed, Waiting or Dropped."""
        return str(STATES[MessageState(self.message.state)])

    @property
    def only_cause(self) -> Cause | None:
        """The cause that the row leads to: where there is one, and the reader may see it."""
        return self.causes[0] if len(self.causes) == 1 and self.causes[0].url else None

    @property
    def more_causes(self) -> int:
        """How many events a list leaves out after five."""
        return max(0, len(self.causes) - 5)

    @property
    def can_be_retried(self) -> bool:
        """Whether its state allows it."""
        return self.message.state == MessageState.FAILED


def seen_messages(actor: Actor) -> QuerySet[Message]:
    """Return messages of the automations that the actor sees and of the destinations that they manage, newest first."""
    teams = visible(actor, AlertAction.MANAGE, Team.objects.live()).values("pk")
    of_automations = Q(automation__in=seen_automations(actor).order_by().values("pk"))
    of_destinations = Q(automation__isnull=True, destination__team__in=teams)
    return Message.objects.filter(of_automations | of_destinations).order_by("-pk")


def with_causes(rows: QuerySet[Message]) -> QuerySet[Message]:
    """Let messages bring their events and runs, in two statements."""
    deliveries = Delivery.objects.select_related("event__run__project__team").order_by("event_id")
    related = rows.select_related("automation", "destination")
    return related.prefetch_related(Prefetch("deliveries", deliveries))


def executions(actor: Actor, messages: Sequence[Message]) -> list[Execution]:
    """Return messages, which bring their causes, as the actor may read them; three statements."""
    events = [delivery.event for message in messages for delivery in message.deliveries.all()]
    run_ids = {event.run_id for event in events if event.run_id is not None}
    runs = visible(actor, RunAction.VIEW, Run.objects.live().filter(pk__in=run_ids))
    named = {pk for event in events if (pk := _collection_of(event)) is not None}
    collections = visible(actor, ArtifactAction.VIEW, Collection.objects.live().filter(pk__in=named))
    sweeps = visible(actor, SweepAction.VIEW, live_sweeps(events))
    seen = _Seen(
        frozenset(runs.values_list("pk", flat=True)),
        frozenset(sweeps.values_list("pk", flat=True)),
        {row.pk: row for row in collections.select_related("type", "project__team")},
    )
    return [_execution(message, seen) for message in messages]


@dataclass(frozen=True, slots=True)
class _Seen:
    """Of what the events are about, what the reader sees."""

    runs: frozenset[int]
    sweeps: frozenset[int]
    collections: Mapping[int, Collection]

    def __contains__(self, event: Event) -> bool:
        if event.run_id is not None:
            return event.run_id in self.runs
        if event.sweep_id is not None:
            return event.sweep_id in self.sweeps
        return _collection_of(event) in self.collections or event.kind != EventKind.ARTIFACT


def _collection_of(event: Event) -> int | None:
    return event.data.get("collection") if event.kind == EventKind.ARTIFACT else None


def _execution(message: Message, seen: _Seen) -> Execution:
    events = [delivery.event for delivery in message.deliveries.all()]
    hidden = any(event not in seen for event in events)
    return Execution(message, [_cause(event, seen) for event in events], hidden)


def _cause(event: Event, seen: _Seen) -> Cause:
    if event not in seen:
        return Cause(_hidden_words(event))
    if event.run is not None:
        return Cause(cause_words(event), event.run, event.run.display_name, path_of(event.run))
    if event.sweep_id is not None:
        return Cause(cause_words(event), None, event.data["sweep_name"], event.data["path"])
    return Cause(cause_words(event), None, artifact_name(event.data), _page_of(event, seen))


def _hidden_words(event: Event) -> str:
    if event.run_id is not None:
        return _("A run that is deleted or not visible to you")
    if event.sweep_id is not None:
        return _("A sweep that is deleted or not visible to you")
    return _("An artifact that is deleted or not visible to you")


def _page_of(event: Event, seen: _Seen) -> str:
    """Return the page of the artifact that an event is about, by the names that it has now."""
    collection = seen.collections.get(_collection_of(event) or 0)
    if collection is None:
        return str(event.data.get("path", ""))
    label = str(event.data.get("artifact_version_string", "")).rpartition(":")[2]
    if not label:
        return collection_page(collection)
    return reverse("artifacts:version", args=[*names_of(collection), label])


def cause_words(event: Event) -> str:
    """Say what happened: ``became Failed``, ``Step 1200: loss was 0.08, below 0.1.``, ``resnet:v3 was created.``."""
    data = event.data
    if event.kind == EventKind.RUN_STATE and data.get("state") in RunState.values:
        return _("became %(state)s") % {"state": RunState(data["state"]).label}
    if event.kind == EventKind.RUN_METRIC:
        return event_sentence(data)
    if event.kind == EventKind.ARTIFACT:
        return artifact_sentence(data)
    if event.kind == EventKind.SWEEP:
        return sweep_sentence(data)
    return str(data.get("title") or EventKind(event.kind).label)
