"""What the audit log says of alerts, destinations, secrets and automations."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from access.audit_values import Field, register_fields
from access.audit_words import Kind, register_kind, register_words
from alerts.access import AlertAction
from alerts.models import Destination, DestinationKind, Level
from alerts.presets import PRESETS
from alerts.switches import SWITCHES

SETTINGS = {
    "alert_settings.change": _("Changed which alerts are sent"),
    "alert_route.add": _("Let alerts go to a destination"),
    "alert_route.remove": _("Ended that alerts go to a destination"),
    "alert.mute": _("Muted a project or a team"),
    "alert.unmute": _("Unmuted a project or a team"),
}
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
    _register_fields()
    register_words("alert", _("Alerts"), SETTINGS)
    register_words("destination", _("Destinations for alerts"), DESTINATIONS)
    register_words("secret", _("Secrets for webhooks"), SECRETS)
    register_kind(
        "alerts.Destination",
        _("Destination"),
        Kind(AlertAction.MANAGE, _url_of_destination, related=("team",)),
    )
    register_kind("alerts.Secret", _("Secret"))
    register_words("alert_message", _("Alerts that were sent"), MESSAGES)
    register_kind("alerts.Message", _("Alert that was sent"))
    register_kind("alerts.AlertSettings", _("Alert settings"))
    register_kind("alerts.Route", _("Way of alerts"))
    register_kind("alerts.Mute", _("Muted project or team"))


def _url_of_destination(row: Destination) -> str:
    if row.team.is_personal:
        return reverse("alerts:own_destination", args=[row.pk])
    return reverse("alerts:destination", args=[row.team.name, row.pk])


def _register_fields() -> None:
    register_fields(
        {
            **{switch.name: switch.label for switch in SWITCHES}, "by_email": _("Email"),
            "least_level": Field(_("Least level of alerts sent by code"), choices=dict(Level.choices)),
            "destination": _("Send to"), "project": _("Only of this project"),
            "tag": _("Only of runs with this tag"),
        }
    )  # fmt: skip
    register_fields(
        {
            "kind": Field(_("Kind"), choices=dict(DestinationKind.choices)), "place": _("Address"), "is_on": _("On"),
            "preset": Field(_("Service"), choices={key: preset.label for key, preset in PRESETS.items()}),
            "access_token_name": _("Access token"), "signing_secret_name": _("Signing secret"),
            "mention": _("Mention"), "has_own_payload": _("Own payload"), "address_replaced": _("New address"),
            "off_reason": _("Turned off because"), "is_ok": _("Delivered"), "status": _("HTTP status"),
        },
        scope="alerts.Destination",
    )  # fmt: skip
    register_fields({"error": _("Error")}, scope="alerts.Message")
