"""What automations did and destinations were sent: messages with their outcome (ALR-5, ALR-6)."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from access.actor import Actor
from access.engine import visible
from alerts.access import AlertAction
from alerts.models import Delivery, Event, EventKind, Message, MessageState
from automations.conditions.sentences import event_sentence
from automations.selectors import seen_automations
from runs.access import RunAction
from runs.lifecycle.services import path_of
from runs.models import Run
from runs.states import RunState
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
    run: Run | None
    """None also where the reader may not see it."""
    url: str


@dataclass(frozen=True, slots=True)
class Execution:
    """A message as the history shows it."""

    message: Message
    causes: list[Cause]
    is_withheld: bool
    """Whether it tells of a run that the reader may not see; its texts then stay away."""

    @property
    def state_label(self) -> str:
        """Finished, Failed, Waiting or Dropped."""
        return str(STATES[MessageState(self.message.state)])

    @property
    def only_run(self) -> Cause | None:
        """The cause whose run the row leads to: where there is one, and the reader may see it."""
        return self.causes[0] if len(self.causes) == 1 and self.causes[0].run else None

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
    """Return messages, which bring their causes, as the actor may read them; one statement."""
    runs = {
        delivery.event.run_id
        for message in messages
        for delivery in message.deliveries.all()
        if delivery.event.run_id is not None
    }
    seen = set(
        visible(actor, RunAction.VIEW, Run.objects.live().filter(pk__in=runs)).values_list("pk", flat=True)
    )
    return [_execution(message, seen) for message in messages]


def _execution(message: Message, seen: set[int]) -> Execution:
    events = [delivery.event for delivery in message.deliveries.all()]
    hidden = any(event.run_id is not None and event.run_id not in seen for event in events)
    return Execution(message, [_cause(event, seen) for event in events], hidden)


def _cause(event: Event, seen: set[int]) -> Cause:
    run = event.run if event.run_id in seen else None
    if event.run_id is not None and run is None:
        return Cause(_("A run that is deleted or not visible to you"), None, "")
    return Cause(cause_words(event), run, path_of(run) if run else "")


def cause_words(event: Event) -> str:
    """Say what happened to a run: ``became Failed``, ``Step 1200: loss was 0.08, below 0.1.``."""
    data = event.data
    if event.kind == EventKind.RUN_STATE and data.get("state") in RunState.values:
        return _("became %(state)s") % {"state": RunState(data["state"]).label}
    if event.kind == EventKind.RUN_METRIC:
        return event_sentence(data)
    return str(data.get("title") or data.get("artifact_version_string") or EventKind(event.kind).label)
