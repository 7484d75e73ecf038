"""What the audit log says of automations."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from access.audit.values import EMPTY, Field, register_fields
from access.audit.words import register_kind, register_words
from automations.conditions.events import AutomationEvent
from automations.editor.choices import PAUSES
from automations.editor.words import event_words, runs_words
from automations.models import ActionKind, Automation

ACTIONS = {
    "automation.create": _("Created an automation"),
    "automation.change": _("Changed an automation"),
    "automation.delete": _("Deleted an automation"),
}


def register() -> None:
    """Tell the audit log."""
    register_words("automation", _("Automations"), ACTIONS)
    register_kind("automations.Automation", _("Automation"))
    register_fields(
        {
            "team": _("Team"), "project": _("Project"), "collection": _("Collection"),
            "event": Field(_("Event"), choices=dict(AutomationEvent.choices)),
            "filter": Field(_("Condition"), show=_condition), "mail_to": _("Members"),
            "action": Field(_("Action"), choices=dict(ActionKind.choices)), "destination": _("Send to"),
            "mail_author": _("Author of the run"), "on": _("On"),
            "once_in_s": Field(_("At most once per run in"), choices=dict(PAUSES)),
        },
        scope="automations.Automation",
    )  # fmt: skip


def _condition(stored: Any, snapshot: Mapping[str, Any]) -> str:
    """Say a filter as pages do, with the runs that it is about."""
    automation = Automation(event=snapshot.get("event", ""), filter=stored)
    return " · ".join(filter(None, (event_words(automation), runs_words(automation)))) or EMPTY
