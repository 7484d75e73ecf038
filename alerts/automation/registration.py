"""What automations tell other apps of: words of the audit log, and what a purged run held."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from access.audit.values import EMPTY, Field, register_fields
from access.audit.words import register_kind, register_words
from alerts.automation.events import AutomationEvent
from alerts.editor.form import PAUSES
from alerts.editor.words import event_words, runs_words
from alerts.models import ActionKind, Automation, MetricCursor
from runs.lifecycle import purge
from runs.models import Run

ACTIONS = {
    "automation.create": _("Created an automation"),
    "automation.change": _("Changed an automation"),
    "automation.delete": _("Deleted an automation"),
}


def register() -> None:
    """Tell them."""
    register_words("automation", _("Automations"), ACTIONS)
    register_kind("alerts.Automation", _("Automation"))
    register_fields(
        {
            "project": _("Project"), "event": Field(_("Event"), choices=dict(AutomationEvent.choices)),
            "filter": Field(_("Condition"), show=_condition), "mail_to": _("Members"),
            "action": Field(_("Action"), choices=dict(ActionKind.choices)), "destination": _("Send to"),
            "mail_author": _("Author of the run"), "on": _("On"),
            "once_in_s": Field(_("At most once per run in"), choices=dict(PAUSES)),
        },
        scope="alerts.Automation",
    )  # fmt: skip
    purge.register_part(remove_of_run)


def _condition(stored: Any, told: Mapping[str, Any]) -> str:
    """Say a filter as pages do, with the runs that it is about."""
    automation = Automation(event=told.get("event", ""), filter=stored)
    return " · ".join(filter(None, (event_words(automation), runs_words(automation)))) or EMPTY


def remove_of_run(run: Run, limit: int) -> int:
    """Remove how far automations looked at a run; returns how many rows went."""
    return purge.remove_some(MetricCursor.objects.filter(run=run), limit)
