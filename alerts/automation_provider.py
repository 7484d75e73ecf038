"""What alerts ask of automations, an app above them whose messages go through the same outbox."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from access.actor import Actor
from accounts.models import User
from alerts.models import Destination, Event, Message, Secret
from alerts.notices.notice import Notice
from alerts.recipients import PlannedDelivery
from teams.models import Team


class AutomationProvider(Protocol):
    """The answers. Messages and events that are passed name an automation, unless a method says otherwise."""

    def awaits_states(self, team_id: int, project_id: int) -> bool:
        """Say whether an automation waits for runs of the project to change their state."""

    def awaits_sweeps(self, event: str, team_id: int, project_id: int) -> bool:
        """Say whether an automation waits for the event of a sweep (a `SweepEvent`) of the project."""

    def planned_deliveries(self, events: Sequence[Event]) -> Iterable[PlannedDelivery]:
        """Yield what automations send about events of any kind, and record that they act; call in a transaction."""

    def mails_people(self, message: Message) -> bool:
        """Say whether the automation of a message sends mail."""

    def recipients_of(self, message: Message, events: Sequence[Event]) -> list[tuple[User, list[Event]]]:
        """Return the people to mail, each with the events that the mail is about."""

    def notice_of(self, message: Message, event: Event) -> Notice:
        """Return what the automation of a message says of one event."""

    def describe(self, event: Event) -> str:
        """Say in a sentence what the automation of an event acted on."""

    def require_manager(self, actor: Actor, message: Message) -> None:
        """Let pass who manages the automation of a message; raises as `access.engine.require`."""

    def sending_to(self, destination: Destination) -> list[tuple[str, str]]:
        """Return name and payload of the automations that send to a destination."""

    def using_secret(self, secret: Secret) -> list[str]:
        """Return the names of the automations whose payload has a secret."""

    def with_variables(self, team: Team) -> list[tuple[str, str]]:
        """Return name and payload of the team's automations whose payload has variables, by name."""

    def rename_secret(self, team: Team, old: str, new: str) -> None:
        """Let payloads go on with a secret that is called otherwise."""

    def forget_team(self, team: Team) -> None:
        """Take away the team's automations, which would keep its destinations."""


_providers: list[AutomationProvider] = []


def register_automation_provider(provider: AutomationProvider) -> None:
    """Say who answers; called in ``AppConfig.ready``."""
    _providers[:] = [provider]


def automation_provider() -> AutomationProvider:
    """Return who answers."""
    return _providers[0]
