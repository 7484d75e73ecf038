"""What the audit log says of alerts, destinations, secrets and automations."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from access.audit_words import Kind, register_kind, register_words
from alerts.access import AlertAction
from alerts.models import Destination

DESTINATIONS = {
    "destination.create": _("Added a destination for alerts"),
    "destination.change": _("Changed a destination for alerts"),
    "destination.reconnect": _("Connected a Slack channel again"),
    "destination.test": _("Sent a test to a destination for alerts"),
    "destination.delete": _("Deleted a destination for alerts"),
}
SECRETS = {
    "secret.create": _("Stored a secret for webhooks"),
    "secret.replace": _("Replaced the value of a secret for webhooks"),
    "secret.delete": _("Deleted a secret for webhooks"),
}
MESSAGES = {
    "alert_message.retry": _("Sent an alert again"),
    "destination.turn_off": _("Turned off a destination that takes nothing any more"),
}


def register() -> None:
    """Tell the audit log."""
    register_words("alert_message", _("Alerts that were sent"), MESSAGES)
    register_kind("alerts.Message", _("Alert that was sent"))
    register_words("destination", _("Destinations for alerts"), DESTINATIONS)
    register_words("secret", _("Secrets for webhooks"), SECRETS)
    register_kind(
        "alerts.Destination",
        _("Destination"),
        Kind(AlertAction.MANAGE, _url_of_destination, related=("team",)),
    )
    register_kind("alerts.Secret", _("Secret"))


def _url_of_destination(row: Destination) -> str:
    if row.team.is_personal:
        return reverse("alerts:own_destination", args=[row.pk])
    return reverse("alerts:destination", args=[row.team.name, row.pk])
