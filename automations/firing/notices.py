"""What an automation sends when it acts: its words with the variables of the event."""

import json
import re
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from alerts.content.sweeps import sweep_fields, sweep_variables
from alerts.models import Event, EventKind
from alerts.notices.notice import Notice
from alerts.payloads.templating import is_variable, names_in
from automations.conditions.artifacts import artifact_name, artifact_sentence
from automations.conditions.sentences import event_sentence, number_text
from automations.conditions.sweeps import sweep_sentence
from automations.models import Automation
from common.errors import Invalid
from runs.lifecycle.services import path_of
from runs.states import RunState

_VARIABLE = re.compile(r"\$\{([^{}\n]*)\}")
MAX_VALUE = 500
"""Characters of a value in a title or message."""


def variables_of(automation: Automation, event: Event) -> dict[str, str]:
    """Return what templates may name as ``${name}``; run, project, team and author must be loaded.

    The names are the SDK's where it has them, then ours (semantics section 7).
    """
    data: dict[str, Any] = event.data
    found = {
        "event_type": automation.event,
        "event_author": _author(event),
        "entity_name": event.team.name,
        "project_name": event.project.name if event.project else "",
    }
    run = event.run
    if run is not None:
        found |= {
            "run_id": run.uid,
            "run_name": run.display_name,
            "run_url": f"{settings.BASE_URL}{path_of(run)}",
            "run_state": str(data.get("state") or run.state),
        }
    if event.kind == EventKind.RUN_METRIC:
        found |= {
            "metric_name": str(data["metric"]),
            "metric_value": number_text(data["measured"]),
            "threshold": number_text(data["threshold"]),
        }
    if event.kind == EventKind.ARTIFACT:
        found |= {key: _text(value) for key, value in data.items() if is_variable(key)}
        found["artifact_url"] = f"{settings.BASE_URL}{data.get('path', '')}"
    if event.kind == EventKind.SWEEP:
        found |= sweep_variables(data)
    return found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _author(event: Event) -> str:
    if event.data.get("author"):
        return str(event.data["author"])
    return event.run.user.username if event.run and event.run.user else ""


def fill_text(template: str, variables: Mapping[str, str]) -> str:
    """Return a title or message with its variables; those without a value are empty."""
    return _VARIABLE.sub(lambda name: variables.get(name[1], "")[:MAX_VALUE], template)


def check_text(template: str) -> None:
    """Let pass a title or message whose variables are known.

    Raises:
        Invalid: one is not; secrets are for payloads of webhooks only.
    """
    unknown = sorted(name for name in names_in(template) if not is_variable(name))
    if unknown:
        raise Invalid(_("Unknown variable ${%(name)s}.") % {"name": unknown[0]})


def notice_for(automation: Automation, event: Event) -> Notice:
    """Return what an automation's destination is sent of an event, but for the message's own id.

    Run, project, team and author of the event must be loaded. Where the automation has no words of its own, these say
    what happened.
    """
    variables = variables_of(automation, event)
    return Notice(
        uid=str(event.uid),
        title=fill_text(automation.title, variables) or automation.name,
        text=fill_text(automation.message, variables) or what_happened(event),
        level=automation.severity,
        url=variables.get("run_url") or variables.get("artifact_url") or variables.get("sweep_url", ""),
        fields=_fields(event, variables),
        variables=variables,
        payload=automation.payload,
    )


def what_happened(event: Event) -> str:
    """Say in a sentence what an automation acted on."""
    if event.kind == EventKind.RUN_METRIC:
        return event_sentence(event.data)
    if event.kind == EventKind.RUN_STATE:
        state = str(RunState(event.data["state"]).label)
        return _("The run is %(state)s now.") % {"state": state}
    if event.kind == EventKind.SWEEP:
        return sweep_sentence(event.data)
    return artifact_sentence(event.data)


def _fields(event: Event, variables: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return label and value of what Slack shows beside the words."""
    found = [(_("Project"), f"{variables['entity_name']}/{variables['project_name']}"),
             (_("Run"), variables.get("run_name", "")),
             (_("Artifact"), artifact_name(event.data)),
             (_("Sweep"), variables.get("sweep_name", ""))]  # fmt: skip
    if event.kind == EventKind.RUN_METRIC:
        found.append((variables["metric_name"], number_text(event.data["value"])))
        if event.data.get("step") is not None:
            found.append((_("Step"), str(event.data["step"])))
    if event.kind == EventKind.SWEEP:
        found += sweep_fields(event.data)
    return tuple((label, value) for label, value in found if value)
