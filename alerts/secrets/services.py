"""Secrets of a team for its webhooks (ALR-7): encrypted, used by name, replaced, deleted, never shown again."""

import re
from collections.abc import Iterable

from django.db import transaction
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import can, require
from alerts.access import AlertAction
from alerts.automation_provider import automation_provider
from alerts.models import Destination, Secret
from alerts.payloads.presets import names_used_by
from alerts.payloads.templating import VARIABLES, is_variable, names_in
from common.crypto import seal, unseal
from common.errors import Conflict, Forbidden, Invalid
from teams.models import Team

MIN_LENGTH, MAX_LENGTH = 8, 10_000
"""Of a value. What is shorter would be masked wherever its few characters occur."""
MOST = 100
"""Of a team."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_PURPOSE = "webhook secret"


class SecretsWithheld(Forbidden):
    """The actor may not say what is sent with secrets, and where."""


def check_name(name: str) -> str:
    """Return the name of a secret if payloads can hold it.

    Raises:
        Invalid: it has other characters, or is the name of a variable.
    """
    if not _NAME.fullmatch(name):
        raise Invalid(
            _(
                "A secret’s name must begin with a letter, followed by letters, digits or “_”, 64 characters at "
                "most."
            )
        )
    if is_variable(name):
        raise Invalid(_("%(name)s is a variable of payloads; give the secret another name.") % {"name": name})
    return name


@transaction.atomic
def store_secret(*, actor: Actor, team: Team, name: str, value: str) -> Secret:
    """Store a secret, or another value for one there is.

    Raises:
        Invalid: by its name or length.
        Conflict: the team has as many as it may have.
    """
    require(actor, AlertAction.MANAGE_SECRETS, team)
    name, value = check_name(name.strip()), value.strip()
    if not MIN_LENGTH <= len(value) <= MAX_LENGTH or "\0" in value:
        raise Invalid(
            _("A secret must have %(least)s to %(most)s characters.")
            % {"least": MIN_LENGTH, "most": MAX_LENGTH}
        )
    secret = Secret.objects.select_for_update().filter(team=team, name=name).first()
    if secret is not None:
        secret.sealed = seal(_PURPOSE, value)
        secret.save(update_fields=["sealed", "updated_at"])
        _record(actor, "secret.replace", secret)
        return secret
    if Secret.objects.filter(team=team).count() >= MOST:
        raise Conflict(_("A team can have at most %(count)s secrets.") % {"count": MOST})
    secret = Secret.objects.create(
        team=team, name=name, sealed=seal(_PURPOSE, value), created_by_id=actor.user_id
    )
    _record(actor, "secret.create", secret)
    return secret


@transaction.atomic
def delete_secret(*, actor: Actor, secret: Secret) -> None:
    """Forget a secret that nothing uses.

    Raises:
        Conflict: names what uses it.
    """
    require(actor, AlertAction.MANAGE_SECRETS, secret)
    if users := users_of(secret):
        message = _("%(secret)s is used by %(users)s. Change these first.")
        raise Conflict(message % {"secret": secret.name, "users": ", ".join(users)})
    _record(actor, "secret.delete", secret)
    secret.delete()


def users_of(secret: Secret) -> list[str]:
    """Return the names of destinations and automations of the team that use a secret."""
    destinations = Destination.objects.filter(team_id=secret.team_id)
    using = [row.name for row in destinations if secret.name in names_used_by(row)]
    return [*using, *automation_provider().using_secret(secret)]


def may_use_secrets(actor: Actor, team: Team) -> bool:
    """Say whether the actor may know the names of a team's secrets, and say what is sent with them and where."""
    return can(actor, AlertAction.MANAGE_SECRETS, team)


def require_use(actor: Actor, team: Team, names: Iterable[str]) -> None:
    """Let pass what names variables only, or comes from whoever may use secrets.

    Whoever reads the place that a secret is sent to reads the secret: so the same right says what is sent with one,
    and where. What is sent already may go on as it is, whoever changes the rest; callers ask only about changes.

    Args:
        actor: Who wants to send.
        team: Whose secrets would be sent.
        names: All that payloads and headers name.

    Raises:
        SecretsWithheld: in the same words whether there is such a secret or not.
    """
    if may_use_secrets(actor, team) or all(is_variable(name) for name in names):
        return
    message = _(
        "Only people who can manage the secrets of %(team)s can choose what is sent with a secret, and "
        "where. All other names must be variables: %(known)s, artifact_metadata.KEY."
    )
    known = ", ".join(VARIABLES)
    raise SecretsWithheld(message % {"team": team.name, "known": known}, action=AlertAction.MANAGE_SECRETS)


def secrets_sent_to(destination: Destination) -> set[str]:
    """Return what a webhook, and the automations that send to it, name in payloads and headers."""
    payloads = (
        [payload for _name, payload in automation_provider().sending_to(destination)]
        if destination.pk
        else []
    )
    return names_used_by(destination).union(*map(names_in, payloads))


def known_secret_names(actor: Actor, team: Team) -> list[str] | None:
    """Return the names of a team's secrets as far as the actor may know them; None: none of them."""
    return _names_of(team) if may_use_secrets(actor, team) else None


def _names_of(team: Team) -> list[str]:
    return list(Secret.objects.filter(team=team).order_by("name").values_list("name", flat=True))


def values_of(team_id: int) -> dict[str, str]:
    """Return every secret of a team by its name, to be sent and masked; call nowhere else."""
    return {row.name: unseal(_PURPOSE, row.sealed) for row in Secret.objects.filter(team_id=team_id)}


def _record(actor: Actor, action: str, secret: Secret) -> None:
    record(
        actor, action, secret, organization_id=secret.team.organization_id, team_id=secret.team_id,
        after={} if action == "secret.delete" else {"name": secret.name},
        before={"name": secret.name} if action == "secret.delete" else {},
    )  # fmt: skip
