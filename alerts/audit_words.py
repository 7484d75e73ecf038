"""What the audit log says of alerts, destinations and secrets."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from access.audit.values import Field, register_fields
from access.audit.words import Kind, register_kind, register_words
from alerts.access import AlertAction
from alerts.models import Destination, DestinationKind, Level
from alerts.payloads.presets import PRESETS
from alerts.preferences.options import SWITCHES

SETTINGS = {
    "alert_settings.change": _("Changed which alerts are sent"),
    "alert_route.add": _("Added an alert route to a destination"),
    "alert_route.remove": _("Removed an alert route to a destination"),
    "alert.mute": _("Muted a project or a team"),
    "alert.unmute": _("Unmuted a project or a team"),
}
DESTINATIONS = {
    "destination.create": _("Added an alert destination"),
    "destination.change": _("Changed an alert destination"),
    "destination.reconnect": _("Reconnected a Slack channel"),
    "destination.test": _("Tested an alert destination"),
    "destination.delete": _("Deleted an alert destination"),
}
SECRETS = {
    "secret.create": _("Stored a webhook secret"),
    "secret.replace": _("Replaced a webhook secret"),
    "secret.delete": _("Deleted a webhook secret"),
}
MESSAGES = {
    "alert_message.retry": _("Resent an alert"),
    "destination.turn_off": _("Turned off a failing destination"),
}


def register() -> None:
    """Tell the audit log."""
    _register_fields()
    register_words("alert", _("Alerts"), SETTINGS)
    register_words("destination", _("Alert destinations"), DESTINATIONS)
    register_words("secret", _("Webhook secrets"), SECRETS)
    register_kind(
        "alerts.Destination",
        _("Destination"),
        Kind(AlertAction.MANAGE, _url_of_destination, related=("team",)),
    )
    register_kind("alerts.Secret", _("Secret"))
    register_words("alert_message", _("Sent alerts"), MESSAGES)
    register_kind("alerts.Message", _("Sent alert"))
    register_kind("alerts.AlertSettings", _("Alert settings"))
    register_kind("alerts.Route", _("Alert route"))
    register_kind("alerts.Mute", _("Muted project or team"))


def _url_of_destination(row: Destination) -> str:
    if row.team.is_personal:
        return reverse("alerts:own_destination", args=[row.pk])
    return reverse("alerts:destination", args=[row.team.name, row.pk])


def _register_fields() -> None:
    register_fields(
        {
            **{switch.name: switch.label for switch in SWITCHES}, "by_email": _("Email"),
            "least_level": Field(_("Minimum level of alerts sent by code"), choices=dict(Level.choices)),
            "destination": _("Send to"), "project": _("Project"),
            "tag": _("Run tag"),
        }
    )  # fmt: skip
    register_fields(
        {
            "kind": Field(_("Kind"), choices=dict(DestinationKind.choices)), "place": _("Address"), "is_on": _("On"),
            "preset": Field(_("Service"), choices={key: preset.label for key, preset in PRESETS.items()}),
            "access_token_name": _("Access token"), "signing_secret_name": _("Signing secret"),
            "mention": _("Mention"), "has_own_payload": _("Custom payload"), "address_replaced": _("New URL"),
            "off_reason": _("Reason"), "is_ok": _("Delivered"), "status": _("HTTP status"),
        },
        scope="alerts.Destination",
    )  # fmt: skip
    register_fields({"error": _("Error")}, scope="alerts.Message")
