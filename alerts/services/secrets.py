"""Secrets of a team for its webhooks (ALR-7): encrypted, used by name, replaced, deleted, never shown again."""

import re

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit import record
from access.engine import require
from alerts.access import AlertAction
from alerts.models import Automation, Destination, Secret
from alerts.templating import is_variable
from common.crypto import seal, unseal
from common.errors import Conflict, Invalid
from teams.models import Team

MIN_LENGTH, MAX_LENGTH = 8, 10_000
"""Of a value. What is shorter would be masked wherever its few characters occur."""
MOST = 100
"""Of a team."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_PURPOSE = "webhook secret"


def check_name(name: str) -> str:
    """Return the name of a secret if payloads can hold it.

    Raises:
        Invalid: it has other characters, or is the name of a variable.
    """
    if not _NAME.fullmatch(name):
        raise Invalid(_("The name of a secret is a letter, then letters, digits and “_”, 64 at most."))
    if is_variable(name):
        raise Invalid(_("%(name)s is a variable of payloads; give the secret another name.") % {"name": name})
    return name


@transaction.atomic
def put_secret(*, actor: Actor, team: Team, name: str, value: str) -> Secret:
    """Store a secret, or another value for one there is.

    Raises:
        Invalid: by its name or length.
        Conflict: the team has as many as it may have.
    """
    require(actor, AlertAction.MANAGE_SECRETS, team)
    name, value = check_name(name.strip()), value.strip()
    if not MIN_LENGTH <= len(value) <= MAX_LENGTH or "\0" in value:
        raise Invalid(
            _("A secret has %(least)s to %(most)s characters.") % {"least": MIN_LENGTH, "most": MAX_LENGTH}
        )
    secret = Secret.objects.select_for_update().filter(team=team, name=name).first()
    if secret is not None:
        secret.sealed = seal(_PURPOSE, value)
        secret.save(update_fields=["sealed", "updated_at"])
        _note(actor, "secret.replace", secret)
        return secret
    if Secret.objects.filter(team=team).count() >= MOST:
        raise Conflict(_("A team has at most %(count)s secrets.") % {"count": MOST})
    secret = Secret.objects.create(
        team=team, name=name, sealed=seal(_PURPOSE, value), created_by_id=actor.user_id
    )
    _note(actor, "secret.create", secret)
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
    _note(actor, "secret.delete", secret)
    secret.delete()


def users_of(secret: Secret) -> list[str]:
    """Return the names of destinations and automations of the team that use a secret."""
    written = f"${{{secret.name}}}"
    of_team = Destination.objects.filter(team_id=secret.team_id).filter(
        Q(access_token_name=secret.name) | Q(signing_secret_name=secret.name) | Q(template__contains=written)
    )
    automations = Automation.objects.filter(team_id=secret.team_id, payload__contains=written)
    return [*of_team.values_list("name", flat=True), *automations.values_list("name", flat=True)]


def values_of(team_id: int) -> dict[str, str]:
    """Return every secret of a team by its name, to be sent and masked; call nowhere else."""
    return {row.name: unseal(_PURPOSE, row.sealed) for row in Secret.objects.filter(team_id=team_id)}


def _note(actor: Actor, action: str, secret: Secret) -> None:
    record(
        actor, action, secret, organization_id=secret.team.organization_id, team_id=secret.team_id,
        after={} if action == "secret.delete" else {"name": secret.name},
        before={"name": secret.name} if action == "secret.delete" else {},
    )  # fmt: skip
