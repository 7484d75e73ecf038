"""What the numbers of ledgers are called: teams, projects and people, also those that are gone (BIL-4)."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from accounts.models import User
from runs.access import ProjectAction
from runs.models import Project
from teams.models import Team, Visibility


@dataclass(frozen=True, slots=True)
class RowName:
    """How a row is called."""

    text: str
    is_given: bool = True
    """People gave it; otherwise it is words of ours."""
    is_gone: bool = False
    """What it is the name of was deleted."""
    team: str = ""
    """Of a project: its team."""
    title: str = ""
    """A longer name, such as a person's."""


def names_of(actor: Actor, by: str, ids: Collection[int]) -> dict[int, RowName]:
    """Return the names of rows by ``team_id``, ``project_id`` or ``user_id``; at most two queries.

    Projects that are restricted are named only to who may see them.
    """
    return _READERS[by](actor, ids)


def _teams(_actor: Actor, ids: Collection[int]) -> dict[int, RowName]:
    rows = Team.objects.filter(pk__in=ids).only("pk", "name", "display_name", "deleted_at")
    found = {
        row.pk: RowName(row.name, is_gone=row.deleted_at is not None, title=row.display_name) for row in rows
    }
    return found | {pk: _missing_name(pk) for pk in ids if pk not in found}


def _projects(actor: Actor, ids: Collection[int]) -> dict[int, RowName]:
    rows = list(Project.objects.filter(pk__in=ids).select_related("team"))
    restricted = [row.pk for row in rows if row.visibility == Visibility.RESTRICTED]
    shown = set(
        visible(actor, ProjectAction.VIEW, Project.objects.filter(pk__in=restricted)).values_list(
            "pk", flat=True
        )
        if restricted
        else ()
    )
    found = {0: RowName(_("No project"), is_given=False)}
    for row in rows:
        gone = row.deleted_at is not None or row.team.deleted_at is not None
        if row.visibility == Visibility.RESTRICTED and row.pk not in shown:
            found[row.pk] = RowName(_("Restricted project"), is_given=False, is_gone=gone, team=row.team.name)
        else:
            found[row.pk] = RowName(row.name, is_gone=gone, team=row.team.name)
    return found | {pk: _missing_name(pk) for pk in ids if pk not in found}


def _people(_actor: Actor, ids: Collection[int]) -> dict[int, RowName]:
    rows = User.objects.filter(pk__in=ids).only("pk", "username", "display_name", "deleted_at")
    found = {0: RowName(_("Unknown"), is_given=False)} | {
        row.pk: RowName(row.username, is_gone=row.deleted_at is not None, title=row.display_name)
        for row in rows
    }
    return found | {pk: _missing_name(pk) for pk in ids if pk not in found}


def _missing_name(pk: int) -> RowName:
    return RowName(_("Number %(number)d") % {"number": pk}, is_given=False, is_gone=True)


_READERS: dict[str, Callable[[Actor, Collection[int]], dict[int, RowName]]] = {
    "team_id": _teams,
    "project_id": _projects,
    "user_id": _people,
}
