"""Who is notified of events of runs and sweeps: authors, members, destinations; by today's settings and rights (ALR-2).

Asked twice: when an event is routed, and again when its message is sent, so that who has lost a right, or does not want
it any more, is not told. The number of queries does not depend on that of events, settings or people.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Prefetch, Q

from access.engine import Holders, who_may_each
from access.models import AuditEntry
from accounts.models import UserKind
from alerts.models import AlertSettings, Event, EventKind, Level, Message, Mute, Route
from runs.access import RunAction
from runs.models import Project, Run
from runs.states import RunState
from sweeps.access import SweepAction
from sweeps.models import Sweep, SweepQuerySet
from sweeps.participants import SweepEvent
from teams.models import Membership, Visibility

_MOST_NAMED_PEOPLE = 500
"""Up to so many people rights are asked for by name; of more, for all."""
_LEVELS = (Level.INFO, Level.WARN, Level.ERROR)
_KINDS = frozenset({EventKind.RUN_STATE, EventKind.RUN_ALERT, EventKind.SWEEP})
_BY_CTRL_C = frozenset({130, 255})
"""Exit codes of a run that its author interrupted at the keyboard; SIGTERM's 143 is a scheduler's."""


@dataclass(frozen=True, slots=True)
class EventRecipient:
    """A person who is mailed about an event, or a destination that it is sent to, and whose settings say so."""

    event: Event
    user_id: int | None = None
    destination_id: int | None = None
    destination_team_id: int | None = None
    is_own: bool = False
    """Whether the author's own settings ask."""
    team_ids: frozenset[int] = frozenset()
    """Teams whose settings ask."""

    @property
    def key(self) -> str:
        """What messages are gathered by."""
        return f"user:{self.user_id}" if self.user_id else f"destination:{self.destination_id}"


@dataclass(frozen=True, slots=True)
class PlannedDelivery:
    """An event that is to be put into a message to a recipient."""

    event_id: int
    recipient: str
    user_id: int | None = None
    destination_id: int | None = None
    automation_id: int | None = None
    team_id: int | None = None
    """Whose history it is in; nobody's but the person's for mail."""
    gathers: bool = True

    def message(self, now: datetime) -> Message:
        """Return a new message to the recipient."""
        return Message(
            recipient=self.recipient, user_id=self.user_id, destination_id=self.destination_id,
            automation_id=self.automation_id, team_id=self.team_id, is_open=self.gathers, opened_at=now, send_at=now,
        )  # fmt: skip


def event_recipients(
    events: Sequence[Event], *, user_id: int | None = None, destination_id: int | None = None
) -> list[EventRecipient]:
    """Return who is to be notified of events now, each recipient once for each event.

    Args:
        events: Read by `alerts.events.with_runs`; automations' own are left out.
        user_id: Ask about this person only.
        destination_id: Or about this destination only.
    """
    relevant = [event for event in events if event.kind in _KINDS]
    lookup = _RecipientLookup(relevant, user_id, destination_id)
    recipients: dict[tuple[int, str], EventRecipient] = {}
    for event in relevant:
        for recipient in lookup.recipients_of(event):
            key = (event.pk, recipient.key)
            recipients[key] = _merged(recipients[key], recipient) if key in recipients else recipient
    return list(recipients.values())


def live_sweeps(events: Iterable[Event]) -> SweepQuerySet:
    """Return the sweeps that events are about, as far as neither they nor their projects are deleted."""
    named = {event.sweep_id for event in events if event.sweep_id is not None}
    return Sweep.objects.live().filter(pk__in=named, project__deleted_at__isnull=True)


def project_of(event: Event) -> Project | None:
    """Return the project that the run is in now, or the sweep's."""
    return event.run.project if event.run else event.project


def _merged(one: EventRecipient, other: EventRecipient) -> EventRecipient:
    return EventRecipient(
        one.event, one.user_id, one.destination_id, one.destination_team_id, one.is_own or other.is_own,
        one.team_ids | other.team_ids,
    )  # fmt: skip


def is_subscribed(settings: AlertSettings, event: Event) -> bool:
    """Say whether settings ask for notifications of such an event."""
    if event.kind == EventKind.RUN_ALERT:
        level = event.data.get("level", Level.INFO)
        return settings.on_scripted and _LEVELS.index(level) >= _LEVELS.index(Level(settings.least_level))
    if event.kind == EventKind.SWEEP:
        return settings.on_sweeps and event.data.get("event") == SweepEvent.FINISHED
    if (
        event.run is not None and event.run.is_host
    ):  # ends at midnight, and whenever its agent is started anew
        return False
    # a sweep's runs end by the hundred, and it stops those that fall behind; who hears of it hears of all at once
    tells_each = not (settings.on_sweeps and event.run is not None and event.run.sweep)
    return {
        RunState.FINISHED: settings.on_finished and tells_each,
        RunState.CRASHED: settings.on_crashed,
        RunState.FAILED: settings.on_crashed,
        RunState.KILLED: settings.on_killed and tells_each,
    }.get(event.data["state"], False)


@dataclass(slots=True)
class _RecipientLookup:
    """Settings, people and rights that decide who is notified of some events."""

    events: Sequence[Event]
    user_id: int | None
    destination_id: int | None
    of_users: dict[int, AlertSettings] = field(default_factory=dict)
    of_teams: dict[int, AlertSettings] = field(default_factory=dict)
    members: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    muted_projects: set[tuple[int, int]] = field(default_factory=set)
    muted_teams: set[tuple[int, int]] = field(default_factory=set)
    seen: dict[int, Holders] = field(default_factory=dict)
    seen_sweeps: dict[int, Holders] = field(default_factory=dict)
    stopped: dict[int, list[tuple[int, datetime]]] = field(default_factory=lambda: defaultdict(list))
    audiences: dict[tuple[int, bool], frozenset[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read it, in at most twelve queries, and four more where there are sweeps."""
        self._read_settings()
        if not (self.of_users or self.of_teams):
            return
        self._read_members()
        people = set(self.of_users).union(*self.members.values())
        self._read_mutes(people)
        self._read_stops()
        runs = Run.objects.live().filter(
            pk__in={event.run_id for event in self.events}, project__deleted_at__isnull=True
        )
        among = people if len(people) <= _MOST_NAMED_PEOPLE else None
        self.seen = who_may_each(RunAction.VIEW, runs, among=among)
        if any(event.kind == EventKind.SWEEP for event in self.events):
            self.seen_sweeps = who_may_each(SweepAction.VIEW, live_sweeps(self.events), among=among)

    def _read_settings(self) -> None:
        authors = {author for event in self.events if (author := _author_of(event))}
        teams = {project.team_id for event in self.events if (project := project_of(event))}
        if self.user_id is not None:
            authors &= {self.user_id}
        by_people = Q(user__in=authors, user__is_active=True, user__kind=UserKind.PERSON)
        routes = Route.objects.filter(destination__is_on=True).select_related("destination")
        if self.destination_id is not None:
            routes = routes.filter(destination=self.destination_id)
        found = AlertSettings.objects.filter(by_people | Q(team__in=teams))
        for row in found.prefetch_related(Prefetch("routes", routes)):
            if row.user_id is not None:
                self.of_users[row.user_id] = row
            elif row.team_id is not None:
                self.of_teams[row.team_id] = row

    def _read_members(self) -> None:
        if self.destination_id is not None:
            return
        rows = Membership.objects.filter(
            team__in=[pk for pk, settings in self.of_teams.items() if settings.by_email],
            user__is_active=True, user__kind=UserKind.PERSON,
        )  # fmt: skip
        if self.user_id is not None:
            rows = rows.filter(user=self.user_id)
        for team_id, user_id in rows.values_list("team_id", "user_id"):
            self.members[team_id].add(user_id)

    def _read_mutes(self, people: set[int]) -> None:
        projects = {project.pk for event in self.events if (project := project_of(event))}
        about = Q(project__in=projects) | Q(team__in=self.of_teams)
        by_whom = Q(user__in=people) if len(people) <= _MOST_NAMED_PEOPLE else Q()
        for user_id, project_id, team_id in Mute.objects.filter(about, by_whom).values_list(
            "user_id", "project_id", "team_id"
        ):
            if project_id is not None:
                self.muted_projects.add((user_id, project_id))
            if team_id is not None:
                self.muted_teams.add((user_id, team_id))

    def _read_stops(self) -> None:
        """Read who pressed Stop; who ends a run need not be told that it ended."""
        runs = {str(event.run_id) for event in self.events if event.data.get("stop_requested_at")}
        if not runs:
            return
        entries = AuditEntry.objects.filter(object_type="runs.Run", object_id__in=runs, action=RunAction.STOP)
        for run_id, user_id, at in entries.order_by().values_list("object_id", "user_id", "at"):
            if user_id is not None:
                self.stopped[int(run_id)].append((user_id, at))

    def recipients_of(self, event: Event) -> Iterator[EventRecipient]:
        """Yield who is notified of one event; whoever several settings name is yielded for each."""
        project, seen_by = project_of(event), self._seen_by(event)
        if project is None or seen_by is None:
            return
        endings, author = self._stoppers(event), _author_of(event)
        own = self.of_users.get(author)
        if own is not None and is_subscribed(own, event) and author not in endings and author in seen_by:
            yield from self._by_author(event, project, own)
        settings = self.of_teams.get(project.team_id)
        if settings is not None and is_subscribed(settings, event):
            yield from self._by_team(event, project, settings, self._audience(event, project) - endings)

    def _seen_by(self, event: Event) -> Holders | None:
        """Return who sees what an event is about; None where it is deleted."""
        if event.run_id is not None:
            return self.seen.get(event.run_id)
        return self.seen_sweeps.get(event.sweep_id or 0)

    def _stoppers(self, event: Event) -> set[int]:
        """Return who ended it themselves: who pressed Stop in a run's last lifetime, or Ctrl-C where it ran."""
        if event.run is None:
            return {event.data.get("ended_by") or 0}
        if event.data.get("state") != RunState.KILLED:
            return set()
        requested_at = event.data.get("stop_requested_at")
        if requested_at is None:
            return {_author_of(event)} if event.data.get("exit_code") in _BY_CTRL_C else set()
        since = datetime.fromisoformat(requested_at)
        return {user_id for user_id, at in self.stopped[event.run.pk] if at >= since}

    def _by_author(self, event: Event, project: Project, settings: AlertSettings) -> Iterator[EventRecipient]:
        author = _author_of(event)
        is_muted = (author, project.pk) in self.muted_projects
        if settings.by_email and not is_muted and self.destination_id is None:
            yield EventRecipient(event, user_id=author, is_own=True)
        for route in _routes(settings, event, project):
            yield EventRecipient(
                event,
                destination_id=route.destination_id,
                destination_team_id=route.destination.team_id,
                is_own=True,
            )

    def _by_team(
        self, event: Event, project: Project, settings: AlertSettings, audience: Iterable[int]
    ) -> Iterator[EventRecipient]:
        teams = frozenset({project.team_id})
        for user_id in audience:
            yield EventRecipient(event, user_id=user_id, team_ids=teams)
        for route in _routes(settings, event, project):
            if project.visibility != Visibility.RESTRICTED or route.project_id == project.pk:
                yield EventRecipient(
                    event,
                    destination_id=route.destination_id,
                    destination_team_id=route.destination.team_id,
                    team_ids=teams,
                )

    def _audience(self, event: Event, project: Project) -> frozenset[int]:
        """Return the members of a project's team that are mailed: the same for all its runs, and for all its sweeps."""
        key = (project.pk, event.run_id is None)
        if key not in self.audiences:
            seen_by = self._seen_by(event) or ()
            self.audiences[key] = frozenset(
                user_id
                for user_id in self.members.get(project.team_id, ())
                if user_id in seen_by
                and (user_id, project.pk) not in self.muted_projects
                and (user_id, project.team_id) not in self.muted_teams
            )
        return self.audiences[key]


def _author_of(event: Event) -> int:
    """Return who owns the run, or created the sweep; 0 for nobody."""
    return (event.run.user_id if event.run else event.data.get("author_id")) or 0


def _routes(settings: AlertSettings, event: Event, project: Project) -> Iterable[Route]:
    """Return the routes of settings that an event takes; a destination may be met more than once."""
    tags = event.run.tags if event.run else ()  # sweeps have none
    for route in settings.routes.all():
        if route.project_id in {None, project.pk} and (not route.tag or route.tag in tags):
            yield route
