"""Who gets the mails of an automation: members it names and authors, as far as they see the run, artifact or sweep."""

from collections.abc import Sequence

from django.db.models import Q

from access.engine import Holders, who_may_each
from accounts.models import User, UserKind
from alerts.models import Event, Mute
from alerts.recipients import live_sweeps
from artifacts.access import ArtifactAction
from artifacts.models import Collection
from automations.firing.reach import is_of_organization
from automations.models import Automation
from runs.access import RunAction
from runs.models import Run
from sweeps.access import SweepAction


def mail_recipients(automation: Automation, events: Sequence[Event]) -> list[tuple[User, list[Event]]]:
    """Return the people to mail, each with the events that concern them; who muted team or project is left out.

    Run and project of the events must be loaded. A fixed number of queries, for any number of people and events.
    """
    chosen = automation.mail_to.all()
    if not is_of_organization(automation.team):  # of a registry counts alone who sees it
        chosen = chosen.filter(memberships__team=automation.team_id)
    named = set(chosen.values_list("pk", flat=True))
    authors = {event.pk: _author_of(event) for event in events if automation.mail_author}
    candidates = named | {pk for pk in authors.values() if pk}
    people = User.objects.filter(pk__in=candidates, is_active=True, kind=UserKind.PERSON).exclude(email="")
    known = people.in_bulk()
    seen = _who_sees(events, set(known))
    muted = _muted(automation, events, known)
    by_person: dict[int, list[Event]] = {}
    for event in events:
        for pk in named | {authors.get(event.pk) or 0}:
            if pk in known and pk in seen[event.pk] and (pk, event.project_id) not in muted:
                by_person.setdefault(pk, []).append(event)
    return [(known[pk], by_person[pk]) for pk in sorted(by_person)]


def _author_of(event: Event) -> int | None:
    """Return who owns the run, changed the artifact, or created the sweep."""
    return event.run.user_id if event.run else event.data.get("author_id")


def _who_sees(events: Sequence[Event], among: set[int]) -> dict[int, Holders]:
    """Return for the key of each event who sees what it is about: a run, a collection of artifacts, or a sweep."""
    run_ids = [event.run_id for event in events if event.run_id]
    runs = who_may_each(RunAction.VIEW, Run.objects.filter(pk__in=run_ids), among=among)
    named = [event.data.get("collection") for event in events if not event.run_id]
    live = Collection.objects.live().filter(pk__in=[pk for pk in named if pk])
    collections = who_may_each(ArtifactAction.VIEW, live, among=among)
    sweeps = who_may_each(SweepAction.VIEW, live_sweeps(events), among=among)
    nobody = Holders(frozenset(), is_public=False)
    found = {}
    for event in events:
        if event.run_id is not None:
            found[event.pk] = runs.get(event.run_id, nobody)
        elif event.sweep_id is not None:
            found[event.pk] = sweeps.get(event.sweep_id, nobody)
        else:
            found[event.pk] = collections.get(event.data.get("collection") or 0, nobody)
    return found


def _muted(automation: Automation, events: Sequence[Event], known: dict[int, User]) -> set[tuple[int, int]]:
    """Return (person, project) of which a person wants no mail."""
    projects = {event.project_id for event in events if event.project_id}
    found = set()
    mutes = Mute.objects.filter(Q(project__in=projects) | Q(team=automation.team_id), user__in=known)
    for mute in mutes:
        found |= {(mute.user_id, one) for one in ({mute.project_id} if mute.project_id else projects)}
    return found
