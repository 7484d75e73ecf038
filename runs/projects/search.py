"""What runs add to the search: projects and runs the actor may see, and the entities that have some."""

from collections.abc import Iterator

from django.db.models import Q
from django.urls import reverse

from access.actor import Actor
from access.engine import visible
from common.search import Hit
from runs.access import ProjectAction, RunAction
from runs.models import Project, Run
from teams.access import TeamAction
from teams.models import Team, TeamKind
from teams.teams.selectors import colleagues_of, profiles_shown_to


def find_projects(actor: Actor, text: str, limit: int) -> Iterator[Hit]:
    """Yield projects by words of their entity and name, last active first."""
    projects = visible(actor, ProjectAction.VIEW, Project.objects.live().select_related("team"))
    for word in text.replace("/", " ").split():
        projects = projects.filter(Q(name__icontains=word) | Q(team__name__icontains=word))
    for project in projects.order_by("-last_active_at", "-pk")[:limit]:
        url = reverse("metrics:workspace", args=[project.team.name, project.name])
        yield Hit(project.name, url, detail=project.team.name)


def find_runs(actor: Actor, text: str, limit: int) -> Iterator[Hit]:
    """Yield runs by words of their name, or by the begin of their id, newest first; the actor's own for no text.

    The id is part of the detail where the run was found by it.
    """
    runs = visible(actor, RunAction.VIEW, Run.objects.listed().select_related("project__team"))
    if not text:
        runs = runs.filter(user_id=actor.lookup_id)
    named = Q()
    for word in text.split():
        named &= Q(display_name__icontains=word)
    for run in runs.filter(named | Q(uid__startswith=text) if text else named).order_by("-pk")[:limit]:
        names = [run.project.team.name, run.project.name]
        url = reverse("metrics:run_workspace", args=[*names, run.uid])
        is_by_id = bool(text) and run.uid.startswith(text)
        detail = " / ".join([*names, run.uid] if is_by_id else names)
        yield Hit(run.display_name, url, detail=detail, state=run.state, state_label=run.state_label)


def find_entities(actor: Actor, text: str, limit: int) -> Iterator[Hit]:
    """Yield people and teams whose name is typed: the actor's own, and those who show something.

    People show something when they share a team or an organization with the actor, or told something on their page.
    """
    if not text:
        return
    shown = visible(actor, ProjectAction.VIEW, Project.objects.all()).values("team_id")
    own = visible(actor, TeamAction.VIEW, Team.objects.all()).values("pk")
    has_profile = Q(kind=TeamKind.PERSONAL, claim__profile__isnull=False, claim__user__is_active=True)
    hidden = Q(claim__user__isnull=False) & ~Q(claim__user__in=profiles_shown_to(actor))
    teams = Team.objects.live().filter(
        Q(pk__in=own)
        | Q(claim__user__in=colleagues_of(actor))
        | (has_profile | Q(pk__in=shown, is_hidden=False)) & ~hidden
    )
    for word in text.split():
        called = Q(kind=TeamKind.PERSONAL, claim__user__display_name__icontains=word)
        teams = teams.filter(Q(name__icontains=word) | called)
    for team in teams.select_related("claim__user").order_by("name")[:limit]:
        person = getattr(team.claim, "user", None) if team.is_personal else None
        full = person.display_name if person else ""
        url = reverse("runs:entity", args=[team.name])
        yield Hit(
            full or team.name, url, detail=team.name if full else "", icon="user" if person else "users"
        )
