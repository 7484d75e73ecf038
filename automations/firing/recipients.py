"""Who gets the mails of an automation: members it names and authors of runs, as far as they may see these."""

from collections.abc import Sequence

from django.db.models import Q

from access.engine import who_may_each
from accounts.models import User, UserKind
from alerts.models import Event, Mute
from automations.models import Automation
from runs.access import RunAction
from runs.models import Run


def mail_recipients(automation: Automation, events: Sequence[Event]) -> list[tuple[User, list[Event]]]:
    """Return the people to mail, each with the events that concern them; who muted team or project is left out.

    Run and project of the events must be loaded. Six queries, for any number of people and events.
    """
    named = set(automation.mail_to.filter(memberships__team=automation.team_id).values_list("pk", flat=True))
    authors = {event.run.user_id for event in events if event.run and event.run.user_id}
    candidates = named | (authors if automation.mail_author else set())
    people = User.objects.filter(pk__in=candidates, is_active=True, kind=UserKind.PERSON).exclude(email="")
    known = people.in_bulk()
    seen = who_may_each(
        RunAction.VIEW, Run.objects.filter(pk__in=[event.run_id for event in events]), among=set(known)
    )
    muted = _muted(automation, events, known)
    by_person: dict[int, list[Event]] = {}
    for event in events:
        run = event.run
        if run is None:
            continue
        author = {run.user_id or 0} if automation.mail_author else set()
        for pk in named | author:
            if pk in known and pk in seen.get(run.pk, ()) and (pk, run.project_id) not in muted:
                by_person.setdefault(pk, []).append(event)
    return [(known[pk], by_person[pk]) for pk in sorted(by_person)]


def _muted(automation: Automation, events: Sequence[Event], known: dict[int, User]) -> set[tuple[int, int]]:
    """Return (person, project) of which a person wants no mail."""
    projects = {event.project_id for event in events if event.project_id}
    found = set()
    mutes = Mute.objects.filter(Q(project__in=projects) | Q(team=automation.team_id), user__in=known)
    for mute in mutes:
        found |= {(mute.user_id, one) for one in ({mute.project_id} if mute.project_id else projects)}
    return found
