"""What the audit log says of alerts."""

from django.utils.translation import gettext_lazy as _

from access.audit_words import register_kind, register_words

MESSAGES = {
    "alert_message.retry": _("Sent an alert again"),
    "destination.turn_off": _("Turned off a destination that takes nothing any more"),
}


def register() -> None:
    """Tell the audit log."""
    register_words("alert_message", _("Alerts that were sent"), MESSAGES)
    register_kind("alerts.Message", _("Alert that was sent"))
