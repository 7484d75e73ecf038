"""Creating, changing, copying and deleting automations (ALR-6)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from dataclasses import fields as fields_of
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from accounts.models import User
from alerts.models import Destination, Level
from alerts.payloads.templating import MAX_TEMPLATE, check_template, names_in
from alerts.secrets.services import known_secret_names, require_use
from artifacts.models import Collection
from automations.access import AutomationAction
from automations.conditions.events import ARTIFACT_EVENTS, METRIC_EVENTS
from automations.conditions.filters import Condition, parse
from automations.evaluation.streams import start_watching
from automations.firing.notices import check_text
from automations.firing.plan import FEATURE, has_automations
from automations.firing.reach import destinations_of, is_of_organization, recipients_of, secrets_team
from automations.lifecycle.scopes import Scope, check_count, check_place, move_to
from automations.models import ActionKind, Automation
from common.errors import Conflict, Forbidden, Invalid
from common.formats.lenient_json import clean_text
from runs.models import Project
from teams.models import Membership, Team
from teams.plan_policy import denied_message

MAX_NAME, MAX_TITLE, MAX_TEXT = 128, 256, 10_000
MAX_RECIPIENTS = 100
"""People that one automation mails; a whole team is told by its alerts."""
MAX_ONCE_IN_S = 365 * 86_400
LEAST_METRIC_S = 60
"""A metric is logged many times a second; an automation on one acts for a run once a minute at most."""


PayloadTarget = tuple[str, int | None]
"""A payload, and the key of the destination that it goes to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomationFields:
    """What an automation is; None leaves a thing as it is, or takes the default of a new one."""

    name: str | None = None
    description: str | None = None
    event: str | None = None
    filter: Any = None
    action: str | None = None
    destination: Destination | None = None
    mail_to: Sequence[User] | None = None
    mail_author: bool | None = None
    title: str | None = None
    message: str | None = None
    severity: str | None = None
    payload: str | None = None
    once_in_s: int | None = None
    is_on: bool | None = None


@transaction.atomic
def create_automation(
    *,
    actor: Actor,
    team: Team,
    project: Project | None = None,
    collection: Collection | None = None,
    fields: AutomationFields,
) -> Automation:
    """Create an automation of a project, of one collection of its artifacts, or of all projects of a team.

    Raises:
        Forbidden: the plan of the team's organization has no automations.
        SecretsWithheld: the payload names secrets, and the actor may not manage these.
        Conflict: the team has one of this name, or the project as many as it may.
        Invalid: what is wrong with it.
    """
    new = Automation(team=team, project=project, collection=collection, created_by_id=actor.user_id)
    return _create(actor, new, fields, sent=None)


def _create(
    actor: Actor, automation: Automation, fields: AutomationFields, *, sent: PayloadTarget | None
) -> Automation:
    team, project = automation.team, automation.project
    require(actor, AutomationAction.CREATE, project or team)
    _require_plan(team)
    check_place(automation)
    if fields.name is None or fields.event is None or fields.action is None:
        raise Invalid(_("An automation needs a name, an event and an action."))
    check_count(team, project)
    _apply(actor, automation, fields, sent)
    _save(automation, fields)
    _record(actor, "automation.create", automation, after=_audit_snapshot(automation))
    return automation


@transaction.atomic
def change_automation(
    *, actor: Actor, automation: Automation, fields: AutomationFields, place: Scope | None = None
) -> Automation:
    """Change what an automation waits for or does, where it is, or switch it on or off.

    Raises:
        SecretsWithheld: as for a new one; a payload that stays as it is and goes where it did may hold secrets, unless
            it goes to another team.
    """
    require(actor, AutomationAction.MANAGE, automation)
    automation = _locked(automation)
    before, target, home = _audit_snapshot(automation), _payload_target(automation), automation.team
    if place is not None:
        move_to(actor, automation, place)
        if fields.mail_to is None:  # they have to be people of the new place, too
            fields = replace(fields, mail_to=list(automation.mail_to.all()))
    if fields.is_on is not False or replace(fields, is_on=None) != AutomationFields():
        _require_plan(automation.team)
    _apply(actor, automation, fields, target if automation.team == home else None)
    _save(automation, fields)
    after = _audit_snapshot(automation)
    if after != before:
        _record(actor, "automation.change", automation, team=home, before=before, after=after)
    return automation


@transaction.atomic
def delete_automation(*, actor: Actor, automation: Automation) -> None:
    """Delete an automation with the history of what it did."""
    require(actor, AutomationAction.MANAGE, automation)
    _record(actor, "automation.delete", automation, before=_audit_snapshot(automation))
    automation.delete()


@transaction.atomic
def copy_automation(
    *, actor: Actor, automation: Automation, name: str, project: Project | None = None
) -> Automation:
    """Make one like another, in a project of the same team, or where the other is.

    In another project it is of all collections.
    """
    require(actor, AutomationAction.VIEW, automation)
    original = _with_places(Automation.objects.all()).get(pk=automation.pk)
    copied = {field.name: getattr(original, field.name) for field in fields_of(AutomationFields)}
    fields = AutomationFields(**{**copied, "name": name, "mail_to": list(original.mail_to.all())})
    place = project or original.project
    collection = original.collection if place == original.project else None
    copy = Automation(
        team=original.team, project=place, collection=collection, created_by_id=actor.user_id
    )  # fmt: skip
    return _create(actor, copy, fields, sent=_payload_target(original))


def _save(automation: Automation, fields: AutomationFields) -> None:
    """Write an automation with its recipients, and let metrics be watched for it."""
    automation.save()
    if automation.action != ActionKind.EMAIL:
        automation.mail_to.clear()
    elif fields.mail_to is not None:
        automation.mail_to.set(fields.mail_to)
    _watch(automation)


def _watch(automation: Automation) -> None:
    """Let metrics be looked at from here on, whatever happens to a process."""
    if automation.is_on and automation.event in METRIC_EVENTS:
        start_watching(automation)


def _locked(automation: Automation) -> Automation:
    return _with_places(Automation.objects.select_for_update(of=("self",))).get(pk=automation.pk)


def _with_places(rows: QuerySet[Automation]) -> QuerySet[Automation]:
    return rows.select_related("team__organization", "project", "collection", "destination__team")


def _require_plan(team: Team) -> None:
    """Let pass a team that may use automations.

    Raises:
        Forbidden: the plan of its organization has none.
    """
    if not has_automations(team):
        message = _("The plan of %(organization)s does not include automations.")
        text = message % {"organization": team.organization}
        raise Forbidden(
            denied_message(text, team.organization) if team.organization else text, action=FEATURE
        )


def _record(
    actor: Actor,
    action: str,
    automation: Automation,
    *,
    team: Team | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    team = team or automation.team
    record(
        actor, action, automation, organization_id=team.organization_id, team_id=team.pk, before=before,
        after=after,
    )  # fmt: skip


def _audit_snapshot(automation: Automation) -> dict[str, Any]:
    """Return what of an automation can change, as the audit log names it."""
    return {
        "name": automation.name,
        "team": automation.team.name,
        "project": automation.project.name if automation.project else "",
        "collection": automation.collection.name if automation.collection else "",
        "event": automation.event,
        "filter": automation.filter,
        "action": automation.action,
        "destination": automation.destination.name if automation.destination else "",
        "mail_to": [user.username for user in automation.mail_to.order_by("username")],
        "mail_author": automation.mail_author,
        "once_in_s": automation.once_in_s,
        "on": automation.is_on,
    }


_LIMITS = {
    "name": MAX_NAME, "description": MAX_TEXT, "title": MAX_TITLE, "message": MAX_TEXT, "payload": MAX_TEMPLATE,
}  # fmt: skip


def _payload_target(automation: Automation) -> PayloadTarget:
    return automation.payload, automation.destination_id


def _apply(
    actor: Actor, automation: Automation, fields: AutomationFields, before: PayloadTarget | None
) -> None:
    """Set what is given, and check the whole; ``before`` is what may be sent already.

    Raises:
        SecretsWithheld: another payload with secrets, or one to another place, by who may not manage these.
        Invalid: what is wrong.
        Conflict: the team has another one of this name.
    """
    for name, limit in _LIMITS.items():
        value = getattr(fields, name)
        if value is not None:
            if len(value) > limit:
                raise Invalid(
                    _("%(field)s can have at most %(limit)s characters; this one has %(count)s.")
                    % {"field": name, "count": len(value), "limit": limit}
                )
            setattr(automation, name, clean_text(value))
    plain = ("event", "filter", "action", "destination", "mail_author", "severity", "once_in_s", "is_on")
    for name in plain:
        value = getattr(fields, name)
        if value is not None:
            setattr(automation, name, value)
    _check_name(automation)
    condition = parse(automation.event, automation.filter)
    automation.event, automation.filter = condition.event.value, condition.canonical
    _check_event(automation, condition)
    # a copy is sent by whoever copies, who must be able to choose the destination anew
    sent_to = before[1] if before and not automation._state.adding else None
    _check_action(actor, automation, sent_to=sent_to)
    _check_recipients(automation, fields)
    if _payload_target(automation) != before:
        require_use(actor, secrets_team(automation), names_in(automation.payload))
    _check_words(actor, automation)
    _check_once(automation)


def _check_event(automation: Automation, condition: Condition) -> None:
    """Refuse events of runs and sweeps where there are none."""
    if condition.event in ARTIFACT_EVENTS:
        return
    if automation.collection is not None:
        raise Invalid(_("A collection’s automation can only use artifact events."))
    if automation.project is not None and automation.project.is_registry:
        raise Invalid(_("A registry’s automation can only use artifact events."))


def _check_name(automation: Automation) -> None:
    automation.name = automation.name.strip()
    if not automation.name:
        raise Invalid(_("Enter a name for the automation."))
    others = Automation.objects.filter(team=automation.team, name=automation.name).exclude(pk=automation.pk)
    if others.exists():
        raise Conflict(_("An automation named “%(name)s” already exists.") % {"name": automation.name})


def _check_action(actor: Actor, automation: Automation, *, sent_to: int | None) -> None:
    """Refuse a destination that the action cannot use, or that is not for this automation.

    Where it sends already (the key ``sent_to``) it goes on sending, whoever changes the rest.
    """
    if automation.action not in ActionKind.values:
        raise Invalid(
            _("Unknown action “%(action)s”. Available: %(known)s.")
            % {"action": automation.action, "known": ", ".join(ActionKind.values)}
        )
    if automation.severity not in Level.values:
        raise Invalid(
            _("Unknown severity “%(severity)s”. Available: %(known)s.")
            % {"severity": automation.severity, "known": ", ".join(Level.values)}
        )
    if automation.action in {ActionKind.NO_OP, ActionKind.EMAIL}:
        automation.destination = None
        return
    destination = automation.destination
    if destination is None:
        raise Invalid(_("Choose a destination for the automation."))
    if (
        destination.pk != sent_to
        and not destinations_of(actor, automation.team).filter(pk=destination.pk).exists()
    ):
        raise Invalid(
            _("%(destination)s does not belong to %(team)s.")
            % {"destination": destination, "team": automation.team}
        )
    if destination.is_slack != (automation.action == ActionKind.NOTIFICATION):
        raise Invalid(
            _("%(action)s needs a Slack destination.") % {"action": automation.action}
            if automation.action == ActionKind.NOTIFICATION
            else _("%(action)s needs a webhook.") % {"action": automation.action}
        )


def _check_recipients(automation: Automation, fields: AutomationFields) -> None:
    """Refuse mail to nobody, and to people who are not in the team."""
    if automation.action != ActionKind.EMAIL:
        automation.mail_author = False
        return
    kept = fields.mail_to is None and not automation._state.adding and automation.mail_to.exists()
    if not (fields.mail_to or kept or automation.mail_author):
        raise Invalid(_("Choose the recipients of the email."))
    chosen = {user.pk: user for user in fields.mail_to or ()}
    if len(chosen) > MAX_RECIPIENTS:
        raise Invalid(_("An automation can email at most %(limit)s people.") % {"limit": MAX_RECIPIENTS})
    for pk in chosen.keys() - _possible_recipients(automation, chosen):
        raise Invalid(
            _("%(name)s is not a member of %(team)s.")
            % {"name": chosen[pk].username, "team": automation.team}
        )


def _possible_recipients(automation: Automation, chosen: Iterable[int]) -> set[int]:
    if is_of_organization(automation.team):
        rows = recipients_of(automation.team, automation.project).filter(pk__in=chosen)
        return set(rows.values_list("pk", flat=True))
    members = Membership.objects.filter(team=automation.team_id, user__in=chosen)
    return set(members.values_list("user_id", flat=True))


def _check_words(actor: Actor, automation: Automation) -> None:
    """Refuse variables that there are not, and payloads that are no JSON (ALR-7)."""
    check_text(automation.title)
    check_text(automation.message)
    if automation.payload:
        check_template(automation.payload, secret_names=known_secret_names(actor, secrets_team(automation)))


def _check_once(automation: Automation) -> None:
    """Refuse to act more often than is useful to anybody."""
    least = LEAST_METRIC_S if automation.event in METRIC_EVENTS else 0
    if not least <= automation.once_in_s <= MAX_ONCE_IN_S:
        raise Invalid(
            _("The interval between actions for a run must be %(least)s to %(most)s seconds, not %(given)s.")
            % {"least": least, "most": MAX_ONCE_IN_S, "given": automation.once_in_s}
        )
