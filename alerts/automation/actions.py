"""What an automation sends when it acts: its words with the variables of the event."""

from typing import TYPE_CHECKING, Any

from django.conf import settings

from alerts.models import Automation, Event, EventKind
from runs.services.lifecycle import path_of

if TYPE_CHECKING:
    from alerts.transports.base import Notice


def variables_of(automation: Automation, event: Event) -> dict[str, str]:
    """Return what templates may name as ``${name}``; run, project, team and author must be loaded.

    The names are the SDK's where it has them, then ours (semantics section 7).
    """
    data: dict[str, Any] = event.data
    found = {
        "event_type": automation.event,
        "event_author": _author(event),
        "automation_name": automation.name,
        "entity_name": event.team.name,
        "project_name": event.project.name if event.project else "",
        "project_url": f"{settings.BASE_URL}/{event.team.name}/{event.project.name}" if event.project else "",
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
        found |= {key: str(value) for key, value in data.items() if key not in {"event", "author"}}
    return found


def number_text(value: Any) -> str:
    """Return a number as people write it; not finite ones are kept as their names (`events.data` is JSON)."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _author(event: Event) -> str:
    if event.data.get("author"):
        return str(event.data["author"])
    return event.run.user.username if event.run and event.run.user else ""


def notice_for(automation: Automation, event: Event) -> "Notice":
    """Return what an automation's destination is sent of an event, but for the message's own id."""
    from alerts.transports.base import Notice

    variables = variables_of(automation, event)
    return Notice(uid=str(event.uid), title=automation.title or automation.name, text=automation.message,
                  level=automation.severity, url=variables.get("run_url", ""), variables=variables,
                  payload=automation.payload)  # fmt: skip
