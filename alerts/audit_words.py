"""What the audit log says of alerts."""

from django.utils.translation import gettext_lazy as _

from access.audit_words import register_kind, register_words

SETTINGS = {
    "alert_settings.change": _("Changed which alerts are sent"),
    "alert_route.add": _("Let alerts go to a destination"),
    "alert_route.remove": _("Ended that alerts go to a destination"),
    "alert.mute": _("Muted a project or a team"),
    "alert.unmute": _("Unmuted a project or a team"),
}


def register() -> None:
    """Tell the audit log."""
    register_words("alert", _("Alerts and automations"), SETTINGS)
    register_kind("alerts.AlertSettings", _("Alert settings"))
    register_kind("alerts.Route", _("Way of alerts"))
    register_kind("alerts.Mute", _("Muted project or team"))
