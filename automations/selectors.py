"""What pages and the API show of automations."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from accounts.models import User
from alerts.models import Message
from artifacts.selectors import collections_of
from automations.access import AutomationAction
from automations.editor.words import event_words, runs_words
from automations.firing.reach import is_of_organization
from automations.models import Automation
from common.errors import NotFound
from metrics.hardware.system_metrics import chart_of, match_tag
from metrics.models import StreamKind
from metrics.store import reads
from runs.access import RunAction
from runs.models import Project, Run
from teams.models import Team

_LOOKED_AT = 20
"""Runs whose metrics the editor proposes: the newest."""
_PROPOSED = 500
_AUTHORS = 100


@dataclass(frozen=True, slots=True)
class AutomationSummary:
    """An automation as lists show it."""

    automation: Automation
    when: str
    runs: str
    """The filter of runs; "" for all."""
    last: Message | None
    """What it did last."""
    can_manage: bool


def seen_automations(actor: Actor) -> QuerySet[Automation]:
    """Return the automations that the actor may see, of projects that are there."""
    rows = visible(actor, AutomationAction.VIEW, Automation.objects.all())
    there = Q(project__isnull=True) | Q(project__deleted_at__isnull=True)
    return (
        rows.filter(there, team__deleted_at__isnull=True)
        .select_related(
            "team__organization", "project__team", "collection", "destination__team", "created_by__claim"
        )
        .prefetch_related("mail_to")
    )


def automations_of(actor: Actor, team: Team, project: Project | None = None) -> QuerySet[Automation]:
    """Return the automations of a team, or those that act in one of its projects."""
    rows = seen_automations(actor).filter(team=team)
    if project is not None:
        rows = rows.filter(Q(project=project) | Q(project__isnull=True))
    return rows.order_by("name", "pk")


def get_automation(actor: Actor, team: Team, project: Project | None, pk: int) -> Automation:
    """Return an automation of a project, or one of all projects of a team.

    Raises:
        NotFound: there is none there, or the actor may not see it.
    """
    row = seen_automations(actor).filter(team=team, project=project, pk=pk).first()
    if row is None:
        raise NotFound(_("This automation doesn’t exist here, or you don’t have access to it."))
    return row


def automation_summaries(actor: Actor, rows: QuerySet[Automation]) -> list[AutomationSummary]:
    """Return automations with what they did last and whether the actor may change them."""
    newest = Message.objects.filter(automation=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    found = list(rows.annotate(last_message_id=Subquery(newest)))
    keys = [row.last_message_id for row in found if row.last_message_id]
    messages = Message.objects.in_bulk(keys)
    managed = _managed(actor, found)
    return [
        AutomationSummary(
            row, event_words(row), runs_words(row), messages.get(row.last_message_id or 0), row.pk in managed
        )
        for row in found
    ]


def _managed(actor: Actor, rows: Sequence[Automation]) -> set[int]:
    mine = Automation.objects.filter(pk__in=[row.pk for row in rows])
    return set(visible(actor, AutomationAction.MANAGE, mine).values_list("pk", flat=True))


def creatable_projects(actor: Actor, team: Team) -> QuerySet[Project]:
    """Return the projects of a team, or registries of an organization, in which the actor may make automations.

    Last active first.
    """
    is_of_registries = is_of_organization(team)
    rows = Project.objects.registries() if is_of_registries else Project.objects.live()
    rows = rows.filter(team=team)
    return visible(actor, AutomationAction.CREATE, rows).order_by("-last_active_at", "pk")


def collection_names(actor: Actor, project: Project | None) -> list[str]:
    """Return the collections of a project that the actor may see, for the editor to propose."""
    if project is None:
        return []
    return list(collections_of(actor, project).values_list("name", flat=True)[:_PROPOSED])


def _newest_runs(actor: Actor, team: Team, project: Project | None) -> QuerySet[Run]:
    runs = Run.objects.listed().filter(project__team=team, project__deleted_at__isnull=True)
    if project is not None:
        runs = runs.filter(project=project)
    return visible(actor, RunAction.VIEW, runs)


def metric_names(actor: Actor, team: Team, project: Project | None) -> list[tuple[str, str]]:
    """Return metrics that the newest runs logged as numbers, with a word about each; hardware's come last."""
    runs = _newest_runs(actor, team, project).order_by("-pk").values_list("pk", flat=True)
    keys = list(runs[:_LOOKED_AT])
    found: dict[str, str] = {}
    for kind in (StreamKind.HISTORY, StreamKind.SYSTEM):
        numbers = {
            key
            for stats in reads.key_stats(keys, kind).values()
            for key, one in stats.items()
            if one.type == "number" and not key.startswith("_")
        }
        for key in sorted(numbers):
            found.setdefault(key, _hardware(key) if kind == StreamKind.SYSTEM else "")
    return list(found.items())[:_PROPOSED]


def _hardware(key: str) -> str:
    metric = match_tag(key)
    chart = chart_of(metric)
    return " · ".join(filter(None, [chart.title, metric.device, chart.unit]))


def authors(actor: Actor, team: Team, project: Project | None) -> list[str]:
    """Return who has runs there, by name."""
    runs = _newest_runs(actor, team, project).order_by().values("user_id")
    return list(
        User.objects.filter(pk__in=runs).order_by("username").values_list("username", flat=True)[:_AUTHORS]
    )
