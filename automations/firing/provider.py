"""What automations answer alerts (`alerts.automation_provider`), through whose outbox they send."""

from collections.abc import Iterable, Sequence

from django.utils import timezone

from access.actor import Actor
from access.engine import require
from accounts.models import User
from alerts.automation_provider import AutomationProvider
from alerts.models import Destination, Event, EventKind, Message, Secret
from alerts.notices.notice import Notice
from alerts.recipients import PlannedDelivery
from automations.access import AutomationAction
from automations.firing.matching import awaits_states, matching
from automations.firing.notices import notice_for, what_happened
from automations.firing.reach import concerning
from automations.firing.recipients import mail_recipients
from automations.firing.sweeps import awaits_sweeps
from automations.models import ActionKind, Automation
from teams.models import Team


class AlertAutomationProvider(AutomationProvider):
    """Registered by `AppConfig.ready`."""

    def awaits_states(self, team_id: int, project_id: int) -> bool:
        """Say whether an automation waits for runs of the project to change their state."""
        return awaits_states(team_id, project_id)

    def awaits_sweeps(self, event: str, team_id: int, project_id: int) -> bool:
        """Say whether an automation waits for the event of a sweep of the project."""
        return awaits_sweeps(event, team_id, project_id)

    def planned_deliveries(self, events: Sequence[Event]) -> Iterable[PlannedDelivery]:
        """Yield what automations send about events of any kind, and record that they act."""
        for event, automation in matching(events):
            yield _planned_delivery(event, automation)
        for event in events:
            if event.kind == EventKind.RUN_METRIC and event.automation is not None:
                yield _planned_delivery(event, event.automation)

    def mails_people(self, message: Message) -> bool:
        """Say whether the automation of a message sends mail."""
        return _automation_of(message).action == ActionKind.EMAIL

    def recipients_of(self, message: Message, events: Sequence[Event]) -> list[tuple[User, list[Event]]]:
        """Return the people to mail, each with the events that the mail is about."""
        return mail_recipients(_automation_of(message), events)

    def notice_of(self, message: Message, event: Event) -> Notice:
        """Return what the automation of a message says of one event."""
        return notice_for(_automation_of(message), event)

    def describe(self, event: Event) -> str:
        """Say in a sentence what the automation of an event acted on."""
        return what_happened(event)

    def require_manager(self, actor: Actor, message: Message) -> None:
        """Let pass who manages the automation of a message."""
        require(actor, AutomationAction.MANAGE, _automation_of(message))

    def sending_to(self, destination: Destination) -> list[tuple[str, str]]:
        """Return name and payload of the automations that send to a destination."""
        return list(Automation.objects.filter(destination=destination).values_list("name", "payload"))

    def using_secret(self, secret: Secret) -> list[str]:
        """Return the names of the automations whose payload has a secret."""
        rows = Automation.objects.filter(concerning(secret.team), payload__contains=f"${{{secret.name}}}")
        return list(rows.values_list("name", flat=True))

    def with_variables(self, team: Team) -> list[tuple[str, str]]:
        """Return name and payload of the team's automations whose payload has variables, by name."""
        rows = Automation.objects.filter(concerning(team), payload__contains="${").order_by("name")
        return list(rows.values_list("name", "payload"))

    def rename_secret(self, team: Team, old: str, new: str) -> None:
        """Let payloads go on with a secret that is called otherwise."""
        for automation in Automation.objects.filter(concerning(team), payload__contains=f"${{{old}}}"):
            automation.payload = automation.payload.replace(f"${{{old}}}", f"${{{new}}}")
            automation.save(update_fields=["payload", "updated_at"])

    def forget_team(self, team: Team) -> None:
        """Take away the team's automations; those of registries that send to its destinations only keep a record."""
        Automation.objects.filter(team=team).delete()
        others = Automation.objects.filter(destination__team=team)
        others.update(destination=None, action=ActionKind.NO_OP, updated_at=timezone.now())


def _automation_of(message: Message) -> Automation:
    assert message.automation is not None  # noqa: S101 - alerts ask of no others
    return message.automation


def _planned_delivery(event: Event, automation: Automation) -> PlannedDelivery:
    """Return what an automation does: Slack messages and mails gather, each call of a webhook is its own."""
    gathers = automation.action in {ActionKind.NOTIFICATION, ActionKind.EMAIL}
    own = "" if gathers else f":{event.uid.hex[:12]}"
    return PlannedDelivery(
        event.pk,
        f"automation:{automation.pk}{own}",
        destination_id=automation.destination_id,
        automation_id=automation.pk,
        team_id=automation.team_id,
        gathers=gathers,
    )
