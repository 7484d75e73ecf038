"""What of alerts changes hands when two accounts become one (`accounts.lifecycle.account_merge`).

Destinations and secrets of the personal entity move into the one that stays; where a name is taken there,
the moved one is called after the account it came from.
"""

from collections.abc import Iterator
from typing import Any

from django.db.models import Model, QuerySet

from accounts.lifecycle.participants import MergeLine
from accounts.models import User
from alerts.automation_provider import automation_provider
from alerts.models import AlertSettings, Delivery, Destination, Event, Message, Mute, Route, Secret
from teams.account_merge import personal_team
from teams.models import Team

_MAX_NAME = 64


def preview_merge(source: User, target: User) -> Iterator[MergeLine]:
    """Yield what the account that ends has."""
    team = personal_team(source)
    note = "the account that stays keeps its own where both have some"
    yield MergeLine("alert settings", AlertSettings.objects.filter(user=source).count(), note)
    yield MergeLine("muted projects and teams", Mute.objects.filter(user=source).count())
    yield MergeLine("destinations of alerts", Destination.objects.filter(team=team).count())
    yield MergeLine("secrets of webhooks", Secret.objects.filter(team=team).count())


def merge(source: User, target: User) -> None:
    """Hand over settings, mutes, messages, and what is in the personal entity."""
    _move_settings(source, target)
    for mute in Mute.objects.filter(user=source):
        if not Mute.objects.filter(user=target, project=mute.project_id, team=mute.team_id).exists():
            Mute.objects.filter(pk=mute.pk).update(user=target)
    Mute.objects.filter(user=source).delete()
    _move_messages(source, target)
    _move_destinations(personal_team(source), personal_team(target), source)
    for model in (Destination, Secret):
        rows: QuerySet[Any] = model._default_manager.filter(created_by=source)
        rows.update(created_by=target)


def _move_settings(source: User, target: User) -> None:
    """Give settings to who has none; else their ways go on under those that stay."""
    theirs = AlertSettings.objects.filter(user=source).first()
    if theirs is None:
        return
    kept = AlertSettings.objects.filter(user=target).first()
    if kept is None:
        AlertSettings.objects.filter(pk=theirs.pk).update(user=target)
        return
    Route.objects.filter(settings=theirs).update(
        settings=kept
    )  # to other destinations, so none is there twice
    theirs.delete()


def _move_messages(source: User, target: User) -> None:
    """Hand over mails, none of which takes in more events; whom an event was told stays true."""
    recipient = f"user:{target.pk}"
    delivered = Delivery.objects.filter(recipient=recipient).values("event_id")
    rows = Delivery.objects.filter(message__user=source).exclude(event__in=list(delivered))
    rows.update(recipient=recipient)
    Message.objects.filter(user=source).update(user=target, recipient=recipient, is_open=False)


def _move_destinations(source: Team, target: Team, user: User) -> None:
    for secret in Secret.objects.filter(team=source):
        new = free_name(Secret, target, secret.name, f"_{user.pk}")
        _rename_uses(source, secret.name, new)
        Secret.objects.filter(pk=secret.pk).update(team=target, name=new)
    for row in Destination.objects.filter(team=source):
        name = free_name(Destination, target, row.name, f"-{user.username}")
        Destination.objects.filter(pk=row.pk).update(team=target, name=name)
    Message.objects.filter(team=source).update(team=target)
    Event.objects.filter(team=source).update(team=target)


def free_name(model: type[Model], team: Team, name: str, tail: str) -> str:
    """Return a name that is not taken in the team, made of the old one and whose it was."""
    taken = set(model._default_manager.filter(team=team).values_list("name", flat=True))
    proposed, number = name, 1
    while proposed in taken:
        end = tail if number == 1 else f"{tail}{number}"
        proposed, number = name[: _MAX_NAME - len(end)] + end, number + 1
    return proposed


def _rename_uses(team: Team, old: str, new: str) -> None:
    """Let destinations and payloads go on with a secret that is called otherwise."""
    if old == new:
        return
    for field in ("access_token_name", "signing_secret_name"):
        Destination.objects.filter(team=team, **{field: old}).update(**{field: new})
    for destination in Destination.objects.filter(team=team, template__contains=f"${{{old}}}"):
        destination.template = destination.template.replace(f"${{{old}}}", f"${{{new}}}")
        destination.save(update_fields=["template", "updated_at"])
    automation_provider().rename_secret(team, old, new)
