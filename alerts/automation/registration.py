"""What automations tell other apps of: words of the audit log, and what a purged run held."""

from django.utils.translation import gettext_lazy as _

from access.audit_words import register_kind, register_words
from alerts.models import MetricCursor
from runs.models import Run
from runs.services import purge

ACTIONS = {
    "automation.create": _("Made an automation"),
    "automation.change": _("Changed an automation"),
    "automation.delete": _("Deleted an automation"),
}


def register() -> None:
    """Tell them."""
    register_words("automation", _("Automations"), ACTIONS)
    register_kind("alerts.Automation", _("Automation"))
    purge.register_part(remove_of_run)


def remove_of_run(run: Run, limit: int) -> int:
    """Remove how far automations looked at a run; returns how many rows went."""
    return purge.remove_some(MetricCursor.objects.filter(run=run), limit)
