"""Destinations of a team or, in their personal team, of a person: Slack channels and webhooks (ALR-4, ALR-7)."""

import uuid
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from alerts.access import AlertAction
from alerts.automation_provider import automation_provider
from alerts.models import Destination, DestinationKind
from alerts.payloads.presets import PRESETS
from alerts.payloads.templating import check_template, is_variable, samples
from alerts.secrets.services import known_secret_names, require_use, secrets_sent_to
from alerts.transports import Notice, SendResult, send
from alerts.transports.addresses import check_slack, check_webhook, sealed
from alerts.transports.slack_blocks import mention_of
from common.errors import Conflict, Invalid, TooManyRequests
from common.rate_limits import count
from teams.models import Team

MOST = 100
"""Of a team."""
MAX_NAME = 64
TESTS, TESTS_WINDOW_S = 10, 60
"""How often a team may try its destinations."""
TESTED = "tests of destinations"
_TEXTS = ("preset", "template", "access_token_name", "signing_secret_name", "mention")


def create_webhook(
    *,
    actor: Actor,
    team: Team,
    name: str,
    url: str,
    preset: str = "",
    template: str = "",
    access_token_name: str = "",
    signing_secret_name: str = "",
) -> Destination:
    """Add a webhook (ALR-7).

    Raises:
        SecretsWithheld: it uses secrets, and the actor may not manage these.
        Invalid: by its name, address, preset, payload or secrets.
        Conflict: the name is taken, or the team has as many as it may have.
    """
    given = {
        "preset": preset, "template": template, "access_token_name": access_token_name,
        "signing_secret_name": signing_secret_name,
    }  # fmt: skip
    return add_destination(actor=actor, team=team, kind=DestinationKind.WEBHOOK, name=name, url=url, **given)


def create_slack_webhook(*, actor: Actor, team: Team, name: str, url: str, mention: str = "") -> Destination:
    """Add a Slack channel by the address of an incoming webhook (ALR-4).

    Raises:
        Invalid: by its name or mention, or the address is none of Slack.
        Conflict: as for webhooks.
    """
    kind = DestinationKind.SLACK_WEBHOOK
    return add_destination(actor=actor, team=team, kind=kind, name=name, url=url, mention=mention)


@transaction.atomic
def add_destination(
    *, actor: Actor, team: Team, kind: DestinationKind, name: str, url: str, place: str = "", **given: str
) -> Destination:
    """Add a destination of any kind; see `create_webhook`."""
    require(actor, AlertAction.MANAGE, team)
    if Destination.objects.filter(team=team).count() >= MOST:
        raise Conflict(_("A team can have at most %(count)s destinations.") % {"count": MOST})
    row = Destination(team=team, kind=kind, created_by_id=actor.user_id)
    _change(actor, row, name=name, url=url, **given)
    row.place = place or row.place
    row.save()
    _record(actor, "destination.create", row, after=audit_snapshot(row))
    return row


@transaction.atomic
def change_destination(*, actor: Actor, destination: Destination, **changes: Any) -> Destination:
    """Change what is given: name, url, preset, template, access_token_name, signing_secret_name, mention, is_on.

    Switching it on forgets why it was off.

    Raises:
        SecretsWithheld: secrets would be sent elsewhere or otherwise, and the actor may not manage these.
        Invalid: as for a new one.
        Conflict: the name is taken.
    """
    require(actor, AlertAction.MANAGE, destination)
    row = Destination.objects.select_for_update().select_related("team").get(pk=destination.pk)
    before = audit_snapshot(row)
    is_moved = bool(changes.get("url"))
    _change(actor, row, **changes)
    row.save()
    after = audit_snapshot(row)
    if after != before or is_moved:
        _record(
            actor, "destination.change", row, before=before, after={**after, "address_replaced": is_moved}
        )
    return row


@transaction.atomic
def delete_destination(*, actor: Actor, destination: Destination) -> None:
    """Forget a destination, its routes and what was sent there.

    Raises:
        Conflict: names the automations that use it.
    """
    require(actor, AlertAction.MANAGE, destination)
    if names := [name for name, _payload in automation_provider().sending_to(destination)]:
        message = _("%(destination)s is used by %(automations)s. Change these first.")
        raise Conflict(message % {"destination": destination, "automations": ", ".join(names)})
    _record(actor, "destination.delete", destination, before=audit_snapshot(destination))
    destination.delete()


def test_destination(*, actor: Actor, destination: Destination) -> SendResult:
    """Send a sample and return what the peer answered (ALR-7); call in no transaction, it takes up to 10 s.

    Raises:
        TooManyRequests: the team has tried often enough.
    """
    require(actor, AlertAction.MANAGE, destination)
    team_key = str(destination.team_id)
    if wait := count(TESTED, team_key, limit=TESTS, window_s=TESTS_WINDOW_S):
        message = _("A team can send %(count)s tests per minute.") % {"count": TESTS}
        raise TooManyRequests(message, wait_s=wait)
    result = send(destination, sample_notice(destination))
    _record(actor, "destination.test", destination, after={"is_ok": result.is_ok, "status": result.status})
    record_result(destination, result)
    return result


def record_result(destination: Destination, result: SendResult) -> None:
    """Store when a destination last accepted a message, or why it did not; one statement, no lock."""
    now = timezone.now()
    fields: dict[str, Any] = {"last_error": result.error[:1000], "last_error_at": now}
    if result.is_ok:
        fields = {"last_sent_at": now, "last_error": ""}
    Destination.objects.filter(pk=destination.pk).update(**fields)


def sample_notice(destination: Destination) -> Notice:
    """Return what *Send test* sends: each variable has its sample."""
    variables = {name: str(value) for name, value in samples().items() if isinstance(value, str | float)}
    return Notice(
        uid=str(uuid.uuid4()),
        title=_("Test from Runyard"),
        text=_("Messages reach “%(name)s”.") % {"name": destination.name},
        url=settings.BASE_URL,
        fields=((_("State"), _("Finished")), (_("Duration"), "1 h 12 min"), ("val/loss", "0.0312")),
        variables=variables,
    )


def audit_snapshot(row: Destination) -> dict[str, Any]:
    """Return what of a destination can change, without its address, as the audit log names it."""
    texts = {name: getattr(row, name) for name in _TEXTS if name != "template"}
    return {
        "kind": row.kind, "name": row.name, "place": row.place, "is_on": row.is_on, **texts,
        "has_own_payload": bool(row.template),
    }  # fmt: skip


def _change(actor: Actor, row: Destination, *, url: Any = None, is_on: Any = None, **texts: Any) -> None:
    before = _sending_fields(row)
    if "name" in texts:
        row.name = _checked_name(row, texts.pop("name"))
    for name in _TEXTS:
        if texts.get(name) is not None:
            setattr(row, name, str(texts[name]).strip())
    if url:
        check = check_slack if row.is_slack else check_webhook
        target = check(url.strip())
        row.sealed_url, row.place = sealed(url.strip()), target.host
    elif not row.sealed_url:
        raise Invalid(_("A destination needs a URL."))
    if is_on is not None:
        row.is_on = is_on
        row.off_reason = "" if is_on else row.off_reason
    if url or _sending_fields(row) != before or row.pk is None:
        require_use(actor, row.team, secrets_sent_to(row))
    _check(row, known_secret_names(actor, row.team))


def _sending_fields(row: Destination) -> tuple[str, ...]:
    """Return what says what a webhook sends, and how, besides its address."""
    return row.preset, row.template, row.access_token_name, row.signing_secret_name


def _checked_name(row: Destination, name: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise Invalid(_("A destination’s name must have 1 to %(most)s characters.") % {"most": MAX_NAME})
    if Destination.objects.filter(team=row.team, name__iexact=name).exclude(pk=row.pk).exists():
        raise Conflict(_("A destination named “%(name)s” already exists.") % {"name": name})
    return name


def _check(row: Destination, names: list[str] | None) -> None:
    foreign = [name for name in _TEXTS if getattr(row, name) and (name == "mention") != row.is_slack]
    if foreign:
        message = _("Destinations of this kind don’t support %(names)s.")
        raise Invalid(message % {"names": ", ".join(foreign)})
    if row.is_slack:
        if row.mention and not mention_of(row.mention):
            raise Invalid(
                _(
                    "A mention must be the ID of a Slack member or group, such as U024BE7LH, or here or "
                    "channel."
                )
            )
        return
    if row.preset not in PRESETS:
        known = ", ".join(filter(None, PRESETS))
        raise Invalid(
            _("Unknown preset %(name)s. Available: %(known)s.") % {"name": row.preset, "known": known}
        )
    for secret_name in (row.access_token_name, row.signing_secret_name):
        if secret_name and (is_variable(secret_name) if names is None else secret_name not in names):
            raise Invalid(_("The team has no secret %(names)s.") % {"names": secret_name})
    check_template(row.template or PRESETS[row.preset].template, secret_names=names)


def _record(
    actor: Actor,
    action: str,
    row: Destination,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    record(
        actor, action, row, organization_id=row.team.organization_id, team_id=row.team_id,
        before=before, after=after,
    )  # fmt: skip
