"""What the audit log says of exports."""

from django.utils.translation import gettext_lazy as _

from access.audit.words import register_kind, register_words
from teams.access import TeamAction


def register() -> None:
    """Tell the audit log."""
    words = {
        TeamAction.EXPORT: _("Requested an export"),
        "export.cancel": _("Canceled an export"),
        "export.download": _("Downloaded an export"),
    }
    register_words("export", _("Exports"), words)
    register_kind("exports.Export", _("Export"))
