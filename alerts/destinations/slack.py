"""Connecting a Slack channel by Slack's own page (ALR-4); without an app of Slack, addresses are pasted."""

import re
from itertools import chain, count
from typing import Any

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from alerts.access import AlertAction
from alerts.destinations.services import MAX_NAME, add_destination
from alerts.models import Destination, DestinationKind
from alerts.notices.digests import shortened
from alerts.transports.addresses import check_slack, sealed
from common.errors import Conflict, Invalid
from teams.models import Team

_SALT = "alerts.slack"
_GOOD_FOR_S = 900
"""How long choosing a channel may take."""
_UNPRINTABLE = re.compile(r"\s+")


def is_available() -> bool:
    """Say whether the operator has set up an app of Slack."""
    return bool(settings.SLACK_CLIENT_ID and settings.SLACK_CLIENT_SECRET)


def install_url(*, actor: Actor, team: Team, redirect: str) -> str:
    """Return Slack's page where the actor chooses a channel for a team.

    Args:
        actor: Who alone may come back from there.
        team: Which gets the destination.
        redirect: Where Slack leads back to, as its app knows it.

    Raises:
        Conflict: no app of Slack is set up.
    """
    require(actor, AlertAction.MANAGE, team)
    if not is_available():
        raise Conflict(_("This installation has no Slack app; paste a webhook URL instead."))
    state = signing.dumps({"user": actor.user_id, "team": team.pk, "redirect": redirect}, salt=_SALT)
    from alerts.transports.slack_api import authorize_url  # Slack's library takes 6 MB

    return authorize_url(state=state, redirect=redirect)


def team_of_state(actor: Actor, state: str) -> tuple[Team, str]:
    """Return the team that a state was made for, and where Slack was told to lead back to.

    Raises:
        Invalid: it was made for somebody else, or too long ago.
    """
    try:
        signed: dict[str, Any] = signing.loads(state, salt=_SALT, max_age=_GOOD_FOR_S)
    except signing.BadSignature:
        signed = {}
    team = Team.objects.live().filter(pk=signed.get("team", 0)).first()
    if team is None or actor.user_id is None or signed.get("user") != actor.user_id:
        raise Invalid(
            _(
                "The response from Slack arrived too late or was for someone else. Start again from the "
                "settings."
            )
        )
    require(actor, AlertAction.MANAGE, team)
    return team, str(signed["redirect"])


def finish_install(*, actor: Actor, code: str, state: str) -> Destination:
    """Keep the channel that was chosen; one that was connected before gets its new address. Asks Slack, up to 10 s.

    Raises:
        Invalid: the state or the code does not hold.
        Unavailable: Slack does not answer.
    """
    team, redirect = team_of_state(actor, state)
    from alerts.transports.slack_api import exchange

    answer = exchange(code=code, redirect=redirect)
    hook, workspace = answer.get("incoming_webhook") or {}, answer.get("team") or {}
    url, channel = str(hook.get("url", "")), _printable(hook.get("channel"))
    if not url or not channel:
        raise Invalid(_("Slack did not return a channel. Start again from the settings."))
    check_slack(url)
    place = shortened(f"{channel} · {_printable(workspace.get('name'))}", 200)
    return _store_destination(actor, team, url, channel, place)


@transaction.atomic
def _store_destination(actor: Actor, team: Team, url: str, channel: str, place: str) -> Destination:
    rows = Destination.objects.select_for_update().filter(team=team, kind=DestinationKind.SLACK, place=place)
    row = rows.first()
    if row is None:
        name, kind = _free_name(team, channel), DestinationKind.SLACK
        return add_destination(actor=actor, team=team, kind=kind, name=name, url=url, place=place)
    before = {"is_on": row.is_on, "off_reason": row.off_reason}
    row.sealed_url, row.is_on, row.off_reason, row.last_error = sealed(url), True, "", ""
    row.save()
    record(
        actor, "destination.reconnect", row, organization_id=team.organization_id, team_id=team.pk,
        before=before, after={"is_on": True, "place": place},
    )  # fmt: skip
    return row


def _printable(text: Any) -> str:
    shown = "".join(character for character in str(text or "") if character.isprintable())
    return _UNPRINTABLE.sub(" ", shown).strip()


def _free_name(team: Team, channel: str) -> str:
    taken = {name.lower() for name in Destination.objects.filter(team=team).values_list("name", flat=True)}
    first = shortened(channel, MAX_NAME - 8)
    names = chain([first], (f"{first} {number}" for number in count(2)))
    return next(name for name in names if name.lower() not in taken)
