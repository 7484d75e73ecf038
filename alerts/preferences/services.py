"""What a person or a team is told of, where it goes besides mail, and what a person wants no mail about (ALR-2)."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import can, require
from accounts.access import AccountAction
from accounts.models import User, UserKind
from alerts.access import AlertAction
from alerts.models import AlertSettings, Destination, Level, Mute, Route
from common.errors import Conflict, Invalid, NotFound
from runs.access import ProjectAction
from runs.models import Project
from teams.access import OrganizationAction, TeamAction
from teams.models import Team, TeamKind

MOST_ROUTES, MOST_MUTES, MAX_TAG = 50, 500, 256
SWITCHES = ("on_finished", "on_crashed", "on_killed", "on_sweeps", "on_scripted", "by_email")
_AUDITED = (*SWITCHES, "least_level")


def settings_of(*, user: User | None = None, team: Team | None = None) -> AlertSettings:
    """Return what a person or a team chose; who never chose has a row that is not stored: nothing is on."""
    _check_one(user, team)
    found = AlertSettings.objects.filter(user=user) if user else AlertSettings.objects.filter(team=team)
    return found.first() or AlertSettings(user=user, team=team)


@transaction.atomic
def change_settings(
    *,
    actor: Actor,
    user: User | None = None,
    team: Team | None = None,
    on_finished: bool | None = None,
    on_crashed: bool | None = None,
    on_killed: bool | None = None,
    on_sweeps: bool | None = None,
    on_scripted: bool | None = None,
    least_level: str | None = None,
    by_email: bool | None = None,
) -> AlertSettings:
    """Choose what the person or the team is told of; None leaves a thing as it is.

    Args:
        actor: The person, or who manages the team's alerts.
        user: Whose own runs it is about, or
        team: whose projects.
        on_finished: Runs that finished.
        on_crashed: Runs that crashed or failed.
        on_killed: Runs that somebody else stopped.
        on_sweeps: Sweeps that finished, instead of each of their runs that finished or was stopped.
        on_scripted: Alerts that code sends, from
        least_level: this level on: INFO, WARN or ERROR.
        by_email: Whether mail is sent: to the person, or to each member who sees the run.

    Raises:
        Invalid: there is no such level, or the user is a service account.
    """
    require_owner(actor, user, team)
    if least_level is not None and least_level not in Level.values:
        raise Invalid(
            _("The level must be one of %(levels)s, not %(given)s.")
            % {"levels": ", ".join(Level.values), "given": repr(least_level[:40])}
        )
    changes = {
        "on_finished": on_finished, "on_crashed": on_crashed, "on_killed": on_killed,
        "on_sweeps": on_sweeps, "on_scripted": on_scripted, "least_level": least_level, "by_email": by_email,
    }  # fmt: skip
    row = _stored(user, team)
    before = _audit_snapshot(row)
    for name, value in changes.items():
        if value is not None:
            setattr(row, name, value)
    changed = {name: value for name, value in _audit_snapshot(row).items() if value != before[name]}
    if changed:
        row.save(update_fields=[*changed, "updated_at"])
        old = {name: before[name] for name in changed}
        _record(actor, "alert_settings.change", row, row.team, before=old, after=changed)
    return row


@transaction.atomic
def add_route(
    *,
    actor: Actor,
    destination: Destination,
    user: User | None = None,
    team: Team | None = None,
    project: Project | None = None,
    tag: str = "",
) -> Route:
    """Let alerts go to a destination besides mail: all of them, or those of a project or of runs with a tag (wish 79).

    Raises:
        Invalid: the destination or the project is another team's, or the tag is too long.
        Conflict: there is such a route, or there are too many.
    """
    require_owner(actor, user, team)
    tag = tag.strip()
    if len(tag) > MAX_TAG:
        raise Invalid(_("A tag can have at most %(most)d characters.") % {"most": MAX_TAG})
    if destination.team_id != _team_with_destinations(user, team).pk:
        raise Invalid(_("This destination doesn’t exist."))
    if project is not None:
        _check_project(actor, project, team)
    row = _stored(user, team)
    if row.routes.count() >= MOST_ROUTES:
        raise Conflict(
            _("You have reached the limit of %(most)d alert routes. Remove one first.")
            % {"most": MOST_ROUTES}
        )
    try:
        with transaction.atomic():
            route = Route.objects.create(settings=row, destination=destination, project=project, tag=tag)
    except IntegrityError:
        message = _("These alerts already go to %(destination)s.")
        raise Conflict(message % {"destination": destination}) from None
    _record(actor, "alert_route.add", route, destination.team, after=_route_snapshot(route))
    return route


@transaction.atomic
def remove_route(*, actor: Actor, route: Route) -> None:
    """Let alerts no longer go this way; one that is gone already is no error."""
    require_owner(actor, route.settings.user, route.settings.team)
    _record(actor, "alert_route.remove", route, route.destination.team, before=_route_snapshot(route))
    Route.objects.filter(pk=route.pk).delete()


@transaction.atomic
def mute(*, actor: Actor, project: Project | None = None, team: Team | None = None) -> Mute:
    """Send the actor no mail about a project, whoever asked for it, or none that a team's settings ask for.

    Raises:
        Conflict: the actor has muted as much as one can.
    """
    user = _person_of(actor)
    if (project is None) == (team is None):
        raise Invalid(_("Mute one project or one team."))
    if project is not None:
        require(actor, ProjectAction.VIEW, project)
    if team is not None:
        _require_sight(actor, team)
    if Mute.objects.filter(user=user).count() >= MOST_MUTES:
        raise Conflict(_("You can mute at most %(most)d projects and teams.") % {"most": MOST_MUTES})
    row, is_new = Mute.objects.get_or_create(user=user, project=project, team=team)
    if is_new:
        _record(actor, "alert.mute", row, None)  # whose mail it is, is nobody else's to know
    return row


def _require_sight(actor: Actor, team: Team) -> None:
    """Let pass who belongs to a team, or to the organization whose entity it is: its registries' automations mail."""
    if team.kind == TeamKind.ORGANIZATION and team.organization is not None:
        require(actor, OrganizationAction.VIEW, team.organization)
        return
    require(actor, TeamAction.VIEW, team)


@transaction.atomic
def unmute(*, actor: Actor, project: Project | None = None, team: Team | None = None) -> None:
    """Let mail come again; what was not muted stays as it is, and what the actor no longer sees can be unmuted."""
    _person_of(actor)
    if (project is None) == (team is None):
        raise Invalid(_("Unmute one project or one team."))
    row = own_mutes(actor).filter(project=project, team=team).first()
    if row is not None:
        _record(actor, "alert.unmute", row, None)
        row.delete()


def own_mutes(actor: Actor) -> QuerySet[Mute]:
    """Return what the actor muted; nothing to a key that does not reach to preferences."""
    rows = Mute.objects.filter(user_id=actor.lookup_id).select_related("project__team", "team")
    return rows if actor.reaches(AccountAction.UPDATE) else rows.none()


def require_owner(actor: Actor, user: User | None, team: Team | None) -> None:
    """Let pass the person whose alerts they are, or who manages the team's; raises as `access.engine.require`."""
    _check_one(user, team)
    require(actor, AlertAction.MANAGE, _team_with_destinations(user, team))
    if team is not None and team.is_personal:
        raise Invalid(_("A personal entity has no alerts of its own; use the person’s alerts."))


def _check_one(user: User | None, team: Team | None) -> None:
    if (user is None) == (team is None):
        raise Invalid(_("Alerts must belong to a person or a team."))


def _team_with_destinations(user: User | None, team: Team | None) -> Team:
    """Return where the destinations are: in the team, or in the person's personal entity, which they manage."""
    own = Team.objects.live().filter(claim=user.claim_id).first() if user else team
    if own is None:
        raise Invalid(_("Service accounts don’t get notifications; use the team’s alerts."))
    return own


def _check_project(actor: Actor, project: Project, team: Team | None) -> None:
    """Refuse projects that the alerts cannot be about: another team's, or one that the person does not see."""
    if not can(actor, ProjectAction.VIEW, project) or (team is not None and project.team_id != team.pk):
        raise Invalid(_("This project doesn’t exist here, or you don’t have access to it."))


def _stored(user: User | None, team: Team | None) -> AlertSettings:
    """Return the stored row, locked: two changes at once do not undo each other."""
    whose = {"user": user} if user else {"team": team}
    row, _is_new = AlertSettings.objects.get_or_create(**whose)
    return AlertSettings.objects.select_for_update(of=("self",)).select_related("user", "team").get(pk=row.pk)


def _person_of(actor: Actor) -> User:
    """Return the person who is asking, who alone mutes their mail."""
    user = User.objects.filter(pk=actor.lookup_id, kind=UserKind.PERSON).first()
    if user is None:
        raise NotFound(_("Only people get email, so only they can mute it."))
    require(actor, AccountAction.UPDATE, user)
    return user


def _audit_snapshot(row: AlertSettings) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _AUDITED}


def _route_snapshot(route: Route) -> dict[str, Any]:
    """Return where a route leads, as the audit log names it."""
    project = f"{route.project.team.name}/{route.project.name}" if route.project else ""
    return {"destination": route.destination.name, "project": project, "tag": route.tag}


def _record(
    actor: Actor,
    action: str,
    row: AlertSettings | Route | Mute,
    team: Team | None,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Write what was done into the audit log, a team's in its organization's."""
    record(
        actor, action, row, before=before, after=after,
        organization_id=team.organization_id if team else None, team_id=team.pk if team else None,
    )  # fmt: skip
